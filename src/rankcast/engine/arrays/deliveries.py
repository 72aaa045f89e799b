"""Deliveries as columns: the output of a batch before objects are needed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Delivery

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DeliveryCollector", "DeliveryColumns", "UserDeliveries"]


@dataclass(frozen=True, slots=True)
class DeliveryColumns:
    """Many deliveries, with a column for each field of `Delivery`; names are indexes into a list.

    Times are microseconds since the Unix epoch. Creating the objects (`records`) costs 2 µs each, the columns a tenth
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
        users, events, sets = self.users, self.events, self.sets
        return [
            Delivery(users[user], events[event], seq, rank, sets[names], times[published], times[forwarded], window)
            for user, event, seq, rank, names, published, forwarded, window in zip(
                self.user.tolist(),
                self.event.tolist(),
                self.seq.tolist(),
                self.rank.tolist(),
                self.subscriptions.tolist(),
                self.published.tolist(),
                self.forwarded.tolist(),
                self.window.tolist(),
                strict=True,
            )
        ]

    def arrow(self) -> "pa.Table":
        """The deliveries as an Arrow table with the field names of `Delivery`, as Spark and Parquet expect."""
        import pyarrow as pa

        from rankcast.language.columns import arrow_schema

        numbered = {"user": self.users, "event": self.events, "subscriptions": self.sets}
        schema = arrow_schema(Delivery)
        columns = []
        for column in schema:
            values = pa.array(getattr(self, column.name))
            names = numbered.get(column.name)
            columns.append(values.cast(column.type) if names is None else pa.array(names, column.type).take(values))
        return pa.Table.from_arrays(columns, schema=schema)


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
    """Collects the deliveries of users in any order, and returns them in delivery order."""

    table: EventTable
    _users: list[str] = field(default_factory=list)
    _receivers: list[Integers] = field(default_factory=list)
    _parts: list[UserDeliveries] = field(default_factory=list)
    _sets: list[tuple[str, ...]] = field(default_factory=list)
    _others: list[Delivery] = field(default_factory=list)

    def add(self, user: str, part: UserDeliveries) -> None:
        """Add the deliveries to a user."""
        if len(part.trigger):
            self.add_together([user], np.zeros(len(part.trigger), np.int64), part)

    def add_together(self, users: Sequence[str], receiver: Integers, part: UserDeliveries) -> None:
        """Add the deliveries to several users, in order for each; `receiver` is the index of the user."""
        self._receivers.append(receiver + len(self._users))
        self._users += users
        self._parts.append(part._replace(subscriptions=part.subscriptions + len(self._sets)))
        self._sets += part.sets

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
            none, no_ranks = np.empty(0, np.int64), np.empty(0)
            return DeliveryColumns((), (), (), none, none, none, no_ranks, none, none, none, none)
        user = np.concatenate(self._receivers)
        order = np.lexsort((_places(self._users)[user], np.concatenate([part.trigger for part in parts])))
        rows, event = np.unique(np.concatenate([part.row for part in parts])[order], return_inverse=True)
        known = int(np.searchsorted(rows, self.table.next_row))
        events = self.table.at(rows[:known])
        others = [self._others[place] for place in (rows[known:] - self.table.next_row).tolist()]
        times = [event.time for event in events] + [one.published for one in others]
        return DeliveryColumns(
            users=self._users,
            events=[event.id for event in events] + [one.event for one in others],
            sets=self._sets,
            user=user[order],
            event=event,
            seq=np.concatenate([part.seq for part in parts])[order],
            rank=np.concatenate([part.rank for part in parts])[order],
            subscriptions=np.concatenate([part.subscriptions for part in parts])[order],
            published=np.array([microseconds(time) for time in times], np.int64)[event],
            forwarded=np.concatenate([part.forwarded for part in parts])[order],
            window=np.concatenate([part.window for part in parts])[order],
        )


def _places(users: Sequence[str]) -> Integers:
    """The rank of each user in sorted order."""
    order = sorted(range(len(users)), key=users.__getitem__)
    places = np.empty(len(users), np.int64)
    places[order] = np.arange(len(users))
    return places
