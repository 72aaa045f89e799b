"""A cache of the catalogs of the last few versions."""

from threading import Lock

from rankcast.model import Catalog


class CatalogCache:
    """Catalogs by version. The least recently used one is dropped first. Thread-safe.

    Three entries are enough while one thread processes old events and another changes the newest version. A catalog
    that was handed out never changes: a later version starts from a copy.
    """

    def __init__(self, size: int = 3) -> None:
        self._size = size
        self._catalogs: dict[int, Catalog] = {}
        self._lock = Lock()

    def nearest(self, version: int) -> tuple[int, Catalog]:
        """The cached catalog of a version, or a copy of the latest cached one before it, with its version."""
        with self._lock:
            base = max((kept for kept in self._catalogs if kept <= version), default=0)
            catalog = self._catalogs.get(base)
        if catalog is None:
            return 0, Catalog()
        return base, catalog if base == version else catalog.copy()

    def keep(self, version: int, catalog: Catalog) -> None:
        """Cache a catalog as the most recently used one."""
        with self._lock:
            self._catalogs.pop(version, None)
            self._catalogs[version] = catalog
            while len(self._catalogs) > self._size:
                del self._catalogs[next(iter(self._catalogs))]
