"""The records of users who have many and change them often, so that a change need not read them all again."""

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection

from rankcast.model import Catalog, Record, owner_of
from rankcast.store.catalog import state as catalog_state
from rankcast.store.unreadable import UnreadableRecord

_USERS = 16
_FEWEST = 100
"""Subscriptions from which on a user's part is kept. Fewer are read in a millisecond."""
_MOST_VERSIONS = 200
"""A part that is further behind is read again. Each version in between costs some 20 µs."""


class VersionRange(NamedTuple):
    """The versions of the catalog whose changes can be read, from the oldest to the newest."""

    oldest: int
    newest: int


class CatalogParts:
    """The parts of the catalog that belong to the last few users with many records. Thread-safe.

    A change needs all records of its user, while no other writer is active. For 10,000 subscriptions, reading them
    takes 65 ms, for which everybody else would wait. A kept part only needs the changes since.
    """

    def __init__(self) -> None:
        self._parts: dict[str, tuple[int, Catalog]] = {}
        self._lock = Lock()

    def take(
        self,
        connection: Connection,
        records: Sequence[Record],
        versions: VersionRange,
        left_out: list[UnreadableRecord],
    ) -> Catalog:
        """The result of `catalog_state.load_part`. The caller may change it, and gives it back with `keep`."""
        owner = _only_owner(records)
        if owner is not None:
            with self._lock:
                version, catalog = self._parts.pop(owner, (0, Catalog()))
            if (
                max(versions.oldest, versions.newest - _MOST_VERSIONS, 1) <= version <= versions.newest
                and catalog_state.advance(
                    catalog, catalog_state.changes(connection, version, versions.newest), owner.__eq__
                )
                and {row.owner for row in catalog_state.rows_like(connection, records)} <= {owner}
            ):
                return catalog
        return catalog_state.load_part(connection, records, left_out)

    def forget(self, records: Sequence[Record]) -> None:
        """Forget the part of these records."""
        with self._lock:
            self._parts.pop(_only_owner(records) or "", None)

    def keep(self, records: Sequence[Record], version: int, catalog: Catalog) -> None:
        """Keep a part as of a version, if it is large, complete, and one user's."""
        owner = _only_owner(records)
        if owner is None or catalog.incomplete or len(catalog.subscriptions_of(owner)) < _FEWEST:
            return
        with self._lock:
            self._parts.pop(owner, None)
            self._parts[owner] = version, catalog
            while len(self._parts) > _USERS:
                del self._parts[next(iter(self._parts))]


def _only_owner(records: Sequence[Record]) -> str | None:
    """The user who owns all these records; None if there are several, or if a record concerns everybody."""
    owners = {owner_of(record) for record in records}
    return owners.pop() if len(owners) == 1 else None
