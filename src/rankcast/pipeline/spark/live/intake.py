"""What a shard takes in: rows of a micro-batch as events in publication order, or as rejects.

Every shard sees every row and decides the same, so no shard has to ask another for a position or a watermark.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from rankcast.choose.positions import instant, microseconds
from rankcast.engine.isolation import reason
from rankcast.errors import ModelError, RankcastError
from rankcast.language import decode_event, dumps, encode_event, show_duration, show_time
from rankcast.language.event_limits import EventLimits
from rankcast.model import Catalog, Event, Reject, SetAside
from rankcast.overlay import check_publication
from rankcast.pipeline.local import GRACE
from rankcast.plain import JsonObject
from rankcast.store import LogRow
from rankcast.store.texts import check_id

__all__ = ["UNREADABLE", "IncomingRow", "Intake", "IntakeResult", "event_of_row"]


_GRACE = GRACE // timedelta(microseconds=1)


class IncomingRow(NamedTuple):
    """A row from elsewhere: an event, or (raw text, reason) if it cannot be one; where it stood; when its micro-batch began; and
    when it was written there, if that is known. Both times are in microseconds."""

    outcome: Event | tuple[str, str]
    file: str = "events"
    line: int = 0
    received: int | None = None
    written: int | None = None


class IntakeResult(NamedTuple):
    """Events to serve, in order, each group under its version of the catalog; what cannot be served, with its key; by `seq`, the
    JSON of events that came as such, and what the clock says at each event (semantics: Delivery modes), in microseconds. `clock` is
    to which time the clock has come before these events. `set_aside` is what cannot be read of a log."""

    groups: list[tuple[int, list[Event]]]
    rejects: list[tuple[str, Reject]]
    late: int
    texts: Mapping[int, str] = MappingProxyType({})
    clocks: Mapping[int, int] = MappingProxyType({})
    clock: int | None = None
    set_aside: Sequence[SetAside] = ()


UNREADABLE = (RankcastError, AttributeError, OverflowError, TypeError, ValueError)
"""What `event_of_row` raises of a row that holds no event."""


def event_of_row(row: LogRow) -> Event:
    """The event that a row of the log holds."""
    return decode_event(row.content, seq=row.offset)


@dataclass
class Intake:
    """Puts events in order and numbers them.

    - From a store's log the order is that of the log, and the position the offset. With a `lateness`, an event older than
      the newest before it by more than that is late: a reject.
    - From elsewhere, without a `lateness`, in the order of arrival, by time and id within a micro-batch.
    - From elsewhere with a `lateness`, by time and id, whatever the micro-batches: an event waits until one comes that is later by
      more than the lateness, and one that comes after its turn is late. Spark's own watermark would do this one
      micro-batch later, and drop whole packed rows without a word.

    - From elsewhere, an event whose time is more than `max_ahead` after it was received is a reject: it would end the periods of
      everybody. From a log it is not, because whoever wrote the log has decided.

    - The clock counts if `by_clock`. An event of a log has the time at which it was logged; one from elsewhere that at which it was
      written there or, if that is not known, its micro-batch began. Events that wait for a lateness have none: they are served by
      their own times alone.

    The lateness and `max_ahead` are in microseconds.
    """

    lateness: int | None = None
    max_ahead: int | None = None
    by_clock: bool = False
    seq: int = 0
    newest: int | None = None
    version: int = 0
    waiting: dict[str, Event] = field(default_factory=dict)

    def take_log(self, rows: Iterable[LogRow], event_of: Callable[[LogRow], Event] = event_of_row) -> IntakeResult:
        """Rows of the log, whose events `event_of` gives; those that are behind the position were taken before and are left out."""
        groups: list[tuple[int, list[Event]]] = []
        rejects: list[tuple[str, Reject]] = []
        unreadable: list[SetAside] = []
        texts: dict[int, str] = {}
        clocks: dict[int, int] = {}
        late = 0
        fresh = sorted((row for row in rows if row.offset > self.seq), key=lambda row: row.offset)
        for version, of_version in groupby(fresh, key=lambda row: row.catalog_version):
            events: list[Event] = []
            for row in of_version:
                self.seq = row.offset
                try:
                    event = event_of(row)
                except UNREADABLE as error:
                    unreadable.append(SetAside(None, row.id, row.offset, version, reason(error)))
                    continue
                why = self._too_late(event)
                if why is not None:
                    rejects.append(_reject(f"event {row.offset}", "event log", row.offset, why, row.content))
                    late += 1
                    continue
                events.append(event)
                texts[row.offset] = row.content
                if self.by_clock:
                    clocks[row.offset] = row.logged - _GRACE
            groups.append((version, events))
            self.version = version
        return IntakeResult(groups, rejects, late, texts, clocks, set_aside=unreadable)

    def take(self, arrived: Iterable[IncomingRow], catalog: Catalog, version: int) -> IntakeResult:
        """Events from elsewhere, or rows that cannot be one; checked against the catalog."""
        rejects: list[tuple[str, Reject]] = []
        late = 0
        self.version = version
        limit = None if self.lateness is None or self.newest is None else self.newest - self.lateness
        fresh: dict[str, Event] = {}
        clock_of: dict[str, int] = {}
        for outcome, file, line, received, written in arrived:
            if not isinstance(outcome, Event):
                rejects.append(_reject(f"{file} {line} {outcome[0]}", file, line, outcome[1], outcome[0]))
                continue
            ahead = self._why_ahead(outcome, received)
            if ahead is not None:
                rejects.append(_reject(f"{file} {line} ahead {_text(outcome)}", file, line, ahead, _text(outcome)))
                continue
            known = fresh.get(outcome.id) or self.waiting.get(outcome.id)
            why = self._why_not(outcome, catalog, limit, known)
            if why is None:
                fresh[outcome.id] = outcome
                if received is not None and self.by_clock and self.lateness is None:
                    clock_of[outcome.id] = min(received, received if written is None else written) - _GRACE
            elif why:
                late += why.startswith("late: ")
                rejects.append(_reject(f"{why} {_text(outcome)}", file, line, why, _text(outcome)))
        released = self._released(fresh)
        clocks = {event.seq: clock_of[event.id] for event in released if event.id in clock_of}
        return IntakeResult([(version, released)], rejects, late, clocks=clocks)

    def _why_not(self, event: Event, catalog: Catalog, limit: int | None, known: Event | None) -> str | None:
        """Why an event cannot be served; nothing for one that was sent twice, None if it can."""
        try:
            check_id(event.id)
            catalog.check_event(event)
            check_publication(catalog, event)
        except Exception as error:  # whatever is wrong with one event is no reason to stop
            return str(error) if isinstance(error, RankcastError) else f"{type(error).__name__}: {error}"
        if limit is not None and microseconds(event.time) < limit:
            return self._why_late(event, limit)
        if known is None or _order(event) < _order(known):
            return None
        return "" if _text(known) == _text(event) else f"duplicate event {event.id!r}"

    def release_all(self) -> list[Event]:
        """End of the stream: those that wait, in order."""
        released = self._numbered(list(self.waiting.values()))
        self.waiting = {}
        return released

    def state(self) -> JsonObject:
        """Plain data for `restore`."""
        return {
            "seq": self.seq,
            "newest": self.newest,
            "version": self.version,
            "waiting": [encode_event(event) for event in self.waiting.values()],
        }

    def restore(self, state: JsonObject) -> None:
        """Go on where `state` was taken."""
        self.seq, self.newest, self.version = state["seq"], state["newest"], state["version"]
        waiting = [decode_event(event) for event in state["waiting"]]
        self.waiting = {event.id: event for event in waiting}

    def _released(self, fresh: dict[str, Event]) -> list[Event]:
        if self.lateness is None:
            return self._numbered(list(fresh.values()))
        self.waiting |= fresh
        times = [microseconds(event.time) for event in fresh.values()]
        self.newest = max([*times, *([] if self.newest is None else [self.newest])], default=None)
        if self.newest is None:
            return []
        limit = self.newest - self.lateness
        ready = [event for event in self.waiting.values() if microseconds(event.time) < limit]
        for event in ready:
            del self.waiting[event.id]
        return self._numbered(ready)

    def _numbered(self, events: Sequence[Event]) -> list[Event]:
        numbered = [event.at(self.seq + place) for place, event in enumerate(sorted(events, key=_order), 1)]
        self.seq += len(numbered)
        return numbered

    def _too_late(self, event: Event) -> str | None:
        if self.lateness is None:
            return None
        time = microseconds(event.time)
        if self.newest is not None and time < self.newest - self.lateness:
            return self._why_late(event, self.newest - self.lateness)
        self.newest = time if self.newest is None else max(time, self.newest)
        return None

    def _why_ahead(self, event: Event, received: int | None) -> str | None:
        if self.max_ahead is None or received is None:
            return None
        try:
            EventLimits(ahead=timedelta(microseconds=self.max_ahead)).check_time(event, instant(received))
        except ModelError as error:
            return str(error)
        return None

    def _why_late(self, event: Event, limit: int) -> str:
        assert self.lateness is not None
        newest = instant(limit + self.lateness)
        return (
            f"late: published at {show_time(event.time)}, more than {show_duration(timedelta(microseconds=self.lateness))} "
            f"before the newest event so far, which is of {show_time(newest)}"
        )


def _order(event: Event) -> tuple[datetime, str]:
    return event.time.astimezone(UTC), event.id


def _text(event: Event) -> str:
    return dumps(encode_event(event))


def _reject(key: str, file: str, line: int, reason: str, raw: str) -> tuple[str, Reject]:
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in reason).split())
    return key, Reject(file, line, plain, raw)
