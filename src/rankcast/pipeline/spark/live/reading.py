"""Reading a store's log for the shards of a process, and ahead of them while nobody waits."""

from collections.abc import Callable
from contextlib import suppress

from rankcast.model import Event
from rankcast.pipeline.spark.live.intake import UNREADABLE, event_of_row
from rankcast.store import LogRow, Store

__all__ = ["LogReader"]

_CHUNK = 500
_AHEAD = 50_000
"""At most so many events are decoded ahead."""


class LogReader:
    """The log of a store, row by row; and events that were decoded before they were asked for.

    A micro-batch is written to the store while the shards have nothing to do. That is when they decode what has been published
    meanwhile, which is most of the next one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ahead: dict[int, tuple[LogRow, Event]] = {}
        self._at = 0
        """Up to where the log was asked for, or read ahead."""

    def rows(self, after: int, up_to: int) -> list[LogRow]:
        """The log after an offset up to another."""
        known = [self._ahead[offset][0] for offset in range(after + 1, up_to + 1) if offset in self._ahead]
        last = known[-1].offset if known else after
        if known and (known[0].offset, len(known)) != (after + 1, last - after):
            known, last = [], after
        self._at = max(self._at, up_to)
        return known + self._store.log_rows(last, up_to)

    def event(self, row: LogRow) -> Event:
        """The event of a row; raises what `event_of_row` raises."""
        known = self._ahead.get(row.offset)
        return known[1] if known is not None else event_of_row(row)

    def forget(self, up_to: int) -> None:
        """Let go of what every shard has had."""
        for offset in [offset for offset in self._ahead if offset <= up_to]:
            del self._ahead[offset]

    def look_ahead(self, is_wanted: Callable[[], bool]) -> None:
        """Decode events that nobody has asked for yet, for as long as that is wanted."""
        while is_wanted() and len(self._ahead) < _AHEAD:
            rows = self._store.log_rows(self._at, self._at + _CHUNK)
            for row in rows:
                with suppress(*UNREADABLE):
                    self._ahead[row.offset] = row, event_of_row(row)
            if not rows:
                return
            self._at = rows[-1].offset
