"""What a shard gets of a range of the log: seq and time of all events, and the events that concern its users."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcast.choose.positions import instant
from rankcast.engine.published import NamedMatches, PublishedEvents
from rankcast.language.events import written_event
from rankcast.matching.batch import Integers, Reals, numbered
from rankcast.model import Event, SetAside
from rankcast.plain import Array

_STEPS = (np.int8, np.int16, np.int32, np.int64)
_FEW = 8
"""As many steps take at least as many bytes as one of 8 bytes, so more cannot be mistaken for it."""

Failures: TypeAlias = dict[int, dict[str, str]]
"""By the index of an event, the users for whom it could not be matched, with the reason."""


class MatchedEvents(NamedTuple):
    """Events of one version of the catalog, in order, with the matches of one shard.

    `time` and `clock` are in microseconds. `clock` is the time at which each event was received, as delivery sees it,
    or None if the clock does not count. `texts` holds the JSON of the events that concern the shard, by index.
    """

    version: int
    seq: Integers
    time: Integers
    clock: Integers | None
    texts: dict[int, str]
    matches: NamedMatches
    failures: Failures

    def published(self, known: Mapping[int, Event] | None = None) -> PublishedEvents:
        """The events that concern the shard, unless they are `known` by seq, and the moments of the others."""
        seqs, times, known = self.seq.tolist(), self.time.tolist(), known or {}
        return PublishedEvents(
            self.seq,
            self.time,
            {
                place: known.get(seqs[place]) or written_event(text, instant(times[place]), seqs[place])
                for place, text in self.texts.items()
            },
        )

    def without(self, gone: NDArray[np.bool_]) -> "MatchedEvents":
        """The events that are not `gone`."""
        return self.at(np.flatnonzero(~gone)) if gone.any() else self

    def at(self, places: Integers) -> "MatchedEvents":
        """The events at some places, in order."""
        if len(places) == len(self.seq):
            return self
        old, own = self.matches, np.fromiter(self.texts, np.int64, len(self.texts))
        moved, is_here = _moved(places, old.event)
        new, is_kept = _moved(places, own)
        failed_at, is_failed = _moved(places, np.fromiter(self.failures, np.int64, len(self.failures)))
        return MatchedEvents(
            self.version,
            self.seq[places],
            self.time[places],
            None if self.clock is None else self.clock[places],
            dict(zip(new.tolist(), compress(self.texts.values(), is_kept), strict=True)),
            NamedMatches(moved, old.subscription[is_here], old.degree[is_here], old.names),
            dict(zip(failed_at.tolist(), compress(self.failures.values(), is_failed), strict=True)),
        )


def _moved(places: Integers, indexes: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """The new indexes of events when only those at some places, in order, are kept; and which are kept."""
    moved = np.searchsorted(places, indexes)
    is_kept = np.append(places, -1)[moved] == indexes
    return moved[is_kept], is_kept


class MatchedRange(msgspec.Struct, frozen=True, array_like=True):
    """A range of the log for one shard. Arrays are bytes, so that a shard reads them without a loop.

    `seq`, `time` and `clock` are those of all events (`steps_of`), because windows may end at any of them.
    `rows` is the number of rows that the log has in the range, `versions` the catalog version of each run of readable
    events with its length. `at` and `texts` are the events that concern the shard. A match is the index of an event,
    the index in `names` of a subscription, and the degree (empty: all are 1). `found` is the number of matches before
    advertisements limited the recipients. `set_aside` are events that cannot be read, or whose recipients cannot be
    chosen; one shard reports them.
    """

    start: int
    end: int
    rows: int
    versions: list[tuple[int, int]]
    seq: bytes
    time: bytes
    clock: bytes
    at: bytes
    texts: list[str]
    event: bytes
    subscription: bytes
    degree: bytes
    names: list[str]
    found: int
    failures: list[tuple[int, str, str]]
    set_aside: list[SetAside]


def encode_range(found: MatchedRange) -> bytes:
    """Encode a range."""
    return msgspec.msgpack.encode(found)


decode_range = msgspec.msgpack.Decoder(MatchedRange).decode


class HostRange(msgspec.Struct, frozen=True, array_like=True):
    """What the shards of one process get of a range. What several of them get is there once.

    The ranges in `parts`, by shard, lack `seq`, `time`, `clock` and `texts`. `at` and `texts` are the events that concern
    any of the shards.
    """

    seq: bytes
    time: bytes
    clock: bytes
    at: bytes
    texts: list[str]
    parts: dict[int, MatchedRange]


def encode_host_range(ranges: Mapping[int, MatchedRange]) -> bytes:
    """Encode the ranges of some shards, at least one, of a process."""
    texts: dict[int, str] = {}
    for one in ranges.values():
        texts.update(zip(np.frombuffer(one.at, np.int32).tolist(), one.texts, strict=True))
    first, at = next(iter(ranges.values())), sorted(texts)
    parts = {
        number: msgspec.structs.replace(one, seq=b"", time=b"", clock=b"", texts=[]) for number, one in ranges.items()
    }
    found = HostRange(
        first.seq, first.time, first.clock, column_of(np.array(at, np.int64)), [texts[place] for place in at], parts
    )
    return msgspec.msgpack.encode(found)


decode_host_range = msgspec.msgpack.Decoder(HostRange).decode


def apart(found: HostRange) -> tuple[dict[int, MatchedRange], dict[int, Event]]:
    """The range of each shard, and the events that concern any of them by seq. The shards share what they can."""
    at = np.frombuffer(found.at, np.int32)
    texts = dict(zip(at.tolist(), found.texts, strict=True))
    ranges = {}
    for number, one in found.parts.items():
        own = [texts[place] for place in np.frombuffer(one.at, np.int32).tolist()]
        ranges[number] = msgspec.structs.replace(one, seq=found.seq, time=found.time, clock=found.clock, texts=own)
    total = sum(count for _, count in next(iter(found.parts.values())).versions)
    seq, time = (_of_steps(column, total)[at].tolist() for column in (found.seq, found.time))
    rows = zip(found.texts, time, seq, strict=True)
    return ranges, {position: written_event(text, instant(moment), position) for text, moment, position in rows}


def of_versions(found: MatchedRange) -> Iterator[MatchedEvents]:
    """The events of a range, version by version."""
    total = sum(count for _, count in found.versions)
    seq, time, clock = (_of_steps(column, total) for column in (found.seq, found.time, found.clock))
    at = _array(found.at, np.int32)
    event, subscription = (_array(column, np.int32) for column in (found.event, found.subscription))
    degree = _array(found.degree, np.float64) if found.degree else np.ones(len(event))
    first = 0
    for version, count in found.versions:
        own, texts = (slice(*np.searchsorted(places, [first, first + count])) for places in (event, at))
        # Of many versions, each has few of the names.
        used, number = numbered(subscription[own])
        names = found.names if len(used) == len(found.names) else [found.names[one] for one in used.tolist()]
        yield MatchedEvents(
            version,
            seq[first : first + count],
            time[first : first + count],
            clock[first : first + count] if len(clock) else None,
            dict(zip((at[texts] - first).tolist(), found.texts[texts], strict=True)),
            NamedMatches(event[own] - first, number, degree[own], names),
            _failures(found.failures, first, first + count),
        )
        first += count


def joined(parts: Sequence[MatchedEvents]) -> MatchedEvents:
    """Parts of one version that follow one another, as one."""
    if len(parts) == 1:
        return parts[0]
    texts: dict[int, str] = {}
    failures: Failures = {}
    names: list[str] = []
    events: list[Integers] = []
    subscriptions: list[Integers] = []
    first = 0
    for part in parts:
        texts |= {first + place: text for place, text in part.texts.items()}
        failures |= {first + place: failed for place, failed in part.failures.items()}
        events.append(part.matches.event + first)
        subscriptions.append(part.matches.subscription + len(names))
        names += part.matches.names
        first += len(part.seq)
    return MatchedEvents(
        parts[0].version,
        np.concatenate([part.seq for part in parts]),
        np.concatenate([part.time for part in parts]),
        _together([part.clock for part in parts]),
        texts,
        NamedMatches(
            np.concatenate(events),
            np.concatenate(subscriptions),
            np.concatenate([part.matches.degree for part in parts]),
            names,
        ),
        failures,
    )


def _together(clocks: Sequence[Integers | None]) -> Integers | None:
    # The settings of the pipeline decide whether the clock counts, so either all parts have clocks or none.
    return np.concatenate([clock for clock in clocks if clock is not None]) if clocks[0] is not None else None


def _failures(rows: Sequence[tuple[int, str, str]], first: int, end: int) -> Failures:
    failures: Failures = {}
    for place, user, why in rows:
        if first <= place < end:
            failures.setdefault(place - first, {})[user] = why
    return failures


def _array(column: bytes, kind: DTypeLike) -> Array:
    wide = np.float64 if kind is np.float64 else np.int64
    return np.frombuffer(column, kind).astype(wide)


def steps_of(column: Integers) -> bytes:
    """A column of all events, as `MatchedRange` holds it: the first value, and the steps from each to the next.

    Steps take as few bytes as the largest needs. If more than `_FEW` are equal, there is one, of 8 bytes.
    """
    steps, first = np.diff(column), column[:1].astype(np.int64).tobytes()
    if not len(steps):
        return first
    least, most = int(steps.min()), int(steps.max())
    if least == most and len(steps) > _FEW:
        return first + steps[:1].astype(np.int64).tobytes()
    kind = next(kind for kind in _STEPS if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max)
    return first + steps.astype(kind).tobytes()


@lru_cache(maxsize=8)
def _of_steps(column: bytes, count: int) -> Integers:
    """The values of so many events; none if the column is empty. Earlier releases wrote all steps with 8 bytes.

    All shards of a process get the same columns, so nobody may change the values.
    """
    first = np.frombuffer(column[:8], np.int64)
    if len(column) <= 8:
        return first
    if len(column) == 16 and count - 1 > _FEW:
        equal: Integers = np.arange(count) * np.frombuffer(column, np.int64)[1] + first
        return equal
    values = np.empty(count, np.int64)
    values[0] = 0
    np.cumsum(np.frombuffer(column, f"<i{(len(column) - 8) // (count - 1)}", offset=8), out=values[1:])
    values += first
    return values


def column_of(column: Integers) -> bytes:
    """A column of indexes, as `MatchedRange` holds it."""
    return column.astype(np.int32).tobytes()


def degrees_of(column: Reals) -> bytes:
    """The degrees, as `MatchedRange` holds them: nothing if all are 1."""
    return b"" if (column == 1.0).all() else column.tobytes()


def range_of(events: MatchedEvents) -> MatchedRange:
    """Events of one version as a range, for a journal."""
    used, subscription = numbered(events.matches.subscription)
    return MatchedRange(
        start=0,
        end=0,
        rows=len(events.seq),
        versions=[(events.version, len(events.seq))],
        seq=steps_of(events.seq),
        time=steps_of(events.time),
        clock=b"" if events.clock is None else steps_of(events.clock),
        at=column_of(np.array(sorted(events.texts), np.int64)),
        texts=[events.texts[place] for place in sorted(events.texts)],
        event=column_of(events.matches.event),
        subscription=column_of(subscription),
        degree=degrees_of(events.matches.degree),
        names=[events.matches.names[number] for number in used.tolist()],
        found=0,
        failures=[(place, user, why) for place, failed in events.failures.items() for user, why in failed.items()],
        set_aside=[],
    )
