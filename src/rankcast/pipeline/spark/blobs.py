"""The kinds of blobs in the packed rows of the live pipeline."""

EVENTS, MARK, MATCHED, TAKEN = 1, 3, 4, 5
"""A batch of events (an Arrow stream); a mark of the store's log or versions; what a shard gets of a range of the log;
what it gets of the events of another source."""
