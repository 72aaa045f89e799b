from catalog_records import likes

from rankcast.model import Catalog, Preference
from rankcast.store.catalog.cache import CatalogCache


def test_an_empty_cache_gives_the_empty_catalog():
    version, catalog = CatalogCache().nearest(7)
    assert version == 0
    assert list(catalog.records()) == []


def test_a_kept_version_is_the_same_object():
    cache, catalog = CatalogCache(), Catalog([likes("s1")])
    cache.keep(3, catalog)
    assert cache.nearest(3) == (3, catalog)


def test_a_later_version_starts_from_a_copy_and_an_earlier_one_from_nothing():
    cache = CatalogCache()
    kept = Catalog([likes("s1"), likes("s2"), Preference("ann", "s1", "s2")])
    before = list(kept.records())
    cache.keep(3, kept)
    version, copy = cache.nearest(5)
    assert version == 3
    assert list(copy.records()) == before
    copy.put(likes("s3"))
    copy.put(Preference("ann", "s2", "s3"))
    copy.remove(likes("s1"))
    assert list(kept.records()) == before
    assert kept.preferences_of("ann") == [Preference("ann", "s1", "s2")]
    assert cache.nearest(2)[0] == 0


def test_the_least_recently_used_leaves_first():
    cache = CatalogCache(size=2)
    catalogs = [Catalog() for _ in range(4)]
    for version in (1, 2, 1, 3):
        cache.keep(version, catalogs[version])
    assert cache.nearest(1)[1] is catalogs[1]
    assert cache.nearest(3)[1] is catalogs[3]
    assert cache.nearest(2)[0] == 1
