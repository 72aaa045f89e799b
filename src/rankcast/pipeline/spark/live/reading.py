"""Reading a store's log for the shards of a process, and ahead of them while they are idle."""

from collections.abc import Callable
from contextlib import suppress

from rankcast.model import Event
from rankcast.pipeline.spark.live.intake import UNREADABLE, event_of_row
from rankcast.store import LogRow, Store

__all__ = ["LogReader"]

_CHUNK = 500
_AHEAD = 50_000
"""Maximum number of events to decode in advance."""


class LogReader:
    """The log of a store row by row, with events that were decoded in advance.

    While a micro-batch is written to the store, the shards are idle. They use that time to decode the events
    published meanwhile, which are most of the next micro-batch.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ahead: dict[int, tuple[LogRow, Event]] = {}
        self._at = 0
        """The offset up to which the log was requested or read ahead."""

    def rows(self, after: int, up_to: int) -> list[LogRow]:
        """The rows after one offset up to another."""
        known = [self._ahead[offset][0] for offset in range(after + 1, up_to + 1) if offset in self._ahead]
        last = known[-1].offset if known else after
        if known and (known[0].offset, len(known)) != (after + 1, last - after):
            known, last = [], after
        self._at = max(self._at, up_to)
        return known + self._store.log_rows(last, up_to)

    def event(self, row: LogRow) -> Event:
        """The event of a row. Raises the errors of `event_of_row`."""
        known = self._ahead.get(row.offset)
        return known[1] if known is not None else event_of_row(row)

    def forget(self, up_to: int) -> None:
        """Drop the events that every shard has received."""
        for offset in [offset for offset in self._ahead if offset <= up_to]:
            del self._ahead[offset]

    def look_ahead(self, is_wanted: Callable[[], bool]) -> None:
        """Decode events in advance as long as `is_wanted` returns True."""
        while is_wanted() and len(self._ahead) < _AHEAD:
            rows = self._store.log_rows(self._at, self._at + _CHUNK)
            for row in rows:
                with suppress(*UNREADABLE):
                    self._ahead[row.offset] = row, event_of_row(row)
            if not rows:
                return
            self._at = rows[-1].offset
