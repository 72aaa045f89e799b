"""The catalog as a log of versions: every change gets a number, and any version still kept can be read again."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection, insert, select

from rankcast.errors import CatalogError, StoreError
from rankcast.language import RecordTexts, decode_record, dumps
from rankcast.model import Advertisement, Catalog, Concept, Policy, Record, Subscription
from rankcast.model.catalog import RECORD_KINDS
from rankcast.store import unreadable
from rankcast.store.audit_log import ChangedRecord, note_records
from rankcast.store.catalog import state as catalog_state
from rankcast.store.catalog.cache import CatalogCache
from rankcast.store.catalog.history import oldest_version
from rankcast.store.catalog.parts import CatalogParts, VersionRange
from rankcast.store.catalog.state import UNREADABLE, RecordRow, RecordStep, changed_record
from rankcast.store.engine import Database
from rankcast.store.schema import DatabaseRow, catalog_changes, catalog_records, catalog_versions
from rankcast.store.sql import Log, copy_rows, last_number, paged
from rankcast.store.texts import record_text
from rankcast.store.unreadable import UnreadableRecord

Check: TypeAlias = Callable[[Catalog], None]
"""A callback that sees the records concerned and raises an error to refuse the change."""
Among: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""Picks some users from all, given as the same list as long as they are the same."""
Decision: TypeAlias = tuple[Sequence[Record], Sequence[Record]]
"""The records to put, and the records to remove."""


class Change(NamedTuple):
    """A record that a version put into the catalog or removed from it. The record is None if it cannot be read."""

    version: int
    record: Record | None
    removed: bool


def newest_version(connection: Connection) -> int:
    """The number of the newest version; 0 if there is none."""
    return last_number(connection, catalog_versions.c.version)


class CatalogLog(Log):
    """The versions of the catalog."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._cache = CatalogCache()
        self._parts = CatalogParts()
        self._owners: tuple[int, list[str]] = (0, [])
        """The users who have records, as of a version."""
        self._texts = RecordTexts()
        """Shared by the parts of that version, whose subscriptions often say the same."""
        self._since: tuple[int, int, dict[tuple[str, str], RecordRow | None] | None] = (0, 0, None)
        """What changed from one version to another: the records as they were before."""
        self._reported: set[UnreadableRecord] = set()
        """The unreadable records that this process has added to the rejects."""

    def change(self, put: Iterable[Record] = (), remove: Iterable[Record] = (), check: Check | None = None) -> int:
        """Apply a change as one new version, all or nothing. Returns the number of the version.

        The order within `put` and within `remove` does not matter: records are applied after the records they name.
        Removals precede puts, except that concepts are removed last. So one change can replace both a concept and the
        records that name it. Putting a record that is already there changes nothing, and a change with no effect
        creates no version.

        `check` may refuse the change. It gets the current records of the users concerned, while no other writer is
        active.

        Cost: O(records of the users concerned); if these are one user's, and many, only the first time (see
        `CatalogParts`). Removing a concept that all users share looks at all subscriptions.
        """
        texts = RecordTexts()
        puts = [RecordStep(record, record_text(record, texts), removed=False) for record in put]
        removals = list(remove)

        def decide(catalog: Catalog) -> tuple[Sequence[RecordStep], Sequence[Record]]:
            if check is not None:
                check(catalog)
            return puts, removals

        return self._decide([*(step.record for step in puts), *removals], removals, decide)

    def decide(self, user: str, decide: Callable[[Catalog], Decision]) -> int:
        """Change the records of a user as one new version. Returns the number of the version.

        `decide` sees all records of the user and returns what to put and what to remove. No other writer is active
        meanwhile.
        """

        def steps(catalog: Catalog) -> tuple[Sequence[RecordStep], Sequence[Record]]:
            put, remove = decide(catalog)
            return [RecordStep(record, record_text(record), removed=False) for record in put], list(remove)

        return self._decide([Policy(user)], (), steps)

    def _decide(
        self,
        concerned: Sequence[Record],
        removals: Sequence[Record],
        decide: Callable[[Catalog], tuple[Sequence[RecordStep], Sequence[Record]]],
    ) -> int:
        is_changing = False
        try:
            with self._database.writing() as connection:
                left_out: list[UnreadableRecord] = []
                versions = _versions(connection)
                if any(isinstance(record, Concept) and record.user is None for record in removals):
                    catalog = catalog_state.load(connection, left_out)
                else:
                    catalog = self._parts.take(connection, concerned, versions, left_out)
                # The next change may begin before this one has returned, and after one that is refused.
                self._parts.keep(concerned, versions.newest, catalog)
                puts, removed = decide(catalog)
                _check_owners(puts, left_out)
                is_changing = True
                version = _change(connection, catalog, puts, removed, self._now())
                self._parts.keep(concerned, version, catalog)
        except BaseException:
            if is_changing:  # what is kept may have changes that were not committed
                self._parts.forget(concerned)
            raise
        return version

    def version(self) -> int:
        """The number of the newest version. Version 0 is the empty catalog."""
        with self._database.reading() as connection:
            return newest_version(connection)

    def changed_at(self, version: int) -> int | None:
        """When a version was made, in microseconds; None if there is no such version any more."""
        found: int | None = self._value(
            select(catalog_versions.c.changed_at).where(catalog_versions.c.version == version)
        )
        return found

    def has_records(self, count: int) -> bool:
        """Whether the newest version has at least so many records."""
        return len(self._all(select(catalog_records.c.kind).limit(count))) == count

    def catalog(self, version: int | None = None) -> Catalog:
        """The catalog as of a version, by default the newest. It is shared, so the caller must not change it.

        The last few catalogs are cached, and a later one is made by applying the changes in between. Otherwise the
        newest is read record by record, and an older one from all the changes that led to it.
        """
        with self._database.reading() as connection:
            newest = newest_version(connection)
            wanted = newest if version is None else version
            oldest = _check_version(connection, wanted, newest)
            base_version, catalog = self._cache.nearest(wanted)
            if base_version < oldest:
                base_version = 0  # The log of changes no longer holds removals before the oldest version.
            left_out: list[UnreadableRecord] | None = None
            if base_version < wanted and (
                (base_version == 0 and (wanted == newest or oldest))
                or not catalog_state.advance(catalog, catalog_state.changes(connection, base_version, wanted))
            ):
                left_out = []
                catalog = self._read(connection, wanted, newest, lambda _: True, None, left_out)
            reported = unreadable.known(connection) if left_out is not None and wanted == newest else None
        if left_out is not None:
            self._report(left_out, reported)
        self._cache.keep(wanted, catalog)
        return catalog

    def keep_catalog(self, version: int, catalog: Catalog) -> None:
        """Use a catalog that was saved elsewhere as that of a version. Nobody may change it from now on."""
        self._cache.keep(version, catalog)

    def unreadable(self) -> list[UnreadableRecord]:
        """The records left out of the newest version because they cannot be read, as found when it was last read."""
        with self._database.reading() as connection:
            return unreadable.known(connection)

    def remove_unreadable(self, kind: str, *names: str | None, owner: str | None = None) -> bool:
        """Delete an unreadable record, and the preferences that name it, in a new version.

        The names are an id, a user, or the attribute, name and user of a concept. Returns whether the record existed
        and, if an owner is given, belonged to that owner.
        """
        key = names[0] if len(names) == 1 else dumps(list(names))
        if key is None:
            return False
        with self._database.writing() as connection:
            catalog_state.load(connection, left_out := list[UnreadableRecord]())
            gone = [one for one in left_out if (one.kind, one.key) == (kind, key) and owner in (None, one.whose)]
            if kind == "subscription":
                gone += [one for one in left_out if one.kind == "preference" and key in json.loads(one.key)[1:]]
            if not gone or (gone[0].kind, gone[0].key) != (kind, key):
                return False
            _remove_unreadable(connection, gone, self._now())
        return True

    def _read(
        self,
        connection: Connection,
        version: int,
        newest: int,
        serves: Callable[[str], bool],
        among: Among | None,
        left_out: list[UnreadableRecord],
    ) -> Catalog:
        """Read a version record by record, leaving out what cannot be read."""
        if among is not None:
            if self._owners[0] != newest:
                self._owners, self._texts = (newest, catalog_state.owners(connection)), RecordTexts()
            if self._since[:2] != (version, newest):
                self._since = version, newest, catalog_state.changed_since(connection, version, newest)
            if (changed := self._since[2]) is not None:
                kept: list[DatabaseRow | RecordRow] = [
                    row
                    for row in catalog_state.users_rows(connection, among(self._owners[1]))
                    if (row.kind, row.key) not in changed
                ]
                kept += [row for row in changed.values() if row and (row.owner is None or serves(row.owner))]
                return catalog_state.catalog_of(kept, left_out, self._texts.decode)
        if version == newest:
            return catalog_state.load_served(connection, serves, left_out)
        rows = catalog_state.load_before(catalog_state.changes(connection, 0, version), left_out)
        return catalog_state.catalog_of((row for row in rows if row.owner is None or serves(row.owner)), left_out)

    def _report(self, left_out: Sequence[UnreadableRecord], reported: Sequence[UnreadableRecord] | None) -> None:
        """Store the records that were left out, so that people can see them.

        `reported` are those already stored for the newest version, or None if another version was read.
        """
        is_new = [one for one in left_out if one not in self._reported]
        if not is_new and (reported is None or list(reported) == sorted(left_out)):
            return
        self._reported.update(is_new)
        with suppress(StoreError), self._database.writing() as connection:  # a process that may only read goes on
            now = self._now()
            if reported is None:
                unreadable.keep_rejects(connection, is_new, now)
            else:
                unreadable.keep(connection, left_out, now)

    def catalog_part(
        self, serves: Callable[[str], bool], version: int | None = None, among: Among | None = None
    ) -> Catalog:
        """The records of some users and the shared ones, as of a version. A separate copy. Cost: O(all records), but only these are decoded.

        With `among`, which picks these users from all, it costs as much as their records. For an older version, the
        first part costs O(all changes), and further ones do not.
        """
        with self._database.reading() as connection:
            newest = newest_version(connection)
            wanted = newest if version is None else version
            _check_version(connection, wanted, newest)
            left_out: list[UnreadableRecord] = []
            catalog = self._read(connection, wanted, newest, serves, among, left_out)
        if left_out:
            self._report(left_out, None)
        return catalog

    def user_catalog(self, user: str, version: int) -> Catalog:
        """The records of one user and the shared ones, as of a version. A separate copy.

        Cost: O(the records of the user and the changes since); if one of these records has changed since, O(all records).
        """
        with self._database.reading() as connection:
            newest = newest_version(connection)
            _check_version(connection, version, newest)
            later = [
                catalog_state.slot_of_text(text) for *_, text in catalog_state.changes(connection, version, newest)
            ]
            if all(slot is not None and slot.owner not in (None, user) for slot in later):
                return catalog_state.load_user(connection, user)
        return self.catalog_part(user.__eq__, version)

    def catalog_part_after(self, base: Catalog, after: int, serves: Callable[[str], bool], version: int) -> Catalog:
        """Like `catalog_part`, for a later version, based on the result for an earlier one. `base` is not changed.

        It is the result if no change concerns the part.
        """
        with self._database.reading() as connection:
            is_pruned = after < oldest_version(connection)
            rows = catalog_state.changes(connection, after, version)
        owners = [slot and slot.owner for slot in (catalog_state.slot_of_text(text) for *_, text in rows)]
        if not is_pruned and all(owner is not None and not serves(owner) for owner in owners):
            return base
        catalog = base.copy()
        if not is_pruned and catalog_state.advance(catalog, rows, serves):
            return catalog
        return self.catalog_part(serves, version)

    def changes(self, after: int, up_to: int | None = None) -> Iterator[Change]:
        """The changes after one version, up to another or to the newest.

        `Catalog.put` and `Catalog.remove` accept them in this order. After version 0, the changes that led to the
        oldest retained version are reported as changes of that version.
        """
        with self._database.reading() as connection:
            oldest = oldest_version(connection)
            base = list[Record]()
            if 0 < after < oldest:
                raise StoreError(
                    f"the changes of the catalog after version {after} were pruned; the oldest version that is kept is {oldest}"
                )
            if oldest and after == 0 and (up_to is None or up_to >= oldest):
                base += catalog_state.catalog_of(
                    catalog_state.load_before(catalog_state.changes(connection, 0, oldest), [])
                ).records()
        for each in base:
            yield Change(oldest, each, removed=False)
        after = max(after, oldest)
        query = select(
            catalog_changes.c.number, catalog_changes.c.version, catalog_changes.c.removed, catalog_changes.c.record
        ).where(catalog_changes.c.version > after)
        if up_to is not None:
            query = query.where(catalog_changes.c.version <= up_to)
        for row in paged(self._database, query, catalog_changes.c.number, after=0):
            try:
                record: Record | None = decode_record(row.record)
            except UNREADABLE:
                record = None
            yield Change(row.version, record, row.removed)


def remove_user(connection: Connection, user: str, now: int) -> int:
    """Remove all records of a user in one new version, within the caller's transaction. Returns their number."""
    left_out: list[UnreadableRecord] = []
    catalog = catalog_state.load_part(connection, [Policy(user)], left_out)
    records = records_of(catalog, user)
    _change(connection, catalog, [], records, now)
    mine = [one for one in left_out if one.owner == user]
    if mine:
        _remove_unreadable(connection, mine, now)
    return len(records) + len(mine)


def records_of(catalog: Catalog, user: str) -> list[Record]:
    """All records of a user except preferences, which are removed together with the subscriptions they name."""
    records: list[Record] = [*catalog.subscriptions_of(user)]
    records += [concept for concept in catalog.concepts.values() if concept.user == user]
    if user in catalog.policies:
        records.append(catalog.policies[user])
    return records


def _change(
    connection: Connection, catalog: Catalog, puts: Sequence[RecordStep], removals: Sequence[Record], now: int
) -> int:
    """Apply a change to a catalog and append it to the log as a new version. Returns the newest version."""
    steps = list(_steps(catalog, puts, removals))
    if not steps:
        return newest_version(connection)
    version, first = _append_version(connection, [(step.removed, step.text) for step in steps], now)
    catalog_state.write(connection, steps, first)
    note_records(connection, now, map(changed_record, steps))
    return version


def _remove_unreadable(connection: Connection, gone: Sequence[UnreadableRecord], now: int) -> None:
    """Remove unreadable records in a new version."""
    _append_version(connection, [(True, one.text) for one in gone], now)
    catalog_state.delete_rows(connection, [(one.kind, one.key) for one in gone])
    note_records(connection, now, [ChangedRecord(one.kind, one.key, one.whose, removed=True) for one in gone])


def _append_version(connection: Connection, changes: Sequence[tuple[bool, str]], now: int) -> tuple[int, int]:
    """Append changes (whether it is a removal, and the text) as a version. Returns it and its first number."""
    version, first = newest_version(connection) + 1, last_number(connection, catalog_changes.c.number) + 1
    connection.execute(insert(catalog_versions).values(version=version, changed_at=now))
    rows: list[tuple[object, ...]] = [(number, version, *change) for number, change in enumerate(changes, first)]
    copy_rows(connection, catalog_changes, ["number", "version", "removed", "record"], rows)
    return version, first


def _versions(connection: Connection) -> VersionRange:
    return VersionRange(oldest_version(connection), newest_version(connection))


def _check_version(connection: Connection, wanted: int, newest: int) -> int:
    """Check that a version exists and is still kept. Returns the oldest version that is kept."""
    oldest = oldest_version(connection)
    if not 0 <= wanted <= newest:
        raise StoreError(f"the catalog has no version {wanted}; the newest is {newest}")
    if wanted < oldest:
        raise StoreError(f"version {wanted} of the catalog was pruned; the oldest that is kept is {oldest}")
    return oldest


def _check_owners(puts: Sequence[RecordStep], left_out: Sequence[UnreadableRecord]) -> None:
    """Refuse to replace a record of another user, even an unreadable one."""
    owners = {(one.kind, one.key): one.owner for one in left_out}
    for step in puts:
        if isinstance(step.record, Subscription):
            owner = owners.get(("subscription", step.record.id), step.record.user)
            if owner != step.record.user:
                raise CatalogError(f"subscription {step.record.id!r} belongs to another user, {owner!r}")
        if isinstance(step.record, Advertisement):
            for one in left_out:
                if (one.kind, one.key) == ("advertisement", step.record.id) and not one.says(
                    "publisher", step.record.publisher
                ):
                    raise CatalogError(
                        f"advertisement {step.record.id!r} cannot be read, and may be another publisher's"
                    )


def _steps(catalog: Catalog, puts: Sequence[RecordStep], removals: Sequence[Record]) -> Iterator[RecordStep]:
    """Apply the change to the catalog, and yield each step that it took."""
    for record in sorted(removals, key=_order, reverse=True):
        if not isinstance(record, Concept):
            yield from _removal(catalog, record)
    for step in sorted(puts, key=lambda step: _order(step.record)):
        old = catalog.current(step.record)
        catalog.put(step.record)
        if old != step.record:
            # A record that was left out has a row all the same.
            yield step._replace(is_new=old is None and not catalog.incomplete)
    for record in removals:
        if isinstance(record, Concept):
            yield from _removal(catalog, record)


def _removal(catalog: Catalog, record: Record) -> Iterator[RecordStep]:
    """Remove a record. The preferences that name a subscription are removed before it."""
    known = catalog.current(record) or record
    if isinstance(known, Subscription):
        for preference in catalog.preferences_of(known.user):
            if known.id in (preference.prefer, preference.over):
                yield from _removal(catalog, preference)
    catalog.remove(known)
    if isinstance(known, Concept):
        _check_advertisements(catalog, known)
    yield RecordStep(known, record_text(known), removed=True)


def _check_advertisements(catalog: Catalog, removed: Concept) -> None:
    for advertisement in catalog.advertisements.values():
        try:
            catalog.check_expression(advertisement.where)
        except CatalogError:
            raise CatalogError(
                f"concept {removed.name!r} on {removed.attribute!r} is in use by advertisement {advertisement.id!r}"
            ) from None


def _order(record: Record) -> int:
    return RECORD_KINDS.index(type(record))
