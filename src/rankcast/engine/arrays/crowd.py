"""Users with sliding windows by rank alone, all served together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcast.choose.positions import span
from rankcast.engine.arrays.crowd_patterns import LARGEST_MASK, CrowdPatterns
from rankcast.engine.arrays.deliveries import DeliveryCollector, UserDeliveries
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.patterns import Pattern
from rankcast.engine.arrays.stream import EventBatch
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.model import EPOCH, Catalog, Event, Mode, Policy, Unit

if TYPE_CHECKING:
    from rankcast.engine.arrays.kernels.crowd_columns import MemberColumns, WindowColumns

__all__ = ["Crowd", "Member", "joins"]

_NO_EVENT = Event("none", EPOCH, {})
_UNITS = {Unit.EVENTS: 0, Unit.MATCHED: 1, Unit.TIME: 2}
_UNRANKED = -1.0
"""The rank of a pattern that could not be ranked; valid ranks are in 0..1."""
_SPARE = 1_000
"""Members are renumbered when more numbers are unused than are in use plus this many."""


def joins(policy: Policy, subscriptions: int) -> bool:
    """Whether a user that arrays can serve (`rankcast.engine.arrays.modes.suits`) can be served in a crowd."""
    return policy.mode is Mode.SLIDING and policy.sigma == 1 and policy.filter is None and subscriptions <= LARGEST_MASK


class _Snapshot(NamedTuple):
    """A copy of some members of a crowd and of their windows."""

    members: Integers
    columns: list[object]
    entries: Integers
    held: list[object]
    used: int


class Member:
    """One user of a crowd.

    The reference engine ranks each set of subscriptions, and takes over when the catalog changes.
    """

    def __init__(self, user: str, catalog: Catalog, oracle: Subscriber) -> None:
        self.user = user
        self.oracle = oracle
        self.policy = catalog.policy_of(user)
        self.number = -1
        """The number of the member in the crowd; set by the crowd."""
        self._subscriptions = catalog.subscriptions_of(user)

    def pattern(self, places: Sequence[int]) -> Pattern:
        """The pattern of some of the subscriptions."""
        candidate = self.oracle.candidate(_NO_EVENT, [(self._subscriptions[place], 1.0) for place in places])
        return Pattern(candidate.matching, candidate.specific, candidate.rank)

    def matched(self, places: Sequence[int], degrees: Sequence[float]) -> list[tuple[Any, float]]:
        """Subscriptions with their degrees, as the reference engine expects them."""
        return [(self._subscriptions[place], degree) for place, degree in zip(places, degrees, strict=True)]


class Crowd:
    """The windows of many users in one set of columns, which one kernel processes for a batch.

    The entries of a window are contiguous, with room for half as many more; a window that outgrows its room moves to
    the end. A batch costs about 0.1 µs per match and per entry of the windows that it affects, and nothing for other
    users.
    """

    def __init__(self, table: EventTable) -> None:
        self._table = table
        self._known: list[Member | None] = []
        self._gone = 0
        self._timed = 0
        self._used = 0
        self.patterns = CrowdPatterns(self._made)
        self.__members: MemberColumns | None = None
        self.__held: WindowColumns | None = None

    def __len__(self) -> int:
        return len(self._known) - self._gone

    def add(self, member: Member) -> None:
        """Add a user with an empty window."""
        length, k = member.policy.length, member.policy.k
        assert length is not None
        assert k is not None
        from rankcast.engine.arrays.kernels.crowd_columns import NEVER

        member.number = len(self._known)
        self._known.append(member)
        self._timed += length.unit is Unit.TIME
        if member.number >= len(self.members.base):
            more = len(self.members.base)
            self.__members = type(self.members)(*(np.concatenate((c, np.zeros(more, c.dtype))) for c in self.members))
        for column, value in zip(
            self.members, (0, 0, 0, 0, min(k, NEVER), span(length), _UNITS[length.unit], 0, NEVER), strict=True
        ):
            column[member.number] = value

    def remove(self, member: Member) -> None:
        """Remove a user."""
        from rankcast.engine.arrays.kernels.crowd_columns import NEVER

        number = member.number
        self._known[number] = None
        self._gone += 1
        assert member.policy.length is not None
        self._timed -= member.policy.length.unit is Unit.TIME
        self.members.room[number] = self.members.count[number] = 0
        self.members.until[number] = NEVER
        member.number = -1
        if self._gone > len(self) + _SPARE:
            self._renumber()

    def publish(
        self,
        stream: EventBatch,
        users: Sequence[str],
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
        from rankcast.engine.arrays.kernels.crowd_columns import NEVER
        from rankcast.engine.arrays.kernels.crowds import slide_all
        from rankcast.engine.arrays.kernels.pairs import masks_of

        starts, members, masks = np.empty((3, len(at)), np.int64)
        first = np.empty(len(member_of) + 1, np.int64)
        count = masks_of(borders, member_of, at, places, starts, members, masks, first)
        starts, members, masks = starts[:count], members[:count], masks[:count]
        patterns = self.patterns.number(members, masks)
        unranked = self.patterns.ranks.values[patterns] < 0
        if unranked.any():
            left_out = np.isin(member_of, members[unranked])
            others = np.where(left_out, -1, member_of)
            return np.flatnonzero(left_out).tolist() + self.publish(
                stream, users, others, borders, at, places, degrees, gathering
            )
        given = np.ones(count) if degrees is None else self.patterns.degrees(starts, masks, patterns, places, degrees)
        visited = self._visited(stream, member_of, np.diff(first) > 0)
        whose, bounds = member_of[visited], np.append(first[visited], count)
        self._reserve(whose, np.diff(bounds))
        times = stream.time if self._timed else stream.seq
        latest = np.append(np.maximum.accumulate(times[::-1])[::-1], -NEVER)
        refused = np.zeros(len(visited), bool)
        before = self._snapshot(whose)
        try:
            sent, self._used = slide_all(
                whose,
                bounds,
                at[starts],
                patterns,
                given,
                self.patterns.grids.values,
                stream.first_row,
                stream.seq,
                times,
                latest,
                bool((np.diff(times) >= 0).all()),
                self.held,
                self.members,
                self._used,
                refused,
            )
            if len(sent.event):
                receivers, receiver = np.unique(sent.visit, return_inverse=True)
                kinds, kind = np.unique(sent.pattern, return_inverse=True)
                part = UserDeliveries(
                    sent.event,
                    sent.row,
                    sent.seq,
                    self.patterns.ranks.values[sent.pattern],
                    kind,
                    stream.times(sent.event),
                    stream.seq[sent.event],
                    [self.patterns.all[number].specific for number in kinds.tolist()],
                )
                gathering.add_together([users[user] for user in visited[receivers].tolist()], receiver, part)
        except BaseException:
            self._go_back(before)
            raise
        found: list[int] = visited[refused].tolist()
        return found

    def oldest_row(self) -> int:
        """The first row of the table that any window holds; the next row if there is none."""
        from rankcast.engine.arrays.kernels.crowds import oldest_row

        return min(int(oldest_row(self.held, self.members)), self._table.next_row)

    @property
    def members(self) -> "MemberColumns":
        """The users as columns, by number."""
        if self.__members is None:
            from rankcast.engine.arrays.kernels.crowd_columns import MemberColumns

            self.__members = MemberColumns(*np.zeros((len(MemberColumns._fields), 16), np.int64))
        return self.__members

    @property
    def held(self) -> "WindowColumns":
        """The contents of the windows, as columns."""
        if self.__held is None:
            from rankcast.engine.arrays.kernels.crowd_columns import WindowColumns

            kinds = {"pattern": np.int32, "degree": np.float64, "sent": np.bool_, "later": np.int32}
            self.__held = WindowColumns(*(np.zeros(1024, kinds.get(name, np.int64)) for name in WindowColumns._fields))
        return self.__held

    def entries(self, numbers: Integers) -> Integers:
        """The indexes of the entries of some members, member by member."""
        begin, count = self.members.begin[numbers], self.members.count[numbers]
        ends = np.cumsum(count)
        return np.repeat(begin - (ends - count), count) + np.arange(ends[-1] if len(ends) else 0)

    def allot(self, numbers: Integers, counts: Integers) -> None:
        """Give members windows of these sizes. Write the `entries` afterwards and then call `go_on`."""
        members = self.members
        members.count[numbers] = 0
        self._reserve(numbers, counts)
        outgrown = counts > members.room[numbers]
        moved, room = numbers[outgrown], counts[outgrown] * 3 // 2
        members.base[moved], members.room[moved] = self._used + np.cumsum(room) - room, room
        self._used += int(room.sum())
        members.begin[numbers], members.count[numbers] = members.base[numbers], counts

    def go_on(self, numbers: Integers) -> None:
        """Recompute the derived columns of windows after their entries were written."""
        from rankcast.engine.arrays.kernels.crowds import look_again

        look_again(numbers, self.held, self.members, self.patterns.grids.values)

    def _visited(self, stream: EventBatch, member_of: Integers, matched: object) -> Integers:
        """The users that a batch may affect, in order."""
        until, unit = self.members.until, self.members.unit
        due = until <= stream.seq[-1]
        if self._timed:
            due = np.where(unit == _UNITS[Unit.TIME], until <= stream.time.max(), due)
        return np.flatnonzero((member_of >= 0) & (matched | due[member_of]))

    def _snapshot(self, whose: Integers) -> "_Snapshot":
        """A copy of the windows of some members, for `_go_back`."""
        entries = self.entries(whose)
        return _Snapshot(
            whose,
            [column[whose] for column in self.members],
            entries,
            [column[entries] for column in self.held],
            self._used,
        )

    def _go_back(self, before: "_Snapshot") -> None:
        """Restore the windows of some members."""
        for column, values in zip(self.members, before.columns, strict=True):
            column[before.members] = values
        for column, values in zip(self.held, before.held, strict=True):
            column[before.entries] = values
        self._used = before.used

    def _reserve(self, whose: Integers, new: Integers) -> None:
        """Make room at the end for all windows that will outgrow theirs."""
        wanted = self.members.count[whose] + new
        more = int(wanted[wanted > self.members.room[whose]].sum()) * 3 // 2
        if self._used + more <= len(self.held.row):
            return
        rooms = int(self.members.room.sum())
        if 2 * rooms < self._used:
            self._close_gaps()
        size = max(self._used + more, len(self.held.row) * 3 // 2)
        made = type(self.held)(*(np.empty(size, column.dtype) for column in self.held))
        for new, old in zip(made, self.held, strict=True):
            new[: self._used] = old[: self._used]
        self.__held = made

    def _close_gaps(self) -> None:
        """Move the windows together, each keeping its room."""
        numbers = np.flatnonzero(self.members.room)
        entries = self.entries(numbers)
        room, count = self.members.room[numbers], self.members.count[numbers]
        base = np.cumsum(room) - room
        targets = np.repeat(base - (np.cumsum(count) - count), count) + np.arange(len(entries))
        self._used = int(room.sum())
        made = type(self.held)(*(np.empty(self._used, column.dtype) for column in self.held))
        for new, old in zip(made, self.held, strict=True):
            new[targets] = old[entries]
        self.__held = made
        self.members.base[numbers] = self.members.begin[numbers] = base

    def _renumber(self) -> None:
        """Renumber the remaining members, and forget unused patterns."""
        left = [member for member in self._known if member is not None]
        numbers = np.array([member.number for member in left], np.int64)
        self.__members = type(self.members)(
            *(np.concatenate((c[numbers], np.zeros(len(left) + 16, c.dtype))) for c in self.members)
        )
        for number, member in enumerate(left):
            member.number = number
        self._known, self._gone = list(left), 0
        known, self.patterns = self.patterns, CrowdPatterns(self._made)
        entries = self.entries(np.arange(len(left)))
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
