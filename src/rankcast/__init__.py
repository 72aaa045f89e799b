"""Ranked publish/subscribe: the few events worth getting, for each subscriber, on Spark."""

__version__ = "0.1.0"
