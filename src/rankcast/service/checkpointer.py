"""Copies the write-ahead log of the store into its file, so that no commit has to."""

from rankcast.service.background import BackgroundTask
from rankcast.store import Store

_PAGES = 1_000
"""Pages that are copied at a time, about. The log is as long while readers and writers let it begin anew."""
_SHORTEST, _LONGEST = 0.1, 10.0


class Checkpointer(BackgroundTask):
    """Copies the log from time to time: the sooner again, the more there was to copy.

    SQLite would do this in the commit that makes the log long, whose writer and all others in line would wait for it.
    """

    def __init__(self, store: Store) -> None:
        super().__init__("checkpointer", "the write-ahead log was not copied", first=_SHORTEST)
        self._store = store
        self._copied = 0
        self._pause = _SHORTEST

    def start(self) -> None:
        """Start, for a store in a file."""
        if self._store.database.is_file:
            super().start()

    def pause(self) -> float:
        """The shorter, the more there was to copy."""
        return self._pause

    def round(self) -> float:
        """Copy what there is. Returns how many seconds to wait until the next time."""
        copied = self._store.database.checkpoint()
        # A log that has become shorter has begun anew.
        new = copied - self._copied if copied >= self._copied else copied
        self._copied = copied
        self._pause = min(
            max(self._pause * _PAGES / max(new, 1), self._pause / 2, _SHORTEST), 2 * self._pause, _LONGEST
        )
        return self._pause
