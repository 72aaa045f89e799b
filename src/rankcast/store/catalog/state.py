"""The newest catalog as a table, so that a change reads only the records of the users concerned."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, select

from rankcast.language import RecordTexts, decode_record, dumps
from rankcast.model import Advertisement, Catalog, Concept, Policy, Preference, Record, Subscription, owner_of
from rankcast.model.catalog import RECORD_KINDS
from rankcast.plain import JsonObject
from rankcast.store import unreadable
from rankcast.store.audit_log import ChangedRecord
from rankcast.store.schema import DatabaseRow, catalog_changes, catalog_records
from rankcast.store.sql import chunks, copy_rows, put_rows
from rankcast.store.unreadable import UnreadableRecord

UNREADABLE = (AttributeError, OverflowError, TypeError, ValueError)
"""The errors raised by decoding a record, or by adding it to a catalog that lacks a record it names."""

_NAMES = [kind.__name__.lower() for kind in RECORD_KINDS]
_CHUNK = 500
_MANY = 5_000
_SHORT = 500
"""Maximum number of characters of a cached record. 20,000 cached records take about 50 MB at most."""
_IS_SHARED_CONCEPT = (catalog_records.c.kind == "concept") & catalog_records.c.owner.is_(None)
_DELETE = delete(catalog_records).where(
    catalog_records.c.kind == bindparam("of_kind"), catalog_records.c.key == bindparam("of_key")
)


class RecordStep(NamedTuple):
    """One record that was put or removed, with its text. `is_new` means that the table certainly has no row of it."""

    record: Record
    text: str
    removed: bool
    is_new: bool = False


class _Slot(NamedTuple):
    """The position of a record in the table: kind and key identify it, and `owner` is its user."""

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
    """Load the whole catalog. Records that cannot be read are left out and added to `left_out`."""
    return load_served(connection, lambda user: True, left_out)


def load_shared(connection: Connection) -> Catalog:
    """Load the records that an event may refer to: the concepts shared by all users, and the advertisements."""
    return catalog_of(_rows(connection, _IS_SHARED_CONCEPT | (catalog_records.c.kind == "advertisement")))


def load_served(
    connection: Connection, serves: Callable[[str], bool], left_out: list[UnreadableRecord] | None = None
) -> Catalog:
    """Load the records of some users, and the records without an owner."""
    rows = connection.execute(select(catalog_records))
    of_served = (row for row in rows if row.owner is None or serves(row.owner))
    return catalog_of(of_served, left_out, RecordTexts().decode)


def users_rows(connection: Connection, users: Iterable[str]) -> list[DatabaseRow]:
    """The rows of these users, and the rows without an owner. Cost: O(these rows)."""
    rows = _rows(connection, catalog_records.c.owner.is_(None))
    for chunk in chunks(iter(users), _CHUNK):
        rows += _rows(connection, catalog_records.c.owner.in_(chunk))
    return rows


def changed_since(
    connection: Connection, version: int, newest: int
) -> "dict[tuple[str, str], RecordRow | None] | None":
    """The records that changed after a version, by kind and key, as they were then; None for those that did not exist.

    Cost: O(all changes). None if it is not known what changed, because a change does not identify its record.
    """
    kept: dict[tuple[str, str], RecordRow | None] = {}
    for _, _, text in changes(connection, version, newest):
        slot = slot_of_text(text)
        if slot is None:
            return None
        kept[slot.kind, slot.key] = None
    if kept:
        for number, removed, text in changes(connection, 0, version):
            slot = slot_of_text(text)
            if slot is not None and (place := (slot.kind, slot.key)) in kept:
                before = kept[place]
                kept[place] = None if removed else RecordRow(*slot, number if before is None else before.arrived, text)
    return kept


def owners(connection: Connection) -> list[str]:
    """The users who own records. Cost: O(all records), but no record is read."""
    return [*connection.scalars(select(catalog_records.c.owner).where(catalog_records.c.owner.is_not(None)).distinct())]


def load_user(connection: Connection, user: str) -> Catalog:
    """Load the records of one user, and the records without an owner. Cost: O(these records)."""
    return catalog_of(_rows(connection, (catalog_records.c.owner == user) | catalog_records.c.owner.is_(None)), [])


def load_part(
    connection: Connection, records: Iterable[Record], left_out: list[UnreadableRecord] | None = None
) -> Catalog:
    """Load a part of the catalog that accepts or refuses a change of these records exactly as the whole would.

    It contains the records themselves, all records of the users concerned (including users who already own one of the
    ids), the shared concepts, and all advertisements. Cost: O(records of those users). For many records, it is the
    whole catalog, which is read faster.
    """
    records = list(records)
    if len(records) >= _MANY and len(records) >= _size(connection) // 4:
        return load(connection, left_out)
    slots = [_slot(record) for record in records]
    rows = _rows(connection, _IS_SHARED_CONCEPT)
    if any(slot.kind == "advertisement" for slot in slots):
        rows += _rows(connection, catalog_records.c.kind == "advertisement")
    rows += rows_like(connection, records)
    owners = dict.fromkeys([*(slot.owner for slot in slots), *(row.owner for row in rows)])
    owners.pop(None, None)
    for chunk in chunks(iter(owners), _CHUNK):
        rows += _rows(connection, catalog_records.c.owner.in_(chunk))
    return catalog_of({(row.kind, row.key): row for row in rows}.values(), left_out, _decoded)


def rows_like(connection: Connection, records: Iterable[Record]) -> list[DatabaseRow]:
    """The rows with the kind and key of one of these records, whoever owns them."""
    slots, rows = [_slot(record) for record in records], list[DatabaseRow]()
    for kind in _NAMES:
        keys = dict.fromkeys(slot.key for slot in slots if slot.kind == kind)
        for chunk in chunks(iter(keys), _CHUNK):
            rows += _rows(connection, (catalog_records.c.kind == kind) & catalog_records.c.key.in_(chunk))
    return rows


def load_before(rows: Iterable[tuple[int, bool, str]], left_out: list[UnreadableRecord]) -> "list[RecordRow]":
    """Rebuild the rows of the table from changes: number, whether it is a removal, and the record's text, in order.

    A record that does not identify itself is added to `left_out`.
    """
    kept: dict[tuple[str, str], RecordRow] = {}
    for number, removed, text in rows:
        slot = slot_of_text(text)
        if slot is None:
            left_out.append(UnreadableRecord("record", str(number), None, str(text), "it does not say what it is of"))
            continue
        before = kept.get((slot.kind, slot.key))
        if removed:
            kept.pop((slot.kind, slot.key), None)
        else:
            kept[slot.kind, slot.key] = RecordRow(*slot, before.arrived if before is not None else number, text)
    return list(kept.values())


def changes(connection: Connection, after: int, up_to: int) -> list[tuple[int, bool, str]]:
    """The changes after one version up to another: number, whether it is a removal, and the record's text."""
    query = (
        select(catalog_changes.c.number, catalog_changes.c.removed, catalog_changes.c.record)
        .where(catalog_changes.c.version > after, catalog_changes.c.version <= up_to)
        .order_by(catalog_changes.c.number)
    )
    return [(row.number, row.removed, row.record) for row in connection.execute(query)]


def advance(
    catalog: Catalog, rows: Iterable[tuple[int, bool, str]], serves: Callable[[str], bool] = lambda user: True
) -> bool:
    """Apply changes, given as in `load_before`, to a catalog: those of some users, and those without an owner.

    Returns False if a change cannot be read or concerns records that were left out. The caller must then discard the
    catalog and load it again.
    """
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
    """Update the table with steps of the log. `first` is the number of the first step."""
    unreadable.forget(connection, ((slot.kind, slot.key) for slot in (_slot(step.record) for step in steps)))
    numbered = enumerate(steps, first)
    for removed, run in groupby(numbered, key=lambda pair: pair[1].removed):
        if removed:
            slots = [_slot(step.record) for _, step in run]
            connection.execute(_DELETE, [{"of_kind": slot.kind, "of_key": slot.key} for slot in slots])
        else:
            new, rest = list[tuple[object, ...]](), list[JsonObject]()
            for number, step in run:
                row = RecordRow(*_slot(step.record), number, step.text)
                if step.is_new:
                    new.append(row)
                else:
                    rest.append(row._asdict())
            copy_rows(connection, catalog_records, RecordRow._fields, new)
            put_rows(connection, catalog_records, rest, replace=["record"])


def delete_rows(connection: Connection, slots: Sequence[tuple[str, str]]) -> None:
    """Delete records from the table, by kind and key."""
    connection.execute(_DELETE, [{"of_kind": kind, "of_key": key} for kind, key in slots])
    unreadable.forget(connection, slots)


def _size(connection: Connection) -> int:
    return int(connection.execute(select(func.count()).select_from(catalog_records)).scalar_one())


def _rows(connection: Connection, condition: ColumnElement[bool]) -> list[DatabaseRow]:
    return list(connection.execute(select(catalog_records).where(condition)))


def catalog_of(
    rows: "Iterable[DatabaseRow | RecordRow]",
    left_out: list[UnreadableRecord] | None = None,
    decode: Callable[[str], Record] = decode_record,
) -> Catalog:
    """Build a catalog from rows of the table. Unreadable records, and records that name them, are left out."""
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
            gone.append(UnreadableRecord(str(row.kind), str(row.key), row.owner, str(row.record), str(error)))
    catalog.incomplete = frozenset(one.owner for one in gone)
    if left_out is not None:
        left_out += gone
    return catalog


def changed_record(step: RecordStep) -> ChangedRecord:
    """Describe a step for the audit trail."""
    slot = _slot(step.record)
    owner = step.record.publisher if isinstance(step.record, Advertisement) else slot.owner
    return ChangedRecord(slot.kind, slot.key, owner, step.removed)


def _decoded(text: str) -> Record:
    """Decode a record, and cache it unless it is long.

    Every change of a user's records decodes all of them while it blocks other writers.
    """
    return _remembered(text) if len(text) <= _SHORT else decode_record(text)


@lru_cache(maxsize=20_000)
def _remembered(text: str) -> Record:
    return decode_record(text)


def slot_of_text(text: str) -> _Slot | None:
    """The position of a record, whether it can be read or not; None if the text does not identify it."""
    try:
        form = _quickly(text)
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


def _quickly(text: str) -> JsonObject:
    """Read JSON, as `json.loads` does."""
    form: JsonObject
    try:
        form = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):  # NaN, infinity, or nothing that can be read
        form = json.loads(text)
    return form


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
