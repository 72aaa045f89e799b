"""Brokers of a tree: who this one is, its neighbours and what they said, and where each publication goes."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import uuid4

import sqlalchemy as sql

from rankcast.errors import ModelError, StoreError
from rankcast.model import Event, Reject
from rankcast.plain import JsonObject
from rankcast.store.event_log import append_received
from rankcast.store.pipelines import SPARK, present
from rankcast.store.rejects import keep
from rankcast.store.schema import DatabaseRow, broker_self, events, metadata, required
from rankcast.store.sql import Log, last_number, put_rows, record_of

broker_neighbours = sql.Table(
    "broker_neighbours",
    metadata,
    sql.Column("name", sql.Text, primary_key=True),
    required("number", sql.Integer, comment="in the order of joining"),
    required("is_upstream", sql.Boolean),
    required("lineage", sql.Text),
    required("received", sql.BigInteger, comment="up to here its log was received"),
    required("received_event", sql.Text, comment="the id of the event there; empty if it is not known"),
    required("acknowledged", sql.BigInteger, comment="up to here it has received our log"),
    required("items", sql.Text, comment="the version of the items that it sent; empty if none"),
    required("joined_at", sql.BigInteger),
    comment="The brokers that this one is linked to.",
)

broker_items = sql.Table(
    "broker_items",
    metadata,
    sql.Column("neighbour", sql.Text, primary_key=True),
    sql.Column("key", sql.Text, primary_key=True),
    required("content", sql.Text, comment="JSON"),
    required("known_at", sql.BigInteger, comment="when it was first said; replacing keeps it"),
    comment="What each neighbour said that it needs, and its advertisements.",
)

event_routes = sql.Table(
    "event_routes",
    metadata,
    sql.Column("event_offset", sql.BigInteger, primary_key=True, autoincrement=False),
    required("origin", sql.Text, comment="the neighbour that sent the event; empty if it was published here"),
    sql.Column("advertisement", sql.Text, comment="its name in the tree, if the event is under one"),
    sql.Column(
        "chosen", sql.Text, comment="JSON: the chosen subscriptions, or how many to draw, by neighbour; '' has own ones"
    ),
    comment="Where an event came from, and whom it goes to if it is under an advertisement.",
)

_CHUNK = 500


class BrokerSelf(NamedTuple):
    """The broker that a store belongs to. Events up to `since` were logged before it was one."""

    name: str
    lineage: str
    since: int


class NeighbourRow(NamedTuple):
    """A neighbour: how far its log was received, how far it has received ours, and the version of its items.

    `received_event` is the id of the event at `received`. It shows whether a log that comes back is still the same.
    """

    name: str
    is_upstream: bool
    lineage: str
    received: int
    received_event: str
    acknowledged: int
    items: str
    joined: datetime


class EventRoute(NamedTuple):
    """Where an event came from (empty: published here); under an advertisement, who receives it, by neighbour.

    A neighbour gets the ids of the chosen subscriptions, or the number that it has to draw.
    """

    origin: str
    advertisement: str | None = None
    chosen: Mapping[str, Sequence[str] | int] | None = None


class ReceivedEvent(NamedTuple):
    """An event of a neighbour's log."""

    offset: int
    event: Event
    route: EventRoute


class RoutedText(NamedTuple):
    """An event of the own log as text, with its route if there is one."""

    offset: int
    id: str
    catalog_version: int
    content: str
    route: EventRoute | None


class BrokerLog(Log):
    """What the store of a broker keeps besides its events and its catalog."""

    # this broker

    def self(self) -> BrokerSelf | None:
        """The broker of this store; None if it belongs to no tree."""
        return self._first(sql.select(broker_self), partial(record_of, BrokerSelf))

    def become(self, name: str) -> BrokerSelf:
        """Make this the store of a broker, or check that it is already that of the broker with this name."""
        with self._database.writing() as connection:
            row = connection.execute(sql.select(broker_self)).first()
            served = present(connection)
            if row is None and served is not None and served.engine == SPARK and served.last_batch >= 0:
                raise StoreError(
                    f"the store {self._database.place!r} is served by a pipeline on Spark, so it cannot be that of a broker"
                )
            if row is None:
                since = last_number(connection, events.c.event_offset)
                connection.execute(sql.insert(broker_self).values(id=1, name=name, lineage=uuid4().hex, since=since))
                row = connection.execute(sql.select(broker_self)).one()
            elif row.name != name:
                raise StoreError(
                    f"the store {self._database.place!r} belongs to the broker {row.name!r}, not {name!r}; use that name, "
                    "or another store"
                )
        return BrokerSelf(row.name, row.lineage, row.since)

    def rejoin(self) -> BrokerSelf:
        """Give the store a new lineage, so that neighbours take it for a new broker. Forgets the upstream's position."""
        with self._database.writing() as connection:
            changed = connection.execute(sql.update(broker_self).values(lineage=uuid4().hex))
            if not changed.rowcount:
                raise StoreError(f"the store {self._database.place!r} belongs to no broker")
            upstream = sql.select(broker_neighbours.c.name).where(broker_neighbours.c.is_upstream)
            connection.execute(sql.delete(broker_items).where(broker_items.c.neighbour.in_(upstream)))
            connection.execute(sql.delete(broker_neighbours).where(broker_neighbours.c.is_upstream))
            row = connection.execute(sql.select(broker_self)).one()
        return BrokerSelf(row.name, row.lineage, row.since)

    # neighbours

    def neighbours(self) -> list[NeighbourRow]:
        """All neighbours, in the order of joining."""
        rows = self._all(sql.select(broker_neighbours).order_by(broker_neighbours.c.number))
        return [record_of(NeighbourRow, row) for row in rows]

    def join(
        self, name: str, is_upstream: bool, lineage: str, received: int, acknowledged: int, received_event: str = ""
    ) -> NeighbourRow:
        """Add a neighbour; an upstream replaces another one."""
        with self._database.writing() as connection:
            if is_upstream:
                for other in connection.execute(
                    sql.select(broker_neighbours.c.name).where(broker_neighbours.c.is_upstream)
                ):
                    _forget(connection, other.name)
            _forget(connection, name)
            number = connection.execute(
                sql.select(sql.func.coalesce(sql.func.max(broker_neighbours.c.number), 0) + 1)
            ).scalar_one()
            values = {
                "name": name,
                "number": number,
                "is_upstream": is_upstream,
                "lineage": lineage,
                "received": received,
                "received_event": received_event,
                "acknowledged": acknowledged,
                "items": "",
                "joined_at": self._now(),
            }
            connection.execute(sql.insert(broker_neighbours).values(**values))
            row = connection.execute(sql.select(broker_neighbours).where(broker_neighbours.c.name == name)).one()
        return record_of(NeighbourRow, row)

    def forget(self, name: str) -> bool:
        """Remove a neighbour and what it said. Returns whether there was one."""
        with self._database.writing() as connection:
            return _forget(connection, name)

    def acknowledge(self, name: str, offset: int) -> None:
        """Note that a neighbour has received the own log up to an offset."""
        behind = broker_neighbours.c.name == name, broker_neighbours.c.acknowledged < offset
        self._change(sql.update(broker_neighbours).where(*behind).values(acknowledged=offset))

    # what neighbours said

    def items(self, name: str) -> dict[str, JsonObject]:
        """What a neighbour said, by key."""
        query = sql.select(broker_items.c.key, broker_items.c.content).where(broker_items.c.neighbour == name)
        return {row.key: json.loads(row.content) for row in self._all(query)}

    def contested(self) -> dict[str, list[str]]:
        """The keys that several neighbours use, each with these neighbours, in the order in which they came with it."""
        keys = sql.select(broker_items.c.key).group_by(broker_items.c.key).having(sql.func.count() > 1)
        query = sql.select(broker_items.c.key, broker_items.c.neighbour).where(broker_items.c.key.in_(keys))
        found: dict[str, list[str]] = {}
        with self._database.reading() as connection:
            for row in connection.execute(query.order_by(broker_items.c.known_at, broker_items.c.neighbour)):
                found.setdefault(row.key, []).append(row.neighbour)
        return found

    def change_items(
        self,
        name: str,
        version: str,
        put: Mapping[str, JsonObject],
        removed: Sequence[str],
        whole: bool,
        most: Mapping[str, int],
        keep: Collection[str] = (),
    ) -> None:
        """Take changes of what a neighbour says, in one transaction; `whole` replaces all except `keep`.

        `most` is how many items it may have whose keys begin in one way.
        """
        now = self._now()
        with self._database.writing() as connection:
            _present(connection, name)
            mine = broker_items.c.neighbour == name
            if whole:
                known = connection.execute(sql.select(broker_items.c.key).where(mine)).scalars()
                removed = [key for key in known if key not in put and key not in keep]
            for begin in range(0, len(removed), _CHUNK):
                some = list(removed[begin : begin + _CHUNK])
                connection.execute(sql.delete(broker_items).where(mine, broker_items.c.key.in_(some)))
            rows = [
                {"neighbour": name, "key": key, "content": json.dumps(form), "known_at": now}
                for key, form in put.items()
            ]
            put_rows(connection, broker_items, rows, replace=["content"])
            for begin_of, limit in most.items():
                counted = sql.select(sql.func.count()).where(
                    mine, broker_items.c.key.startswith(begin_of, autoescape=True)
                )
                if connection.execute(counted).scalar_one() > limit:
                    raise ModelError(
                        f"broker {name!r} has more than {limit:,} items whose keys begin with {begin_of!r}"
                    )
            connection.execute(
                sql.update(broker_neighbours).where(broker_neighbours.c.name == name).values(items=version)
            )

    # publications

    def receive(self, name: str, received: Sequence[ReceivedEvent], up_to: int, last: str = "") -> int:
        """Append events of a neighbour's log that are not here yet, up to an offset of its log, in one transaction.

        `last` is the id of the event at that offset. Returns the number of new events. Those that cannot be logged
        here become rejects.
        """
        now = self._now()
        with self._database.writing() as connection:
            row = _present(connection, name)
            new = [one for one in received if one.offset > row.received]
            refused: list[tuple[Event, ModelError]] = []
            receipts = append_received(connection, [one.event for one in new], refused, now)
            routes = {one.event.id: one.route for one in new}
            logged = [receipt for receipt in receipts if not receipt.duplicate]
            _put_routes(connection, {receipt.offset: routes[receipt.id] for receipt in logged})
            bad = [(f"{name} {row.lineage} {event.id}", _reject(name, event, error)) for event, error in refused]
            keep(connection, bad, now)
            if up_to > row.received:
                here = sql.update(broker_neighbours).where(broker_neighbours.c.name == name)
                connection.execute(here.values(received=up_to, received_event=last))
        return len(logged)

    def event_at(self, offset: int) -> str:
        """The id of the event at an offset of the own log; empty if there is none, or none any more."""
        return self._value(sql.select(events.c.id).where(events.c.event_offset == offset)) or ""

    def routed(self, after: int, limit: int) -> list[RoutedText]:
        """The next events of the own log with their routes."""
        joined = events.outerjoin(event_routes, events.c.event_offset == event_routes.c.event_offset)
        query = (
            sql.select(events.c.event_offset, events.c.id, events.c.catalog_version, events.c.content)
            .add_columns(event_routes.c.origin, event_routes.c.advertisement, event_routes.c.chosen)
            .select_from(joined)
            .where(events.c.event_offset > after)
            .order_by(events.c.event_offset)
            .limit(limit)
        )
        return [_routed(row) for row in self._all(query)]

    def advertised_after(self, offset: int) -> list[str]:
        """The advertisements, by their names in the tree, of the events after an offset that have recipients."""
        later = event_routes.c.event_offset > offset, event_routes.c.chosen.is_not(None)
        query = sql.select(event_routes.c.advertisement).where(*later).distinct().order_by(event_routes.c.advertisement)
        return [row[0] for row in self._all(query)]

    def put_routes(self, routes: Mapping[int, EventRoute]) -> None:
        """Store where events go that were published here. A route that is there already stays."""
        if routes:
            with self._database.writing() as connection:
                there = set(_chosen(connection, list(routes)))
                _put_routes(connection, {offset: one for offset, one in routes.items() if offset not in there})

    def chosen(self, offsets: Sequence[int]) -> dict[int, frozenset[str]]:
        """For those of the events that have a route under an advertisement, the own subscriptions that are chosen."""
        with self._database.reading() as connection:
            return _chosen(connection, offsets)


def _chosen(connection: sql.Connection, offsets: Sequence[int]) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    for begin in range(0, len(offsets), _CHUNK):
        part, column = offsets[begin : begin + _CHUNK], event_routes.c.event_offset
        among = column.between(part[0], part[-1]) if isinstance(part, range) else column.in_(part)
        query = sql.select(column, event_routes.c.chosen).where(among, event_routes.c.chosen.is_not(None))
        for row in connection.execute(query):
            found[row.event_offset] = frozenset(json.loads(row.chosen).get("", ()))
    return found


def _put_routes(connection: sql.Connection, routes: Mapping[int, EventRoute]) -> None:
    rows = [
        {
            "event_offset": offset,
            "origin": one.origin,
            "advertisement": one.advertisement,
            "chosen": None if one.chosen is None else json.dumps(one.chosen),
        }
        for offset, one in routes.items()
    ]
    if rows:
        connection.execute(sql.insert(event_routes), rows)


def _present(connection: sql.Connection, name: str) -> DatabaseRow:
    """The row of a neighbour; refused if it was removed meanwhile."""
    row = connection.execute(sql.select(broker_neighbours).where(broker_neighbours.c.name == name)).first()
    if row is None:
        raise StoreError(f"there is no neighbour {name!r} any more")
    return row


def _forget(connection: sql.Connection, name: str) -> bool:
    connection.execute(sql.delete(broker_items).where(broker_items.c.neighbour == name))
    return bool(connection.execute(sql.delete(broker_neighbours).where(broker_neighbours.c.name == name)).rowcount)


def _routed(row: DatabaseRow) -> RoutedText:
    route = None
    if row.origin is not None:
        route = EventRoute(row.origin, row.advertisement, None if row.chosen is None else json.loads(row.chosen))
    return RoutedText(row.event_offset, row.id, row.catalog_version, row.content, route)


def _reject(name: str, event: Event, error: ModelError) -> Reject:
    return Reject(f"broker {name}", 1, str(error), event.id)


def needed_by_neighbours(connection: sql.Connection) -> int | None:
    """The last event that all neighbours have received; None without neighbours. Later events must stay."""
    return connection.execute(sql.select(sql.func.min(broker_neighbours.c.acknowledged))).scalar()


def forget_routes(connection: sql.Connection, after: int, up_to: int) -> None:
    """Delete the routes of events that were deleted."""
    gone = event_routes.c.event_offset.not_in(
        sql.select(events.c.event_offset).where(events.c.event_offset > after, events.c.event_offset <= up_to)
    )
    connection.execute(
        sql.delete(event_routes).where(event_routes.c.event_offset > after, event_routes.c.event_offset <= up_to, gone)
    )
