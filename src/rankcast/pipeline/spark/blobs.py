"""The kinds of blobs in the packed rows of the live pipeline."""

__all__ = ["EVENTS", "MARK", "MATCHED"]

EVENTS, MARK, MATCHED = 1, 3, 4
"""A batch of events (an Arrow stream); a mark of the store's log or versions; what a shard gets of a range of the log."""
