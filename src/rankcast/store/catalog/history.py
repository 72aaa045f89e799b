"""Compaction of the catalog history: forgetting old versions a few records at a time.

Versions before the oldest retained one can no longer be read. Of the changes up to that version, only the last change
of each record is needed, and the others are deleted. The oldest version is always the result of applying the
remaining changes, so a reader never sees an intermediate state, even during compaction.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, exists, select, update

from rankcast.store.catalog.state import slot_of_text
from rankcast.store.schema import catalog_changes, catalog_versions
from rankcast.store.sql import mark_of, put_mark

_OLDEST = "oldest version of the catalog"


class Compaction(NamedTuple):
    """The compaction of one record: the new text of the change that first put it, and the changes to delete."""

    first: int | None
    text: str
    gone: tuple[int, ...]


def oldest_version(connection: Connection) -> int:
    """The oldest version that can be read; 0 if none was forgotten."""
    return mark_of(connection, _OLDEST) or 0


def set_oldest_version(connection: Connection, version: int) -> None:
    """Set the oldest version that can be read."""
    put_mark(connection, _OLDEST, version)


def forget_versions(connection: Connection, version: int, most: int) -> int:
    """Forget up to `most` versions before `version` that no change refers to. Returns how many were forgotten.

    Runs within the caller's transaction.
    """
    named = exists().where(catalog_changes.c.version == catalog_versions.c.version)
    gone = list(
        connection.execute(
            select(catalog_versions.c.version).where(catalog_versions.c.version < version, ~named).limit(most)
        ).scalars()
    )
    connection.execute(delete(catalog_versions).where(catalog_versions.c.version.in_(gone)))
    return len(gone)


def compactions(connection: Connection, version: int) -> Iterator[Compaction]:
    """The possible compactions of the changes up to the oldest version, record by record."""
    for one in _last(connection, version).values():
        if one.is_removed:
            yield Compaction(None, "", tuple(one.numbers))
        elif len(one.numbers) > 1:
            first = one.first
            yield Compaction(first, one.text, tuple(number for number in one.numbers if number != first))


def compact(connection: Connection, version: int, parts: Sequence[Compaction]) -> int:
    """Apply compactions within the caller's transaction. Returns the number of deleted changes.

    Does nothing if another process has moved the oldest version in the meantime.
    """
    if oldest_version(connection) != version:
        return 0
    gone = [number for part in parts for number in part.gone]
    for part in parts:
        if part.first is not None:
            connection.execute(
                update(catalog_changes).where(catalog_changes.c.number == part.first).values(record=part.text)
            )
    connection.execute(delete(catalog_changes).where(catalog_changes.c.number.in_(gone)))
    return len(gone)


class _Slot:
    """The changes of one record, in order: the first put since the last removal, and the final text."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.first = 0
        self.text = ""
        self.is_removed = True


def _last(connection: Connection, version: int) -> dict[tuple[str, str], _Slot]:
    query = (
        select(catalog_changes.c.number, catalog_changes.c.removed, catalog_changes.c.record)
        .where(catalog_changes.c.version <= version)
        .order_by(catalog_changes.c.number)
    )
    slots: dict[tuple[str, str], _Slot] = {}
    for row in connection.execute(query):
        found = slot_of_text(row.record)
        if found is None:  # The text does not identify its record, so the change stays.
            continue
        slot = slots.setdefault((found.kind, found.key), _Slot())
        slot.numbers.append(row.number)
        if slot.is_removed and not row.removed:
            slot.first = row.number
        slot.text, slot.is_removed = row.record, row.removed
    return slots
