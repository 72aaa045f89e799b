"""Users without a filter, all served together."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.arrays.crowd_columns import CrowdColumns
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.crowd_patterns import CrowdPatterns
from rankcast.engine.arrays.deliveries import DeliveryCollector, UserDeliveries
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.patterns import Pattern
from rankcast.engine.arrays.plain_distances import NO_SPACE
from rankcast.engine.arrays.stream import EventBatch
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Unit

if TYPE_CHECKING:
    from rankcast.engine.arrays.kernels.crowds.columns import Batch, EntryColumns, MemberColumns, SentColumns

__all__ = ["Crowd"]

_UNRANKED = -1.0
"""The rank of a pattern that could not be ranked; valid ranks are in 0..1."""
_SPARE = 1_000
"""Members are renumbered when more numbers are unused than are in use plus this many."""


class Crowd:
    """The windows, periods and lists of many users in one set of columns, which one kernel serves a batch.

    Users of all delivery modes can join if rank alone decides, and with plainly diverse windows
    (`rankcast.engine.arrays.crowd_member.joins`). A batch costs about 1 µs per match, and 20 ns per user with periods;
    with diversity about 5 µs per match.
    """

    def __init__(self, table: EventTable) -> None:
        self._table = table
        self._known: list[Member | None] = []
        self._gone = 0
        self._timed = 0
        self._diverse = 0
        self._unwritten: list[Integers] = []
        """Rows of diverse windows that were restored, for `PlainDistances`."""
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

    def add(self, member: Member) -> None:
        """Add a user without entries."""
        self.columns.put(len(self._known), member.columns())
        member.number = len(self._known)
        self._known.append(member)
        self._timed += _is_timed(member)
        self._diverse += member.is_diverse

    def remove(self, member: Member) -> None:
        """Remove a user."""
        self.columns.put(member.number, {"until": member.columns()["until"]})
        self._known[member.number] = None
        self._gone += 1
        self._timed -= _is_timed(member)
        self._diverse -= member.is_diverse
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
        ``borders[u + 1]``. Returns the users with times out of order and those that it cannot rank: only the
        reference engine can serve them, and their state is unchanged. If it raises, the state of all users is
        unchanged.
        """
        from rankcast.engine.arrays.kernels.crowds.columns import DIVERSE, NEVER, PERIODIC, SLIDING, Batch
        from rankcast.engine.arrays.kernels.crowds.periods import pass_over
        from rankcast.engine.arrays.kernels.crowds.serving import serve_all
        from rankcast.engine.arrays.kernels.pairs import masks_of

        starts, numbers, masks = np.empty((3, len(at)), np.int64)
        first = np.empty(len(member_of) + 1, np.int64)
        count = masks_of(borders, member_of, at, places, starts, numbers, masks, first)
        starts, numbers, masks = starts[:count], numbers[:count], masks[:count]
        patterns = self.patterns.number(numbers, masks)
        unranked = self.patterns.ranks.values[patterns] < 0
        if unranked.any():
            left_out = np.isin(member_of, numbers[unranked])
            others = np.where(left_out, -1, member_of)
            return np.flatnonzero(left_out).tolist() + self.publish(
                stream, others, borders, at, places, degrees, gathering
            )
        given = np.ones(count) if degrees is None else self.patterns.degrees(starts, masks, patterns, places, degrees)
        space = self._space(stream.first_row + at[starts[self.members.mode[numbers] == DIVERSE]])
        batch = Batch(
            stream.seq,
            stream.time,
            np.maximum.accumulate(stream.time),
            np.append(np.maximum.accumulate(stream.time[::-1])[::-1], -NEVER),
            self._clocks(stream),
            stream.first_row,
            bool((np.diff(stream.time) >= 0).all()),
            at[starts],
            patterns,
            given,
            self.patterns.grids.values,
            self.patterns.ranks.values,
            self._table.plain_distances.first_row,
        )
        new = np.diff(first)
        is_visited = (member_of >= 0) & ((new > 0) | self._is_due(batch)[member_of])
        visited = np.flatnonzero(is_visited)
        whose, bounds = member_of[visited], np.append(first[visited], count)
        self._reserve(whose, new[visited])
        refused = np.zeros(len(visited), bool)
        is_changing = np.isin(self.members.mode[whose], (SLIDING, DIVERSE)) | (new[visited] > 0)
        before = self.columns.snapshot(whose, whose[is_changing])
        try:
            sent, self.columns.used = serve_all(
                whose, bounds, batch, self.held, self.members, space, self.columns.used, refused
            )
            self._gather(sent, visited, gathering)
        except BaseException:
            self.columns.go_back(before)
            raise
        others = (member_of >= 0) & ~is_visited & (self.members.mode[member_of] == PERIODIC)
        pass_over(member_of[others], batch, self.members)  # this cannot fail, so it needs no snapshot
        found: list[int] = visited[refused].tolist()
        return found

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
            from rankcast.engine.arrays.kernels.crowds.periods import advance_all

            self._end(member_of, lambda whose: advance_all(whose, max(clock, 0), *self._entries_by_rank()), gathering)

    def close(self, member_of: Integers, gathering: DeliveryCollector) -> None:
        """End the stream and collect what unfinished periods still owe.

        If it raises, the state of all users is unchanged.
        """
        if len(self):
            from rankcast.engine.arrays.kernels.crowds.periods import close_all

            self._end(member_of, lambda whose: close_all(whose, *self._entries_by_rank()), gathering)

    def oldest_row(self) -> int:
        """The first row of the table that any user holds; the next row if there is none."""
        from rankcast.engine.arrays.kernels.crowds.serving import oldest_row

        return min(int(oldest_row(self.held, self.members)), self._table.next_row)

    def go_on(self, numbers: Integers) -> None:
        """Recompute the derived columns of users after their entries and their state were written."""
        from rankcast.engine.arrays.kernels.crowds.serving import go_on

        go_on(numbers, self.held, self.members, self.patterns.grids.values)
        if self._diverse:
            self._unwritten.append(self._diverse_rows(numbers))

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

    def _diverse_rows(self, numbers: Integers) -> Integers:
        """The rows in the diverse windows of some members."""
        from rankcast.engine.arrays.kernels.crowds.columns import DIVERSE

        rows: Integers = self.held.row[self.columns.entries(numbers[self.members.mode[numbers] == DIVERSE])]
        return rows

    def _space(self, rows: Integers) -> tuple[object, ...]:
        """The space for distances among the rows of diverse windows, and these rows that arrive."""
        distances = self._table.plain_distances
        if not self._diverse:
            return NO_SPACE
        if not distances.has_begun:
            self._unwritten.append(self._diverse_rows(np.arange(len(self._known))))
        earlier, self._unwritten = self._unwritten, []
        rows = np.concatenate((rows, *earlier))
        return distances.space(rows[rows >= self._table.first_row])

    def _reserve(self, whose: Integers, new: Integers) -> None:
        """Make room for the arrivals."""
        from rankcast.engine.arrays.kernels.crowds.columns import ALL, HISTORY

        mode = self.members.mode[whose]
        wanted = np.where(mode == ALL, 0, self.members.count[whose] + new)
        self.columns.reserve(whose, np.where(mode == HISTORY, np.minimum(wanted, self.members.k[whose]), wanted))

    def _entries_by_rank(self) -> tuple[Integers, "EntryColumns", "MemberColumns"]:
        return self.patterns.grids.values, self.held, self.members

    def _end(self, member_of: Integers, end: "Callable[[Integers], SentColumns]", gathering: DeliveryCollector) -> None:
        """End periods of all members, and collect what they owed."""
        users = np.flatnonzero(member_of >= 0)
        whose = member_of[users]
        before = self.columns.snapshot(whose, whose[:0])
        try:
            self._gather(end(whose), users, gathering)
        except BaseException:
            self.columns.go_back(before)
            raise

    def _gather(self, sent: "SentColumns", visited: Integers, gathering: DeliveryCollector) -> None:
        """Collect deliveries to the visited users."""
        if len(sent.event):
            ranks, sets = self.patterns.ranks.values[sent.pattern], self.patterns.specific
            gathering.add_together(
                visited[sent.visit],
                UserDeliveries(sent.event, sent.row, sent.seq, ranks, sent.pattern, sent.forwarded, sent.window, sets),
            )

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


def _is_timed(member: Member) -> bool:
    length = member.policy.length
    return length is not None and length.unit is Unit.TIME
