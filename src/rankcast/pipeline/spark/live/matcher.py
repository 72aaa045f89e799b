"""Matching events once: what each shard gets of some events, and of a range of a store's log."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from rankcast.choose.positions import microseconds
from rankcast.engine.event_texts import EventReader
from rankcast.engine.isolation import reason
from rankcast.language import dumps, encode_event
from rankcast.matching.batch import Integers, Reals, numbered
from rankcast.model import Event, SetAside
from rankcast.pipeline.spark.live.catalogs import Catalogs, FixedCatalog
from rankcast.pipeline.spark.live.intake import GRACE, UNREADABLE, event_of_row
from rankcast.pipeline.spark.live.matched import (
    Failures,
    MatchedEvents,
    MatchedRange,
    column_of,
    degrees_of,
    of_versions,
    steps_of,
)
from rankcast.pipeline.spark.live.whole import SubscriptionObjects, WholeCatalog
from rankcast.store import LogRow, Store

_CHUNK = 500
_AHEAD = 50_000
"""Maximum number of events to match in advance."""


class MatchedGroup(NamedTuple):
    """Rows of one version with their matches, for all shards.

    `offset` has all rows, the other columns only readable ones. `shard` is that of each name, `found` that of each
    match before advertisements ruled some out, with the event.
    """

    version: int
    offset: Integers
    seq: Integers
    time: Integers
    clock: Integers
    texts: Sequence[str]
    event: Integers
    name: Integers
    degree: Reals
    names: list[str]
    shard: Integers
    found: tuple[Integers, Integers]
    failures: Failures
    set_aside: list[SetAside]

    def part(self, after: int, up_to: int) -> "MatchedGroup":
        """The rows after one offset up to another."""
        if after < self.offset[0] and up_to >= self.offset[-1]:
            return self
        first, end = np.searchsorted(self.seq, [after + 1, up_to + 1]).tolist()
        own, found = (slice(*np.searchsorted(column, [first, end])) for column in (self.event, self.found[0]))
        return self._replace(
            offset=self.offset[(self.offset > after) & (self.offset <= up_to)],
            seq=self.seq[first:end],
            time=self.time[first:end],
            clock=self.clock[first:end],
            texts=self.texts[first:end],
            event=self.event[own] - first,
            name=self.name[own],
            degree=self.degree[own],
            found=(self.found[0][found] - first, self.found[1][found]),
            failures={place - first: of for place, of in self.failures.items() if first <= place < end},
            set_aside=[row for row in self.set_aside if after < row.seq <= up_to],
        )


def _joined(parts: Sequence[MatchedGroup]) -> MatchedGroup:
    """Groups of one version that follow one another, as one."""
    if len(parts) == 1:
        return parts[0]
    firsts = np.cumsum([0, *(len(part.seq) for part in parts)]).tolist()
    names = np.cumsum([0, *(len(part.names) for part in parts)]).tolist()
    return MatchedGroup(
        parts[0].version,
        np.concatenate([part.offset for part in parts]),
        np.concatenate([part.seq for part in parts]),
        np.concatenate([part.time for part in parts]),
        np.concatenate([part.clock for part in parts]),
        [text for part in parts for text in part.texts],
        np.concatenate([part.event + first for part, first in zip(parts, firsts, strict=False)]),
        np.concatenate([part.name + first for part, first in zip(parts, names, strict=False)]),
        np.concatenate([part.degree for part in parts]),
        [name for part in parts for name in part.names],
        np.concatenate([part.shard for part in parts]),
        (
            np.concatenate([part.found[0] + first for part, first in zip(parts, firsts, strict=False)]),
            np.concatenate([part.found[1] for part in parts]),
        ),
        {first + at: of for part, first in zip(parts, firsts, strict=False) for at, of in part.failures.items()},
        [row for part in parts for row in part.set_aside],
    )


class EventMatcher:
    """Matches events against the whole catalog, and divides them among shards."""

    def __init__(self, whole: WholeCatalog, shards: int, shard_of: Callable[[str], int]) -> None:
        self.whole = whole
        self._shards = shards
        self._shard_of = shard_of

    def group(
        self, version: int, events: Sequence[Event], clocks: Integers, texts: Sequence[str] | None = None
    ) -> MatchedGroup:
        """Events of one version with their matches. Without `texts`, those of the events that match are written."""
        whole = self.whole
        whole.move(version)
        matches, failures = whole.match(events)
        found = matches.event, whole.groups(matches.subscription)
        matches, unchosen = whole.admit(events, matches)
        if texts is None:
            needed = {*np.flatnonzero(np.bincount(matches.event)).tolist(), *failures}
            texts = [dumps(encode_event(event)) if at in needed else "" for at, event in enumerate(events)]
        slots, name = numbered(matches.subscription)
        seq = np.array([event.seq for event in events], np.int64)
        return MatchedGroup(
            version,
            seq,
            seq,
            np.array([microseconds(event.time) for event in events], np.int64),
            clocks,
            texts,
            matches.event,
            name,
            matches.degree,
            whole.names(slots),
            whole.groups(slots),
            found,
            failures,
            unchosen,
        )

    def divided(self, after: int, up_to: int, groups: Sequence[MatchedGroup]) -> list[MatchedRange]:
        """What each shard gets of these groups."""
        parts = [_ShardPart() for _ in range(self._shards)]
        first = 0
        for group in groups:
            self._divide(group, first, parts)
            first += len(group.seq)
        columns = [
            steps_of(np.concatenate([getattr(group, column) for group in groups] or [np.empty(0, np.int64)]))
            for column in ("seq", "time", "clock")
        ]
        rows = sum(len(group.offset) for group in groups)
        versions = [(group.version, len(group.seq)) for group in groups]
        aside = [row for group in groups for row in group.set_aside]
        return [
            part.range(after, up_to, rows, versions, columns, [] if number else aside)
            for number, part in enumerate(parts)
        ]

    def _divide(self, group: MatchedGroup, first: int, parts: "Sequence[_ShardPart]") -> None:
        """Give each shard its matches in a group, whose first event has an index in the range."""
        counts = np.bincount(group.found[1], minlength=self._shards).tolist()
        failed: dict[int, Failures] = {}
        for place, of in group.failures.items():
            for user, why in of.items():
                failed.setdefault(self._shard_of(user), {}).setdefault(place, {})[user] = why
        shard = group.shard[group.name].astype(np.int16)  # these are sorted fastest
        order = np.argsort(shard, kind="stable")
        borders = np.searchsorted(shard[order], np.arange(self._shards + 1)).tolist()
        for number, part in enumerate(parts):
            part.found += counts[number]
            own = order[borders[number] : borders[number + 1]]
            if len(own) or number in failed:
                part.add(group, first, own, failed.get(number, {}))


class PastMatcher:
    """Matches events of the past, which a journal of an earlier release has without matches, for the users of a shard."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._known: dict[tuple[int, bool], EventMatcher] = {}

    def matched(self, version: int, events: Sequence[Event], clocks: Sequence[int]) -> MatchedEvents:
        """Events of one version, at least one, with their matches; `clocks` is empty if the clock does not count.

        All users are considered only if an advertisement chooses among them.
        """
        is_whole = any(event.advertisement is not None for event in events)
        if (version, is_whole) not in self._known:
            part = self._catalogs.at(version)
            users = {*part.users()}

            def number_of(user: str) -> int:
                return int(user not in users)

            catalog = FixedCatalog(self._catalogs.whole(version) if is_whole else part)
            whole = WholeCatalog(SubscriptionObjects(catalog), number_of)
            self._known = {(version, is_whole): EventMatcher(whole, 2, number_of)}
        matcher = self._known[version, is_whole]
        group = matcher.group(version, events, np.array(clocks, np.int64))
        own, _ = matcher.divided(events[0].seq - 1, events[-1].seq, [group])
        (matched,) = of_versions(own)
        return matched


class LogMatcher:
    """Matches ranges of a store's log against the catalog version of each event, and divides them among shards.

    While the shards serve and a micro-batch is written, `look_ahead` matches what has been published since.
    """

    def __init__(self, store: Store, matcher: EventMatcher) -> None:
        self._store = store
        self._matcher = matcher
        self._reader = EventReader()
        self._ahead: list[MatchedGroup] = []
        """What was matched in advance: rows that follow one another, up to `_at`."""
        self._at = 0

    def ranges(self, after: int, up_to: int) -> list[MatchedRange]:
        """What each shard gets of the log after one offset up to another."""
        self._ahead = [group for group in self._ahead if group.offset[-1] > after]
        is_known = bool(self._ahead) and self._ahead[0].offset[0] <= after + 1
        known = [group.part(after, up_to) for group in self._ahead if group.offset[0] <= up_to] if is_known else []
        done = min(self._at, up_to) if known else after
        groups = known + (list(self._matched(self._store.log_rows(done, up_to))) if done < up_to else [])
        if up_to > self._at:
            self._ahead, self._at = [], up_to
        together = groupby(groups, key=lambda group: group.version)
        return self._matcher.divided(after, up_to, [_joined(list(of_version)) for _, of_version in together])

    def look_ahead(self, is_wanted: Callable[[], bool]) -> None:
        """Match what follows in the log, as long as `is_wanted` returns True."""
        while is_wanted() and sum(len(group.offset) for group in self._ahead) < _AHEAD:
            rows = self._store.log_rows(self._at, self._at + _CHUNK)
            if not rows:
                return
            self._ahead += self._matched(rows)
            self._at = rows[-1].offset

    def _matched(self, rows: Sequence[LogRow]) -> Iterator[MatchedGroup]:
        ordered = sorted(rows, key=lambda row: row.offset)
        for version, of_version in groupby(ordered, key=lambda row: row.catalog_version):
            yield self._group(version, list(of_version))

    def _group(self, version: int, rows: Sequence[LogRow]) -> MatchedGroup:
        events, read, unread = list[Event](), list[LogRow](), list[SetAside]()
        texts = [row.content.encode("utf-8", "surrogatepass") for row in rows]
        for row, plain in zip(rows, self._reader.read(texts, [row.offset for row in rows]), strict=True):
            try:
                events.append(event_of_row(row) if plain is None else plain)
                read.append(row)
            except UNREADABLE as error:
                unread.append(SetAside(None, row.id, row.offset, version, reason(error)))
        clocks = np.array([row.logged for row in read], np.int64) - GRACE
        group = self._matcher.group(version, events, clocks, [row.content for row in read])
        offset = np.array([row.offset for row in rows], np.int64)
        return group._replace(offset=offset, set_aside=unread + group.set_aside)


class _ShardPart:
    """The part of one shard in a range, while it is put together."""

    def __init__(self) -> None:
        self.found = 0
        self._at: list[Integers] = []
        self._texts: list[str] = []
        self._event: list[Integers] = []
        self._subscription: list[Integers] = []
        self._degree: list[Reals] = []
        self._names: list[str] = []
        self._failures: list[tuple[int, str, str]] = []

    def add(self, group: MatchedGroup, first: int, own: Integers, failures: Failures) -> None:
        """Add the matches `own` of a group."""
        used, subscription = numbered(group.name[own])
        is_concerned = np.zeros(len(group.seq), bool)
        is_concerned[group.event[own]] = True
        is_concerned[list(failures)] = True
        at = np.flatnonzero(is_concerned)
        self._at.append(at + first)
        self._texts += [group.texts[place] for place in at.tolist()]
        self._event.append(group.event[own] + first)
        self._subscription.append(subscription + len(self._names))
        self._degree.append(group.degree[own])
        self._names += [group.names[number] for number in used.tolist()]
        self._failures += [(first + place, user, why) for place, of in failures.items() for user, why in of.items()]

    def range(
        self,
        after: int,
        up_to: int,
        rows: int,
        versions: list[tuple[int, int]],
        columns: Sequence[bytes],
        set_aside: list[SetAside],
    ) -> MatchedRange:
        """The part, with what all shards get."""
        seq, time, clock = columns
        return MatchedRange(
            after,
            up_to,
            rows,
            versions,
            seq,
            time,
            clock,
            b"".join(map(column_of, self._at)),
            self._texts,
            b"".join(map(column_of, self._event)),
            b"".join(map(column_of, self._subscription)),
            degrees_of(np.concatenate(self._degree or [np.empty(0)])),
            self._names,
            self.found,
            self._failures,
            set_aside,
        )
