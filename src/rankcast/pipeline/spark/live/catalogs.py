"""The versions of the catalog as a shard needs them: the records of its users, and the shared ones."""

from collections.abc import Callable
from typing import Protocol

from rankcast.errors import CatalogError, StoreError
from rankcast.language import decode_record
from rankcast.model import Catalog
from rankcast.pipeline.saved_catalog import SavedParts
from rankcast.pipeline.spark.live.homes import ShardHome
from rankcast.store import Store

MAPPED_FROM = 20_000
"""The number of records from which on the index is a file. Fewer are compiled faster than a process starts."""

_KEPT = 3


class OpenStores(dict[str, Store]):
    """The stores that a process has opened, by URL. One is opened when it is first needed."""

    def __missing__(self, url: str) -> Store:
        """Open a store."""
        self[url] = Store.open(url)
        return self[url]


class Catalogs(Protocol):
    """The source of a shard's part of the catalog."""

    def at(self, version: int) -> Catalog:
        """The shard's part of a version. The caller must not change it."""

    def whole(self, version: int) -> Catalog:
        """The whole catalog of a version, to choose recipients among all users. The caller must not change it."""


class StoreCatalogs:
    """Catalogs from a store. The first version is read completely; later ones are made by applying the changes.

    `saved` gives a version in a file up to another, if there is one, which is read faster than the store.
    """

    def __init__(
        self, store: Store, home: ShardHome, saved: Callable[[int], SavedParts | None] = lambda version: None
    ) -> None:
        self._store = store
        self._home = home
        self._saved = saved
        self._kept: dict[int, Catalog] = {}

    def at(self, version: int) -> Catalog:
        """The shard's part of a version. Cost: O(its records)."""
        base = max((known for known in self._kept if known <= version), default=None)
        if base is None:
            catalog = self._first(version)
        elif base == version:
            return self._kept[base]
        else:
            catalog = self._store.catalog_part_after(self._kept[base], base, self._home, version)
        self._kept[version] = catalog
        while len(self._kept) > _KEPT:
            del self._kept[min(self._kept)]
        return catalog

    def whole(self, version: int) -> Catalog:
        """The whole catalog of a version."""
        return self._store.catalog(version)

    def _first(self, version: int) -> Catalog:
        saved = self._saved(version)
        if saved is None:
            return self._store.catalog_part(self._home, version, self._home.among)
        part = saved.part(self._home.shard, self._home.shards)
        if saved.version == version:
            return part
        return self._store.catalog_part_after(part, saved.version, self._home, version)


class MovingCatalog:
    """The whole catalog of a store, which moves from version to version in place. Only the last one asked for counts.

    Going on to a later version costs as much as its changes; an earlier version is read completely.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: tuple[int, Catalog] | None = None

    def at(self, version: int) -> Catalog:
        """The whole catalog of a version."""
        known, self._known = self._known, None  # so that nothing half changed stays
        catalog = self._advanced(*known, version) if known is not None and known[0] <= version else None
        if catalog is None:
            catalog = self._store.catalog_part(lambda user: True, version)
        self._known = version, catalog
        return catalog

    def whole(self, version: int) -> Catalog:
        """The same."""
        return self.at(version)

    def _advanced(self, after: int, catalog: Catalog, version: int) -> Catalog | None:
        """The catalog, changed, or None if it must be read again: records cannot be read, or changes were pruned."""
        if after == version:
            return catalog
        if catalog.incomplete:
            return None
        try:
            for change in self._store.changes(after, version):
                if change.record is None:
                    return None
                (catalog.remove if change.removed else catalog.put)(change.record)
        except (CatalogError, StoreError):
            return None
        return catalog


class FixedCatalog:
    """The same catalog for every version, and the part of some users, by default all."""

    def __init__(self, whole: Catalog, serves: Callable[[str], bool] | None = None) -> None:
        self._whole = whole
        self._part = whole if serves is None else whole.part(serves)

    @classmethod
    def of_lines(cls, lines: bytes, serves: Callable[[str], bool] | None = None) -> "FixedCatalog":
        """The catalog with these records, one line of JSON each."""
        return cls(Catalog([decode_record(line) for line in lines.splitlines()]), serves)

    def at(self, version: int) -> Catalog:
        """The shard's part of the catalog."""
        return self._part

    def whole(self, version: int) -> Catalog:
        """The whole catalog."""
        return self._whole
