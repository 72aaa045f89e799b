"""The newest catalog as a table, so that a change of one user needs that user's records only."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, select

from rankcast.language import dumps
from rankcast.model import Advertisement, Catalog, Concept, Policy, Preference, Record, Subscription
from rankcast.store.schema import catalog_records
from rankcast.store.sql import chunks, put_rows
from rankcast.store.texts import readable, record_of

__all__ = ["KINDS", "Step", "load", "load_part", "load_served", "load_shared", "owner_of", "present", "write"]

KINDS: tuple[type[Record], ...] = (Concept, Subscription, Policy, Preference, Advertisement)
"""The kinds in an order in which a record only names those before it."""

_NAMES = [kind.__name__.lower() for kind in KINDS]
_CHUNK = 500
_IS_SHARED_CONCEPT = (catalog_records.c.kind == "concept") & catalog_records.c.owner.is_(None)
_DELETE = delete(catalog_records).where(
    catalog_records.c.kind == bindparam("of_kind"), catalog_records.c.key == bindparam("of_key")
)


class Step(NamedTuple):
    """One record put or removed, and its text."""

    record: Record
    text: str
    removed: bool


class _Slot(NamedTuple):
    """Where a record stands in the table: one of a kind and key; `owner` is the user whose it is."""

    kind: str
    key: str
    owner: str | None


def load(connection: Connection) -> Catalog:
    """The whole catalog."""
    return _catalog(connection.execute(select(catalog_records)).all())


def load_shared(connection: Connection) -> Catalog:
    """What an event may name: the concepts that mean the same for everybody, and the advertisements."""
    return _catalog(_rows(connection, _IS_SHARED_CONCEPT | (catalog_records.c.kind == "advertisement")))


def load_served(connection: Connection, serves: Callable[[str], bool]) -> Catalog:
    """The records of some users, and those that are nobody's."""
    rows = connection.execute(select(catalog_records))
    return _catalog(row for row in rows if row.owner is None or serves(row.owner))


def load_part(connection: Connection, records: Iterable[Record]) -> Catalog:
    """A part of the catalog that takes or refuses a change of these records just as the whole would.

    That is all of the users concerned (also those to whom an id belongs already), the concepts they share, and
    the records themselves; of advertisements, all. Cost: O(the users' records).
    """
    slots = [_slot(record) for record in records]
    rows = _rows(connection, _IS_SHARED_CONCEPT)
    if any(slot.kind == "advertisement" for slot in slots):
        rows += _rows(connection, catalog_records.c.kind == "advertisement")
    for kind in _NAMES:
        keys = dict.fromkeys(slot.key for slot in slots if slot.kind == kind)
        for chunk in chunks(iter(keys), _CHUNK):
            rows += _rows(connection, (catalog_records.c.kind == kind) & catalog_records.c.key.in_(chunk))
    owners = dict.fromkeys([*(slot.owner for slot in slots), *(row.owner for row in rows)])
    owners.pop(None, None)
    for chunk in chunks(iter(owners), _CHUNK):
        rows += _rows(connection, catalog_records.c.owner.in_(chunk))
    return _catalog({(row.kind, row.key): row for row in rows}.values())


def present(catalog: Catalog, record: Record) -> Record | None:
    """The record of the catalog that has this one's id (or user, or name)."""
    match record:
        case Subscription():
            return catalog.subscriptions.get(record.id)
        case Preference():
            return record if record in catalog.preferences_of(record.user) else None
        case Policy():
            return catalog.policies.get(record.user)
        case Concept():
            return catalog.concepts.get((record.attribute, record.name, record.user))
        case Advertisement():
            return catalog.advertisements.get(record.id)


def owner_of(record: Record) -> str | None:
    """The user whose record it is; None if it concerns all."""
    return _slot(record).owner


def write(connection: Connection, steps: Sequence[Step], first: int) -> None:
    """Bring the table up to date with steps of the log, of which the first has that number."""
    numbered = enumerate(steps, first)
    for removed, run in groupby(numbered, key=lambda pair: pair[1].removed):
        if removed:
            slots = [_slot(step.record) for _, step in run]
            connection.execute(_DELETE, [{"of_kind": slot.kind, "of_key": slot.key} for slot in slots])
        else:
            rows = [{**_slot(step.record)._asdict(), "arrived": number, "record": step.text} for number, step in run]
            put_rows(connection, catalog_records, rows, replace=["record"])


def _rows(connection: Connection, condition: ColumnElement[bool]) -> list[Row[Any]]:
    return list(connection.execute(select(catalog_records).where(condition)))


def _catalog(rows: Iterable[Row[Any]]) -> Catalog:
    with readable("the catalog"):
        in_order = sorted(rows, key=lambda row: (_NAMES.index(row.kind), row.arrived))
        return Catalog([record_of(row.record) for row in in_order])


def _slot(record: Record) -> _Slot:
    match record:
        case Subscription():
            return _Slot("subscription", record.id, record.user)
        case Preference():
            return _Slot("preference", dumps([record.user, record.prefer, record.over]), record.user)
        case Policy():
            return _Slot("policy", record.user, record.user)
        case Concept():
            return _Slot("concept", dumps([record.attribute, record.name, record.user]), record.user)
        case Advertisement():
            return _Slot("advertisement", record.id, None)
