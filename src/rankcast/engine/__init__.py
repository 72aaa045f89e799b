"""Serving: match, rank and choose, over one event at a time (the reference) or over arrays."""
