"""Engines that match, rank and choose: one event at a time (the reference), or many events over arrays."""
