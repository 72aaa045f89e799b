"""The newest catalog as a table, so that a change of one user needs that user's records only."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, select

from rankcast.language import decode_record, dumps
from rankcast.model import Advertisement, Catalog, Concept, Policy, Preference, Record, Subscription, owner_of
from rankcast.store import unreadable
from rankcast.store.audit_log import ChangedRecord
from rankcast.store.schema import catalog_records
from rankcast.store.sql import chunks, put_rows
from rankcast.store.unreadable import UnreadableRecord

__all__ = [
    "KINDS",
    "UNREADABLE",
    "RecordRow",
    "RecordStep",
    "advance",
    "catalog_of",
    "changed_record",
    "delete_rows",
    "load",
    "load_before",
    "load_part",
    "load_served",
    "load_shared",
    "slot_of_text",
    "write",
]

KINDS: tuple[type[Record], ...] = (Concept, Subscription, Policy, Preference, Advertisement)
"""The kinds in an order in which a record only names those before it."""

UNREADABLE = (AttributeError, OverflowError, TypeError, ValueError)
"""What decoding a record raises, and adding it to a catalog that lacks what it names."""

_NAMES = [kind.__name__.lower() for kind in KINDS]
_CHUNK = 500
_SHORT = 500
"""Characters of a record that is worth remembering: with 20,000 of them, some 50 MB at most."""
_IS_SHARED_CONCEPT = (catalog_records.c.kind == "concept") & catalog_records.c.owner.is_(None)
_DELETE = delete(catalog_records).where(
    catalog_records.c.kind == bindparam("of_kind"), catalog_records.c.key == bindparam("of_key")
)


class RecordStep(NamedTuple):
    """One record put or removed, and its text."""

    record: Record
    text: str
    removed: bool


class _Slot(NamedTuple):
    """Where a record stands in the table: one of a kind and key; `owner` is the user whose it is."""

    kind: str
    key: str
    owner: str | None


class RecordRow(NamedTuple):
    """A row of the table `catalog_records`."""

    kind: str
    key: str
    owner: str | None
    arrived: int
    record: str


def load(connection: Connection, left_out: list[UnreadableRecord] | None = None) -> Catalog:
    """The whole catalog; what cannot be read is left out of it and put into `left_out`."""
    return catalog_of(connection.execute(select(catalog_records)).all(), left_out)


def load_shared(connection: Connection) -> Catalog:
    """What an event may name: the concepts that mean the same for everybody, and the advertisements."""
    return catalog_of(_rows(connection, _IS_SHARED_CONCEPT | (catalog_records.c.kind == "advertisement")))


def load_served(
    connection: Connection, serves: Callable[[str], bool], left_out: list[UnreadableRecord] | None = None
) -> Catalog:
    """The records of some users, and those that are nobody's."""
    rows = connection.execute(select(catalog_records))
    return catalog_of((row for row in rows if row.owner is None or serves(row.owner)), left_out)


def load_part(
    connection: Connection, records: Iterable[Record], left_out: list[UnreadableRecord] | None = None
) -> Catalog:
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
    return catalog_of({(row.kind, row.key): row for row in rows}.values(), left_out, _decoded)


def load_before(rows: Iterable[tuple[int, bool, str]], left_out: list[UnreadableRecord]) -> "list[RecordRow]":
    """The rows of the table as they were after changes: number, whether it removed, and the record's text of each, in order.

    A record that does not even say what it is of is put into `left_out`.
    """
    kept: dict[tuple[str, str], RecordRow] = {}
    for number, removed, text in rows:
        slot = slot_of_text(text)
        if slot is None:
            left_out.append(UnreadableRecord("record", str(number), None, text, "it does not say what it is of"))
            continue
        before = kept.get((slot.kind, slot.key))
        if removed:
            kept.pop((slot.kind, slot.key), None)
        else:
            kept[slot.kind, slot.key] = RecordRow(*slot, before.arrived if before is not None else number, text)
    return list(kept.values())


def advance(
    catalog: Catalog, rows: Iterable[tuple[int, bool, str]], serves: Callable[[str], bool] = lambda user: True
) -> bool:
    """Apply the changes of some users, and those that concern all, to a catalog, as `load_before` takes them; False if it has to be made anew, because one cannot be read or bears on
    what was left out. The catalog is then of no use any more."""
    try:
        for _, removed, text in rows:
            record = decode_record(text)
            owner = owner_of(record)
            if owner is not None and not serves(owner):
                continue
            if catalog.incomplete and (owner is None or not catalog.incomplete.isdisjoint((None, owner))):
                return False
            (catalog.remove if removed else catalog.put)(record)
    except UNREADABLE:
        return False
    return True


def write(connection: Connection, steps: Sequence[RecordStep], first: int) -> None:
    """Bring the table up to date with steps of the log, of which the first has that number."""
    unreadable.forget(connection, [(slot.kind, slot.key) for slot in (_slot(step.record) for step in steps)])
    numbered = enumerate(steps, first)
    for removed, run in groupby(numbered, key=lambda pair: pair[1].removed):
        if removed:
            slots = [_slot(step.record) for _, step in run]
            connection.execute(_DELETE, [{"of_kind": slot.kind, "of_key": slot.key} for slot in slots])
        else:
            rows = [{**_slot(step.record)._asdict(), "arrived": number, "record": step.text} for number, step in run]
            put_rows(connection, catalog_records, rows, replace=["record"])


def delete_rows(connection: Connection, slots: Sequence[tuple[str, str]]) -> None:
    """Take records out of the table, by kind and key."""
    connection.execute(_DELETE, [{"of_kind": kind, "of_key": key} for kind, key in slots])
    unreadable.forget(connection, slots)


def _rows(connection: Connection, condition: ColumnElement[bool]) -> list[Row[Any]]:
    return list(connection.execute(select(catalog_records).where(condition)))


def catalog_of(
    rows: "Iterable[Row[Any] | RecordRow]",
    left_out: list[UnreadableRecord] | None = None,
    decode: Callable[[str], Record] = decode_record,
) -> Catalog:
    """The catalog that rows of the table make, without what cannot be read or names what cannot be."""
    in_order = sorted(
        rows, key=lambda row: (_NAMES.index(row.kind) if row.kind in _NAMES else len(_NAMES), row.arrived)
    )
    try:
        return Catalog([decode(row.record) for row in in_order])
    except UNREADABLE:
        catalog, gone = Catalog(), list[UnreadableRecord]()
    for row in in_order:
        try:
            catalog.add(decode_record(row.record))
        except UNREADABLE as error:
            gone.append(UnreadableRecord(row.kind, row.key, row.owner, row.record, str(error)))
    catalog.incomplete = frozenset(one.owner for one in gone)
    if left_out is not None:
        left_out += gone
    return catalog


def changed_record(step: RecordStep) -> ChangedRecord:
    """What the audit trail says of a step."""
    slot = _slot(step.record)
    owner = step.record.publisher if isinstance(step.record, Advertisement) else slot.owner
    return ChangedRecord(slot.kind, slot.key, owner, step.removed)


def _decoded(text: str) -> Record:
    """The record of a text, remembered unless it is long: all that a user has is read with every change of it, while nobody else
    can write."""
    return _remembered(text) if len(text) <= _SHORT else decode_record(text)


@lru_cache(maxsize=20_000)
def _remembered(text: str) -> Record:
    return decode_record(text)


def slot_of_text(text: str) -> _Slot | None:
    """Where a record stands, whether it can be read or not; None if it does not say."""
    try:
        form = json.loads(text)
        match form["kind"]:
            case "subscription":
                return _Slot("subscription", form["id"], form["user"])
            case "preference":
                return _Slot("preference", dumps([form["user"], form["prefer"], form["over"]]), form["user"])
            case "policy":
                return _Slot("policy", form["user"], form["user"])
            case "concept":
                return _Slot("concept", dumps([form["attribute"], form["name"], form.get("user")]), form.get("user"))
            case "advertisement":
                return _Slot("advertisement", form["id"], None)
    except (LookupError, *UNREADABLE):
        pass
    return None


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
