"""The users that arrays serve, all together."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.arrays.crowd_columns import CrowdColumns
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.deliveries import DeliveryCollector, UserDeliveries
from rankcast.engine.arrays.event_lines import NO_SPACE, EventSpaces
from rankcast.engine.arrays.filters import ArrayFilter, FilterBatch, copied
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.patterns import CrowdPatterns, Pattern
from rankcast.engine.arrays.stream import EventBatch
from rankcast.engine.arrays.table import EventTable

if TYPE_CHECKING:
    from rankcast.engine.arrays.kernels.crowds.columns import Batch, EntryColumns, MemberColumns, SentColumns

_UNRANKED = -1.0
"""The rank of a pattern that could not be ranked; valid ranks are in 0..1."""
_NONE = np.empty(0, np.int64)
_NO_KEYS = np.empty(0, np.uint64)
_SPARE = 1_000
"""Members are renumbered when more numbers are unused than are in use plus this many."""


class Crowd:
    """The windows, periods and lists of many users in one set of columns, which one kernel serves a batch.

    A batch costs 0.3 to 0.8 µs per match, by mode, and 20 ns per user with periods; with diversity, in windows of 200,
    about 5 µs per match. Filters decide user by user, in Python.
    """

    def __init__(self, table: EventTable) -> None:
        self._table = table
        self._known: list[Member | None] = []
        self._gone = self._timed = self._filtered = 0
        self._spaces = EventSpaces(table)
        self.patterns = CrowdPatterns(self._made)

    def __len__(self) -> int:
        return len(self._known) - self._gone

    @cached_property
    def columns(self) -> CrowdColumns:
        """Where everything is; made with the first member, because this loads the kernels."""
        return CrowdColumns()

    @property
    def members(self) -> "MemberColumns":
        """The users as columns, by number."""
        return self.columns.members

    @property
    def held(self) -> "EntryColumns":
        """The contents of the windows, periods and lists, as columns."""
        return self.columns.held

    def add(self, members: Sequence[Member]) -> None:
        """Add users without entries whose columns are alike."""
        one, first = members[0], len(self._known)
        space = self._spaces.number(one.policy) if one.is_diverse else 0
        self.columns.put(first, {**one.columns(), "space": space}, len(members))
        for number, member in enumerate(members, first):
            member.number = number
        self._known += members
        self._timed += one.is_timed * len(members)
        self._filtered += (one.filter is not None) * len(members)

    def remove(self, member: Member) -> None:
        """Remove a user."""
        self.columns.put(member.number, {"until": member.columns()["until"]})
        self._known[member.number] = None
        self._gone += 1
        self._timed -= member.is_timed
        self._filtered -= member.filter is not None
        member.number = -1
        if self._gone > len(self) + _SPARE:
            self._renumber()

    def publish(
        self,
        stream: EventBatch,
        member_of: Integers,
        borders: Integers,
        at: Integers,
        places: Integers,
        degrees: Reals | None,
        gathering: DeliveryCollector,
    ) -> list[int]:
        """Serve a batch and collect the deliveries.

        The matches of user u, with the member ``member_of[u]`` (-1 for none), lie from ``borders[u]`` to
        ``borders[u + 1]``. Returns the users with times out of order and those that cannot be ranked or filtered here:
        only the reference engine can serve them, and their state is unchanged. If it raises, the state of all users is
        unchanged.
        """
        from rankcast.engine.arrays.kernels.crowds.columns import NEVER, PERIODIC
        from rankcast.engine.arrays.kernels.crowds.periods import pass_over
        from rankcast.engine.arrays.kernels.crowds.serving import serve_all
        from rankcast.engine.arrays.kernels.pairs import masks_of

        starts, ends, numbers, masks = np.empty((4, len(at)), np.int64)
        first = np.empty(len(member_of) + 1, np.int64)
        count = masks_of(borders, member_of, self.members.wide, at, places, starts, ends, numbers, masks, first)
        starts, ends, numbers, masks = starts[:count], ends[:count], numbers[:count], masks[:count]
        patterns = self.patterns.number(numbers, masks, starts, ends, places)
        given = np.ones(count) if degrees is None else self.patterns.degrees(starts, ends, patterns, places, degrees)
        arrived = at[starts]
        unserved = {*numbers[self.patterns.ranks.values[patterns] < 0].tolist()}
        before: dict[int, ArrayFilter] = {}
        try:
            passed, failed = self._admit(stream, member_of, first, arrived, patterns, unserved, before)
            unserved |= failed
            if unserved:
                passed &= ~np.isin(numbers, list(unserved))
            if not passed.all():
                first = np.append(0, np.cumsum(passed))[first]
                arrived, numbers, patterns, given = arrived[passed], numbers[passed], patterns[passed], given[passed]
            refused: list[int] = []
            if unserved:
                left_out = np.isin(member_of, list(unserved))
                refused = np.flatnonzero(left_out).tolist()
                member_of = np.where(left_out, -1, member_of)
            batch = self._batch()._replace(
                seqs=stream.seq,
                times=stream.time,
                reached=np.maximum.accumulate(stream.time),
                latest=np.append(np.maximum.accumulate(stream.time[::-1])[::-1], -NEVER),
                clocks=self._clocks(stream),
                first_row=stream.first_row,
                is_sorted=bool((np.diff(stream.time) >= 0).all()),
                arrived=arrived,
                patterns=patterns,
                degrees=given,
            )
            new = np.diff(first)
            is_visited = (member_of >= 0) & ((new > 0) | self._is_due(batch)[member_of])
            visited = np.flatnonzero(is_visited)
            whose = member_of[visited]
            self._make_room(whose, new[visited])
            snapshot = self.columns.snapshot(whose)
            try:
                parts = []
                for some, space, row in self._by_space(whose, numbers, stream.first_row + arrived):
                    of_some = visited[some]
                    is_refused = np.zeros(len(of_some), bool)
                    sent, self.columns.used = serve_all(
                        whose[some],
                        first[of_some],
                        first[of_some + 1],
                        batch._replace(space_row=row),
                        self.held,
                        self.members,
                        space,
                        self.columns.used,
                        is_refused,
                    )
                    parts.append((sent, of_some))
                    refused += of_some[is_refused].tolist()
                self._gather(parts, gathering)
            except BaseException:
                self.columns.go_back(snapshot)
                raise
        except BaseException:
            self._go_back(before, before)
            raise
        self._go_back(before, member_of[refused].tolist())
        passed_over = self.members.mode == PERIODIC
        passed_over[whose] = passed_over[list(unserved)] = False
        pass_over(np.flatnonzero(passed_over), batch, self.members)  # this cannot fail, so it needs no snapshot
        return refused

    def _admit(
        self,
        stream: EventBatch,
        member_of: Integers,
        first: Integers,
        arrived: Integers,
        patterns: Integers,
        unserved: Collection[int],
        before: dict[int, ArrayFilter],
    ) -> tuple[NDArray[np.bool_], set[int]]:
        """Which of the arrivals pass the filters of their users, and the members whose filters fail.

        The filters of the others go on; `before` receives copies of them as they were.
        """
        passed, failed = np.ones(len(arrived), bool), set[int]()
        if not self._filtered:
            return passed, failed
        is_filtered = (member_of >= 0) & (np.diff(first) > 0) & (self.members.filters[member_of] == 1)
        matching, specific = self.patterns.matching_places, self.patterns.specific_places
        for user in np.flatnonzero(is_filtered).tolist():
            number, own = int(member_of[user]), slice(first[user], first[user + 1])
            member = self._known[number]
            assert member is not None
            assert member.filter is not None
            if number in unserved:
                continue
            kinds, events = patterns[own], arrived[own]
            batch = FilterBatch(
                kinds,
                matching.starts.values,
                matching.places.values,
                self.patterns.ranks.values[kinds],
                stream.keys[events] if member.draws else _NO_KEYS,
                specific.starts.values,
                specific.places.values,
                stream.seq[events],
                stream.time[events],
            )
            before[number] = member.filter
            try:
                member.filter = copied(member.filter)
                passed[own] = member.filter.admit(batch)
            except Exception:  # the reference engine serves this member and reports the failure
                failed.add(number)
        self._go_back(before, failed)
        return passed, failed

    def _go_back(self, before: Mapping[int, ArrayFilter], numbers: Iterable[int]) -> None:
        """Put filters back to what they were."""
        for number in numbers:
            member = self._known[number]
            if member is not None and number in before:
                member.filter = before[number]

    @property
    def due(self) -> int | None:
        """When the clock ends a period with entries, in microseconds; None if there is none."""
        if not self._timed:
            return None
        from rankcast.engine.arrays.kernels.crowds.columns import PERIODIC, TIME
        from rankcast.engine.arrays.kernels.crowds.periods import LATEST

        members = self.members
        waits = (members.mode == PERIODIC) & (members.unit == TIME) & (members.by_clock > 0) & (members.count > 0)
        return min(int(members.until[waits].min()), int(LATEST)) if waits.any() else None

    def advance(self, clock: int, member_of: Integers, gathering: DeliveryCollector) -> None:
        """Advance the receiver's clock, in microseconds, and collect what the periods that end still owed.

        If it raises, the state of all users is unchanged.
        """
        if self._timed:
            self._end(member_of, max(clock, 0), gathering)

    def close(self, member_of: Integers, gathering: DeliveryCollector) -> None:
        """End the stream and collect what unfinished periods still owe.

        If it raises, the state of all users is unchanged.
        """
        if len(self):
            from rankcast.engine.arrays.kernels.crowds.columns import NEVER

            self._end(member_of, int(NEVER), gathering)

    def oldest_row(self) -> int:
        """The first row of the table that any user holds; the next row if there is none."""
        from rankcast.engine.arrays.kernels.crowds.serving import oldest_row

        return min(int(oldest_row(self.held, self.members)), self._table.next_row)

    def go_on(self, numbers: Integers) -> None:
        """Recompute the derived columns of users after their entries and their state were written."""
        from rankcast.engine.arrays.kernels.crowds.serving import go_on

        go_on(numbers, self.held, self.members, self.patterns.grids.values)
        spaces = self.members.space[numbers]
        for space in np.unique(spaces[spaces > 0]).tolist():
            self._spaces[space].add(self._rows(numbers[spaces == space]))

    @staticmethod
    def _clocks(stream: EventBatch) -> Integers:
        """The latest clock up to each event."""
        from rankcast.engine.arrays.kernels.crowds.columns import NEVER

        if stream.clocks is None:
            return np.full(len(stream.seq), -NEVER)
        return np.maximum(np.maximum.accumulate(stream.clocks), 0)

    def _is_due(self, batch: "Batch") -> NDArray[np.bool_]:
        """By member, whether a batch may affect the member even if nothing matches."""
        from rankcast.engine.arrays.kernels.crowds.columns import TIME

        due: NDArray[np.bool_] = self.members.until <= batch.seqs[-1]
        if self._timed:
            reached = max(batch.reached[-1], batch.clocks[-1])
            due = np.where(self.members.unit == TIME, self.members.until <= reached, due)
        return due

    def _rows(self, numbers: Integers) -> Integers:
        """The rows that some members hold."""
        rows: Integers = self.held.row[self.columns.entries(numbers)]
        return rows

    def _by_space(
        self, whose: Integers, numbers: Integers, rows: Integers
    ) -> Iterator[tuple[Integers, tuple[object, ...], int]]:
        """Divides members by the space of their distances: their indexes, the space, and its first row.

        `rows` are those that arrive, for the members `numbers`. Members without distances are in the first part.
        """
        spaces, arriving = self.members.space[whose], self.members.space[numbers]
        if not spaces.any():
            yield np.arange(len(whose)), NO_SPACE, 0
            return
        for place, number in enumerate(np.unique(spaces[spaces > 0]).tolist()):
            lines = self._spaces[number]
            lines.add(rows[arriving == number])
            if not lines.has_begun:
                lines.add(self._rows(np.flatnonzero(self.members.space == number)))
            space = lines.space()
            is_here = (spaces == number) | (spaces == 0) if place == 0 else spaces == number
            yield np.flatnonzero(is_here), space, lines.first_row

    def _make_room(self, whose: Integers, new: Integers) -> None:
        """Make room for the arrivals."""
        from rankcast.engine.arrays.kernels.crowds.columns import ALL, HISTORY

        mode = self.members.mode[whose]
        is_list, is_open = mode == HISTORY, (mode != HISTORY) & (mode != ALL)
        self.columns.make_room(whose[is_open], new[is_open])
        lists = whose[is_list]  # these make room for themselves, at the end
        self.columns.reserve(lists, np.minimum(self.members.count[lists] + new[is_list], self.members.k[lists]))

    def _batch(self) -> "Batch":
        """A batch without events."""
        from rankcast.engine.arrays.kernels.crowds.columns import Batch

        ranks, grids = self.patterns.ranks.values, self.patterns.grids.values
        return Batch(_NONE, _NONE, _NONE, _NONE, _NONE, 0, True, _NONE, _NONE, np.empty(0), grids, ranks, 0)

    def _end(self, member_of: Integers, clock: int, gathering: DeliveryCollector) -> None:
        """End the periods of all members that are over at a time of the clock, and collect what they owed."""
        from rankcast.engine.arrays.kernels.crowds.columns import PERIODIC
        from rankcast.engine.arrays.kernels.crowds.periods import end_all

        users = np.flatnonzero((member_of >= 0) & (self.members.mode[member_of] == PERIODIC))
        whose = member_of[users]
        before = self.columns.snapshot(whose)
        try:
            parts = []
            for some, space, row in self._by_space(whose, _NONE, _NONE):
                sent = end_all(
                    whose[some], clock, self._batch()._replace(space_row=row), self.held, self.members, space
                )
                parts.append((sent, users[some]))
            self._gather(parts, gathering)
        except BaseException:
            self.columns.go_back(before)
            raise

    def _gather(self, parts: "Sequence[tuple[SentColumns, Integers]]", gathering: DeliveryCollector) -> None:
        """Collect deliveries to visited users; all or none."""
        ranks, sets = self.patterns.ranks.values, self.patterns.specific
        made = [
            (
                visited[sent.visit],
                UserDeliveries(
                    sent.event, sent.row, sent.seq, ranks[sent.pattern], sent.pattern, sent.forwarded, sent.window, sets
                ),
            )
            for sent, visited in parts
            if len(sent.event)
        ]
        for receivers, part in made:
            gathering.add_together(receivers, part)

    def _renumber(self) -> None:
        """Renumber the remaining members, and forget unused patterns."""
        left = [member for member in self._known if member is not None]
        self.columns.renumber(np.array([member.number for member in left], np.int64))
        for number, member in enumerate(left):
            member.number = number
        self._known, self._gone = list(left), 0
        known, self.patterns = self.patterns, CrowdPatterns(self._made)
        entries = self.columns.entries(np.arange(len(left)))
        used, kind = np.unique(self.held.pattern[entries], return_inverse=True)
        renumbered = np.array([self.patterns.add(known.all[number]) for number in used.tolist()], np.int64)
        self.held.pattern[entries] = renumbered[kind]

    def _made(self, number: int, places: Sequence[int]) -> Pattern:
        member = self._known[number]
        assert member is not None
        try:
            return member.pattern(places)
        except Exception:  # the reference engine serves this member and reports the failure
            return Pattern(("",) * len(places), (), _UNRANKED)
