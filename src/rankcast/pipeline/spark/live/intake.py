"""The input of a shard: the rows of a micro-batch as events in publication order, or as rejects.

Every shard knows the position and time of every event and makes the same decisions, so no shard has to ask another.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from rankcast.choose.positions import instant, microseconds
from rankcast.errors import ModelError, RankcastError
from rankcast.language import decode_event, dumps, encode_event, show_duration, show_time
from rankcast.language.event_limits import EventLimits
from rankcast.matching.batch import Integers
from rankcast.model import Catalog, Event, Reject, SetAside
from rankcast.overlay import check_publication
from rankcast.pipeline.spark.live.matched import MatchedEvents, MatchedRange, joined, of_versions
from rankcast.plain import JsonObject
from rankcast.store import LogRow
from rankcast.store.event_log import GRACE as _GRACE
from rankcast.store.texts import check_id

GRACE = _GRACE // timedelta(microseconds=1)
"""The grace of `rankcast.store.event_log`, in microseconds."""


class IncomingRow(NamedTuple):
    """A row from a source other than the log: an event, or (raw text, reason) if it is not one, and its position.

    `received` is when its micro-batch began, and `written` when it was written to its source, if known. Both are in
    microseconds.
    """

    outcome: Event | tuple[str, str]
    file: str = "events"
    line: int = 0
    received: int | None = None
    written: int | None = None


class IntakeResult(NamedTuple):
    """The events to serve and the rejects of a micro-batch.

    `groups` are events in order, each group with its catalog version. `rejects` come with their keys. `clocks` holds the
    clock at each event, in microseconds (semantics: Delivery modes). `clock` is the time that the clock reached before
    these events. `set_aside` are the events of a log that cannot be read. `matched` are events that come with their
    matches, and `found` is the number of matches before advertisements limited the recipients. `known` are events that
    were read before, by seq.
    """

    groups: list[tuple[int, list[Event]]]
    rejects: list[tuple[str, Reject]]
    late: int
    clocks: Mapping[int, int] = MappingProxyType({})
    clock: int | None = None
    set_aside: Sequence[SetAside] = ()
    matched: Sequence[MatchedEvents] = ()
    found: int = 0
    known: Mapping[int, Event] = MappingProxyType({})

    @property
    def events(self) -> int:
        """The number of events."""
        return sum(len(events) for _, events in self.groups) + sum(len(events.seq) for events in self.matched)


UNREADABLE = (RankcastError, AttributeError, OverflowError, TypeError, ValueError)
"""The errors that `event_of_row` raises for a row without a valid event."""


def event_of_row(row: LogRow) -> Event:
    """Decode the event of a log row."""
    return decode_event(row.content, seq=row.offset)


class _SavedIntake(msgspec.Struct):
    seq: int
    newest: int | None
    version: int
    waiting: list[JsonObject]


@dataclass
class Intake:
    """Orders and numbers events.

    - Events of a store's log keep the order of the log, and their position is the offset. With a `lateness`, an event
      is late, and rejected, if it is older than the newest event before it by more than that.
    - Events of other sources without a `lateness` are served in the order of arrival, by time and id within a
      micro-batch.
    - Events of other sources with a `lateness` are served by time and id, across micro-batches. An event waits until
      another arrives that is later by more than the lateness. An event that arrives after its turn is late. Spark's
      own watermark would do this one micro-batch later, and would silently drop whole packed rows.
    - An event of another source is rejected if its time is more than `max_ahead` after it was received, because it
      would end the periods of all users. The log has no such check, because its writer has already accepted the
      event.
    - The clock counts if `by_clock`. An event of a log has the time at which it was logged. An event of another
      source has the time at which it was written there or, if that is unknown, when its micro-batch began. Events
      that wait for a lateness have no clock: they are served by their own times alone.

    `lateness` and `max_ahead` are in microseconds.
    """

    lateness: int | None = None
    max_ahead: int | None = None
    by_clock: bool = False
    seq: int = 0
    newest: int | None = None
    version: int = 0
    waiting: dict[str, Event] = field(default_factory=dict)
    _unread: list[JsonObject] = field(default_factory=list)
    """Waiting events of a restored state, which are decoded when they are needed."""

    def take_log(self, ranges: Iterable[MatchedRange], text_of: Callable[[int], str] | None = None) -> IntakeResult:
        """Take ranges of the log, which follow one another. Rows up to the current position are skipped.

        `text_of` gives the JSON of a late event. Without it, late events are counted, and others report them.
        """
        rejects: list[tuple[str, Reject]] = []
        parts: list[MatchedEvents] = []
        ranges = sorted(ranges, key=lambda one: one.start)
        late = 0
        for one in ranges:
            for part in of_versions(one):
                fresh = part.without(part.seq <= self.seq) if len(part.seq) and part.seq[0] <= self.seq else part
                if self.lateness is None:
                    parts.append(fresh)
                    continue
                is_late, newest = self._late(fresh.time)
                if text_of is not None:
                    for place in np.flatnonzero(is_late).tolist():
                        seq = int(fresh.seq[place])
                        why = self._why_late(int(fresh.time[place]), int(newest[place]))
                        rejects.append(_reject(f"event {seq}", "event log", seq, why, text_of(seq)))
                late += int(is_late.sum())
                parts.append(fresh.without(is_late))
            if one.rows:
                self.seq = max(self.seq, one.end)
        groups = [joined(list(of_version)) for _, of_version in groupby(parts, key=lambda part: part.version)]
        if groups:
            self.version = groups[-1].version
        aside = [row for one in ranges for row in one.set_aside]
        found = sum(one.found for one in ranges)
        return IntakeResult([], rejects, late, set_aside=aside, matched=groups, found=found)

    def _late(self, times: Integers) -> tuple[NDArray[np.bool_], Integers]:
        """Which of these events are late, and the time of the newest event before each."""
        if self.lateness is None or not len(times):
            return np.zeros(len(times), bool), times
        first = int(times[0]) if self.newest is None else self.newest
        newest = np.maximum.accumulate(np.concatenate(([first], times)))
        self.newest = int(newest[-1])
        return times < newest[:-1] - self.lateness, newest[:-1]

    def take(self, arrived: Iterable[IncomingRow], catalog: Catalog, version: int) -> IntakeResult:
        """Take events, or invalid rows, from another source. Events are checked against the catalog."""
        rejects: list[tuple[str, Reject]] = []
        late = 0
        self.version = version
        self._read_waiting()
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
                    clock_of[outcome.id] = min(received, received if written is None else written) - GRACE
            elif why:
                late += why.startswith("late: ")
                rejects.append(_reject(f"{why} {_text(outcome)}", file, line, why, _text(outcome)))
        released = self._released(fresh)
        clocks = {event.seq: clock_of[event.id] for event in released if event.id in clock_of}
        return IntakeResult([(version, released)], rejects, late, clocks=clocks)

    def _why_not(self, event: Event, catalog: Catalog, limit: int | None, known: Event | None) -> str | None:
        """Why an event cannot be served: None if it can, and an empty text if it is a duplicate."""
        try:
            check_id(event.id)
            catalog.check_event(event)
            check_publication(catalog, event)
        except Exception as error:  # a problem with one event must not stop the others
            return str(error) if isinstance(error, RankcastError) else f"{type(error).__name__}: {error}"
        if limit is not None and microseconds(event.time) < limit:
            return self._why_late(microseconds(event.time), self.newest or 0)
        if known is None or _order(event) < _order(known):
            return None
        return "" if _text(known) == _text(event) else f"duplicate event {event.id!r}"

    def state(self) -> JsonObject:
        """The state as plain data, for `restore`."""
        return {
            "seq": self.seq,
            "newest": self.newest,
            "version": self.version,
            "waiting": [*self._unread, *(encode_event(event) for event in self.waiting.values())],
        }

    def restore(self, state: JsonObject) -> None:
        """Continue from a saved state."""
        saved = msgspec.convert(state, _SavedIntake)
        self.seq, self.newest, self.version = saved.seq, saved.newest, saved.version
        self.waiting, self._unread = {}, saved.waiting

    def _read_waiting(self) -> None:
        self.waiting |= {event.id: event for event in map(decode_event, self._unread)}
        self._unread = []

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

    def _why_ahead(self, event: Event, received: int | None) -> str | None:
        if self.max_ahead is None or received is None:
            return None
        try:
            EventLimits(ahead=timedelta(microseconds=self.max_ahead)).check_time(event, instant(received))
        except ModelError as error:
            return str(error)
        return None

    def _why_late(self, time: int, newest: int) -> str:
        assert self.lateness is not None
        return (
            f"late: published at {show_time(instant(time))}, more than {show_duration(timedelta(microseconds=self.lateness))} "
            f"before the newest event so far, which is of {show_time(instant(newest))}"
        )


def _order(event: Event) -> tuple[datetime, str]:
    return event.time.astimezone(UTC), event.id


def _text(event: Event) -> str:
    return dumps(encode_event(event))


def _reject(key: str, file: str, line: int, reason: str, raw: str) -> tuple[str, Reject]:
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in reason).split())
    return key, Reject(file, line, plain, raw)
