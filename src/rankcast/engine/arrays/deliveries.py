"""Deliveries as columns: the output of a batch before objects are needed."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.table import EventTable
from rankcast.matching.batch import numbered
from rankcast.model import Delivery
from rankcast.plain import objects

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class DeliveryColumns:
    """Many deliveries, with a column for each field of `Delivery`; names are indexes into a list.

    Times are microseconds since the Unix epoch. Creating the objects (`records`) costs 1 µs each, the columns a fifth
    of that.
    """

    users: Sequence[str]
    events: Sequence[str]
    sets: Sequence[tuple[str, ...]]
    user: Integers
    event: Integers
    seq: Integers
    rank: Reals
    subscriptions: Integers
    """Indexes into `sets`, which hold the most specific matching subscriptions."""
    published: Integers
    forwarded: Integers
    window: Integers

    def __len__(self) -> int:
        return len(self.seq)

    def records(self) -> list[Delivery]:
        """The deliveries as objects, in order."""
        times = {time: instant(time) for time in {*self.published.tolist(), *self.forwarded.tolist()}}
        made: list[Delivery] = objects(
            Delivery,
            len(self),
            user=map(self.users.__getitem__, self.user.tolist()),
            event=map(self.events.__getitem__, self.event.tolist()),
            seq=self.seq.tolist(),
            rank=self.rank.tolist(),
            subscriptions=map(self.sets.__getitem__, self.subscriptions.tolist()),
            published=map(times.__getitem__, self.published.tolist()),
            forwarded=map(times.__getitem__, self.forwarded.tolist()),
            window=self.window.tolist(),
            served=repeat(None),
            matched=repeat(None),
            received=repeat(None),
        )
        return made

    @staticmethod
    def joined(parts: "Sequence[DeliveryColumns]") -> "DeliveryColumns":
        """Several, one after the other."""
        parts = [part for part in parts if len(part)] or [_NOTHING]
        users, user = _united([(part.users, part.user) for part in parts])
        events, event = _united([(part.events, part.event) for part in parts])
        sets, subscriptions = _united([(part.sets, part.subscriptions) for part in parts])
        rest = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _PLAIN}
        return DeliveryColumns(users, events, sets, user=user, event=event, subscriptions=subscriptions, **rest)

    def in_order(self) -> "DeliveryColumns":
        """The deliveries by window, user and seq, as in the output of a replay (`Delivery.order`)."""
        names = np.empty(len(self.users), np.int64)
        names[sorted(range(len(self.users)), key=self.users.__getitem__)] = np.arange(len(self.users))
        order = np.lexsort((self.seq, names[self.user], self.window))
        columns = ("user", "event", "subscriptions", *_PLAIN)
        return replace(self, **{name: getattr(self, name)[order] for name in columns})

    def arrow(self) -> "pa.Table":
        """The deliveries as an Arrow table with the field names of `Delivery`, as Spark and Parquet expect."""
        import pyarrow as pa

        from rankcast.language.columns import arrow_schema

        texts = {"user": self.users, "event": self.events, "subscriptions": self.sets}
        schema = arrow_schema(Delivery)
        columns = []
        for column in schema:
            numbers = getattr(self, column.name)
            names = texts.get(column.name)
            if names is None:
                columns.append(pa.array(numbers).view(column.type))  # times are numbers too
            elif len(numbers) < _REPEATING:
                columns.append(pa.array([names[number] for number in numbers.tolist()], column.type))
            else:
                used, places = numbered(numbers)
                distinct = pa.array([names[number] for number in used.tolist()], column.type)
                columns.append(distinct.take(pa.array(places)))
        return pa.Table.from_arrays(columns, schema=schema)


_REPEATING = 1_000
"""From this number of deliveries on, it pays to convert each distinct text only once."""

_PLAIN = ("seq", "rank", "published", "forwarded", "window")
"""The columns that are no indexes."""

_NONE = np.empty(0, np.int64)
_NOTHING = DeliveryColumns((), (), (), _NONE, _NONE, _NONE, np.empty(0), _NONE, _NONE, _NONE, _NONE)


class UserDeliveries(NamedTuple):
    """The deliveries of a batch to one user: the triggering event, the row in the table, and the other fields."""

    trigger: Integers
    row: Integers
    seq: Integers
    rank: Reals
    subscriptions: Integers
    forwarded: Integers
    window: Integers
    sets: Sequence[tuple[str, ...]]


@dataclass(slots=True)
class DeliveryCollector:
    """Collects the deliveries of users in any order, and returns them in delivery order.

    `users` are all users in sorted order; their indexes are their numbers.
    """

    table: EventTable
    users: Sequence[str]
    _receivers: list[Integers] = field(default_factory=list)
    _parts: list[UserDeliveries] = field(default_factory=list)
    _others: list[Delivery] = field(default_factory=list)

    def add(self, user: str, part: UserDeliveries) -> None:
        """Add the deliveries to a user."""
        if len(part.trigger):
            self.add_together(np.full(len(part.trigger), bisect_left(self.users, user)), part)

    def add_together(self, receiver: Integers, part: UserDeliveries) -> None:
        """Add the deliveries to several users, given by number, in order for each."""
        self._receivers.append(receiver)
        self._parts.append(part)

    def add_records(self, user: str, trigger: Integers, deliveries: Sequence[Delivery]) -> None:
        """Add deliveries from the reference engine; the table may not contain their events."""
        beyond = self.table.next_row + len(self._others)
        self._others += deliveries
        self.add(
            user,
            UserDeliveries(
                trigger,
                np.arange(beyond, beyond + len(deliveries)),
                np.array([one.seq for one in deliveries], np.int64),
                np.array([one.rank for one in deliveries], np.float64),
                np.arange(len(deliveries)),
                np.array([microseconds(one.forwarded) for one in deliveries], np.int64),
                np.array([one.window for one in deliveries], np.int64),
                [one.subscriptions for one in deliveries],
            ),
        )

    def deliveries(self) -> DeliveryColumns:
        """All deliveries, by triggering event and then by user."""
        parts = self._parts
        if not parts:
            return _NOTHING
        user = np.concatenate(self._receivers)
        order = np.lexsort((user, np.concatenate([part.trigger for part in parts])))
        rows, event = numbered(np.concatenate([part.row for part in parts])[order])
        known = int(np.searchsorted(rows, self.table.next_row))
        events = self.table.at(rows[:known])
        others = [self._others[place] for place in (rows[known:] - self.table.next_row).tolist()]
        times = [event.time for event in events] + [one.published for one in others]
        sets, subscriptions = _united([(part.sets, part.subscriptions) for part in parts])
        return DeliveryColumns(
            users=self.users,
            events=[event.id for event in events] + [one.event for one in others],
            sets=sets,
            user=user[order],
            event=event,
            seq=np.concatenate([part.seq for part in parts])[order],
            rank=np.concatenate([part.rank for part in parts])[order],
            subscriptions=subscriptions[order],
            published=np.array([microseconds(time) for time in times], np.int64)[event],
            forwarded=np.concatenate([part.forwarded for part in parts])[order],
            window=np.concatenate([part.window for part in parts])[order],
        )


def _united(parts: Sequence[tuple[Sequence[Any], Integers]]) -> tuple[Sequence[Any], Integers]:
    """Lists of values with indexes into each, as one list with the indexes into it.

    If it is the same list everywhere, it stays as it is. Of several, only the values that occur are copied.
    """
    if all(known is parts[0][0] for known, _ in parts):
        return parts[0][0], np.concatenate([numbers for _, numbers in parts])
    values: list[Any] = []
    indexes: list[Integers] = []
    for known, numbers in parts:
        used, places = numbered(numbers)
        indexes.append(places + len(values))
        values += [known[number] for number in used.tolist()]
    return values, np.concatenate(indexes)
