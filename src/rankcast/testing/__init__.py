"""Helpers for tests of Rankcast and of programs that use it."""
