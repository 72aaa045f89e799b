"""Catalog records that this release cannot read.

They are left out of the catalog, reported, and kept until their owner replaces or deletes them. A record may break
limits that an earlier release did not have, or its file may be damaged. Neither may affect other users.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import BigInteger, Column, Connection, Table, Text, delete, insert, select, tuple_

from rankcast.model import Reject
from rankcast.store import rejects
from rankcast.store.schema import catalog_records, metadata, required

unreadable_records = Table(
    "unreadable_records",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True, comment="as in catalog_records"),
    required("reason", Text),
    required("seen_at", BigInteger),
    comment="The records of the newest catalog that are left out because they cannot be read.",
)


class UnreadableRecord(NamedTuple):
    """A record left out of the catalog: its kind and key, its owner, its text, and why it cannot be read."""

    kind: str
    key: str
    owner: str | None
    text: str
    reason: str

    @property
    def whose(self) -> str | None:
        """The owner of the record; for an advertisement, the publisher if the text names one. None if shared."""
        return self._field("publisher") if self.kind == "advertisement" else self.owner

    def says(self, field: str, value: str) -> bool:
        """Whether the text, as far as it is valid JSON, has this value in this field."""
        return self._field(field) == value

    def _field(self, name: str) -> str | None:
        try:
            form = json.loads(self.text)
        except ValueError:
            return None
        found = form.get(name) if isinstance(form, dict) else None
        return found if isinstance(found, str) else None

    def reject(self) -> tuple[str, Reject]:
        """The record as a reject, with a key that keeps it from being stored twice."""
        return f"catalog {self.kind} {self.key} {self.text}", Reject(f"catalog:{self.kind}", 0, self.reason, self.text)


def known(connection: Connection) -> list[UnreadableRecord]:
    """The unreadable records of the newest catalog, as found when it was last read."""
    of, record = unreadable_records.c, catalog_records.c
    query = (
        select(of.kind, of.key, record.owner, record.record, of.reason)
        .join(catalog_records, (of.kind == record.kind) & (of.key == record.key))
        .order_by(of.kind, of.key)
    )
    return [UnreadableRecord(*row) for row in connection.execute(query)]


def keep(connection: Connection, found: Sequence[UnreadableRecord], now: int) -> None:
    """Replace the unreadable records of the newest catalog, and add them to the rejects."""
    connection.execute(delete(unreadable_records))
    if found:
        rows = [{"kind": one.kind, "key": one.key, "reason": one.reason, "seen_at": now} for one in found]
        connection.execute(insert(unreadable_records), rows)
    keep_rejects(connection, found, now)


def keep_rejects(connection: Connection, found: Iterable[UnreadableRecord], now: int) -> None:
    """Add records to the rejects, each once."""
    rejects.keep(connection, [one.reject() for one in found], now)


def forget(connection: Connection, slots: Iterable[tuple[str, str]]) -> None:
    """Forget records, given by kind and key, that were replaced or removed."""
    if connection.execute(select(unreadable_records.c.kind).limit(1)).first() is not None:
        for slot in slots:
            connection.execute(
                delete(unreadable_records).where(tuple_(unreadable_records.c.kind, unreadable_records.c.key) == slot)
            )
