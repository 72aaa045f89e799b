"""The catalog as a log of versions: every change gets a number, and any version can be had again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection, insert, select

from rankcast.errors import CatalogError, StoreError
from rankcast.model import Catalog, Concept, Policy, Record, Subscription
from rankcast.store import catalog_state
from rankcast.store.catalog_cache import CatalogCache
from rankcast.store.catalog_state import KINDS, Step, owner_of, present
from rankcast.store.engine import Database
from rankcast.store.schema import catalog_changes, catalog_versions, microseconds
from rankcast.store.sql import last_number, paged
from rankcast.store.texts import readable, record_of, record_text

__all__ = ["CatalogLog", "Change", "Check", "Decision", "newest_version", "records_of", "remove_user"]

Check: TypeAlias = Callable[[Catalog], None]
"""Refuses a change by an error, having seen the records that it concerns."""
Decision: TypeAlias = tuple[Sequence[Record], Sequence[Record]]
"""What to put, and what to remove."""


class Change(NamedTuple):
    """A record that a version put into the catalog, or removed from it."""

    version: int
    record: Record
    removed: bool


def newest_version(connection: Connection) -> int:
    """The number of the last change; 0 if there was none."""
    return last_number(connection, catalog_versions.c.version)


class CatalogLog:
    """The versions of the catalog."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache = CatalogCache()

    def change(self, put: Iterable[Record], remove: Iterable[Record], check: Check | None = None) -> int:
        """Make one new version, all or nothing; its number.

        The order within `put` and within `remove` does not matter: what a record names comes before it. Removals
        come before puts, but those of concepts last, so that what names them can be replaced in the same change.
        A put of what is there already changes nothing, and a change of nothing makes no version. `check` may refuse the
        change: it gets what the catalog holds at this moment of the records and of their users, while nobody else writes.
        Cost: O(records of the users concerned), but removing a concept that all share looks at all subscriptions.
        """
        puts = [Step(record, record_text(record), removed=False) for record in put]
        removals = list(remove)
        with self._database.writing() as connection:
            if any(isinstance(record, Concept) and record.user is None for record in removals):
                catalog = catalog_state.load(connection)
            else:
                catalog = catalog_state.load_part(connection, [*(step.record for step in puts), *removals])
            if check is not None:
                check(catalog)
            return _change(connection, catalog, puts, removals, microseconds(self._database.clock()))

    def decide(self, user: str, decide: Callable[[Catalog], Decision]) -> int:
        """Make one new version of what `decide` puts and removes of a user, having seen all that the user has; its number.
        Nobody else writes meanwhile."""
        with self._database.writing() as connection:
            catalog = catalog_state.load_part(connection, [Policy(user)])
            put, remove = decide(catalog)
            puts = [Step(record, record_text(record), removed=False) for record in put]
            return _change(connection, catalog, puts, remove, microseconds(self._database.clock()))

    def version(self) -> int:
        """The number of the newest version; 0 is the empty catalog."""
        with self._database.reading() as connection:
            return newest_version(connection)

    def catalog(self, version: int | None) -> Catalog:
        """The catalog as of a version, or the newest; shared, so not to be changed.

        The last few are kept, and a later one is made from them by the changes between. Otherwise, the newest
        is read record by record, an older one by all the changes that led to it.
        """
        with self._database.reading() as connection:
            newest = newest_version(connection)
            wanted = newest if version is None else version
            if not 0 <= wanted <= newest:
                raise StoreError(f"the catalog has no version {wanted}; the newest is {newest}")
            base_version, catalog = self._cache.nearest(wanted)
            if base_version == 0 and wanted == newest:
                catalog = catalog_state.load(connection)
            elif base_version < wanted:
                rows = connection.execute(
                    select(catalog_changes.c.record, catalog_changes.c.removed)
                    .where(catalog_changes.c.version > base_version, catalog_changes.c.version <= wanted)
                    .order_by(catalog_changes.c.number)
                )
                with readable("a change of the catalog"):
                    for row in rows:
                        apply = catalog.remove if row.removed else catalog.put
                        apply(record_of(row.record))
        self._cache.keep(wanted, catalog)
        return catalog

    def part(self, serves: Callable[[str], bool], version: int | None) -> Catalog:
        """The records of some users and those that concern all. Cost: O(all records), but only those are decoded."""
        with self._database.reading() as connection:
            newest = newest_version(connection)
            wanted = newest if version is None else version
            if not 0 <= wanted <= newest:
                raise StoreError(f"the catalog has no version {wanted}; the newest is {newest}")
            if wanted == newest:
                return catalog_state.load_served(connection, serves)
        catalog = Catalog()
        for change in self.changes(0, wanted):
            owner = owner_of(change.record)
            if owner is None or serves(owner):
                (catalog.remove if change.removed else catalog.put)(change.record)
        return catalog

    def changes(self, after: int, up_to: int | None) -> Iterator[Change]:
        """What changed after one version, up to another or to the newest, in an order in which `Catalog.put` and
        `Catalog.remove` take it."""
        query = select(
            catalog_changes.c.number, catalog_changes.c.version, catalog_changes.c.removed, catalog_changes.c.record
        ).where(catalog_changes.c.version > after)
        if up_to is not None:
            query = query.where(catalog_changes.c.version <= up_to)
        for row in paged(self._database, query, catalog_changes.c.number, after=0):
            yield Change(row.version, record_of(row.record), row.removed)


def remove_user(connection: Connection, user: str, now: int) -> int:
    """Remove all records of a user in one new version, within a transaction; how many there were."""
    catalog = catalog_state.load_part(connection, [Policy(user)])
    records = records_of(catalog, user)
    _change(connection, catalog, [], records, now)
    return len(records)


def records_of(catalog: Catalog, user: str) -> list[Record]:
    """All records of a user, but the preferences, which go with the subscriptions that they name."""
    records: list[Record] = [*catalog.subscriptions_of(user)]
    records += [concept for concept in catalog.concepts.values() if concept.user == user]
    if user in catalog.policies:
        records.append(catalog.policies[user])
    return records


def _change(
    connection: Connection, catalog: Catalog, puts: Sequence[Step], removals: Sequence[Record], now: int
) -> int:
    """Apply a change to a catalog, and to the log as a new version; the number of the newest version."""
    version = newest_version(connection)
    steps = list(_steps(catalog, puts, removals))
    if not steps:
        return version
    connection.execute(insert(catalog_versions).values(version=version + 1, changed_at=now))
    first = last_number(connection, catalog_changes.c.number) + 1
    connection.execute(
        insert(catalog_changes),
        [
            {"number": number, "version": version + 1, "removed": step.removed, "record": step.text}
            for number, step in enumerate(steps, first)
        ],
    )
    catalog_state.write(connection, steps, first)
    return version + 1


def _steps(catalog: Catalog, puts: Sequence[Step], removals: Sequence[Record]) -> Iterator[Step]:
    """Apply the change to the catalog; what it did, step by step."""
    for record in sorted(removals, key=_order, reverse=True):
        if not isinstance(record, Concept):
            yield from _removal(catalog, record)
    for step in sorted(puts, key=lambda step: _order(step.record)):
        old = present(catalog, step.record)
        catalog.put(step.record)
        if old != step.record:
            yield step
    for record in removals:
        if isinstance(record, Concept):
            yield from _removal(catalog, record)


def _removal(catalog: Catalog, record: Record) -> Iterator[Step]:
    """Remove a record, and before a subscription the preferences that name it."""
    known = present(catalog, record) or record
    if isinstance(known, Subscription):
        for preference in catalog.preferences_of(known.user):
            if known.id in (preference.prefer, preference.over):
                yield from _removal(catalog, preference)
    catalog.remove(known)
    if isinstance(known, Concept):
        _check_advertisements(catalog, known)
    yield Step(known, record_text(known), removed=True)


def _check_advertisements(catalog: Catalog, removed: Concept) -> None:
    for advertisement in catalog.advertisements.values():
        try:
            catalog.check_expression(advertisement.where)
        except CatalogError:
            raise CatalogError(
                f"concept {removed.name!r} on {removed.attribute!r} is in use by advertisement {advertisement.id!r}"
            ) from None


def _order(record: Record) -> int:
    return KINDS.index(type(record))
