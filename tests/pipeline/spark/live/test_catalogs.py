"""The catalogs of the live pipeline are those of the store, version by version."""

import random

import pytest
from sqlalchemy import update

from rankcast.language import parse
from rankcast.model import Concept, LeftShoulder, Policy, Preference, Subscription
from rankcast.pipeline.saved_catalog import SavedParts, write
from rankcast.pipeline.spark.live.catalogs import MovingCatalog, StoreCatalogs
from rankcast.pipeline.spark.live.homes import UserHomes
from rankcast.store import Store, schema


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=[*world.records(), Concept("low", "price", LeftShoulder(10, 20))])
        for put, remove in world.changes(store):
            store.change(put, remove)
        cheap = Subscription("cheap", "user2", parse("price is low"), 0.8)
        store.change(put=[cheap, Policy("user7")])
        store.change(put=[Subscription("s2", "user2", parse("x > 9"), None), Preference("user2", "cheap", "t2")])
        store.change(put=[Concept("low", "price", LeftShoulder(1, 2))])
        store.change(remove=[cheap])
        store.change(put=[cheap])
        yield store


def said(catalog):
    return sorted(map(repr, catalog.records()))


@pytest.mark.parametrize("seed", range(4))
def test_versions_in_any_order(store, seed):
    chance = random.Random(seed)
    moving = MovingCatalog(store)
    last = store.version()
    for _ in range(15):
        version = chance.randint(0, last)
        assert said(moving.at(version)) == said(store.catalog(version))
        assert said(moving.whole(version)) == said(store.catalog(version))


def test_a_change_that_cannot_be_read_or_was_pruned(store, tmp_path):
    moving = MovingCatalog(store)
    moving.at(2)
    changes = schema.catalog_changes
    with store.database.writing() as connection:
        connection.execute(
            update(changes).where(changes.c.version == 4).values(record='{"kind": "subscription", "id": "t2"')
        )
    with Store.open(tmp_path / "s.db") as again:
        assert said(moving.at(6)) == said(again.catalog(6))
        assert said(moving.at(again.version())) == said(again.catalog())


@pytest.mark.parametrize("shards", [1, 3])
def test_a_part_from_a_file_is_that_of_the_store(store, tmp_path, shards):
    last = store.version()
    for saved in (1, last // 2, last):
        write(store.database.place, tmp_path / "file", saved)
        for number in range(shards):
            home = UserHomes(shards).of(number)
            for version in range(last + 1):
                opened = SavedParts.open(store, tmp_path / "file", version)
                assert (opened is None) == (version < saved)
                from_file = StoreCatalogs(store, home, lambda _, opened=opened: opened).at(version)
                from_store = StoreCatalogs(store, home).at(version)
                assert list(from_file.subscriptions.values()) == list(from_store.subscriptions.values())
                assert said(from_file) == said(from_store)


@pytest.mark.parametrize("number", range(3))
def test_a_part_is_another_one_only_if_a_change_concerns_it(store, number):
    homes = UserHomes(3)
    home = homes.of(number)
    catalogs = StoreCatalogs(store, home)
    before = catalogs.at(store.version())
    for changed in (
        Subscription("another", "user1", parse("x = 1")),
        Policy("user4", k=3),
        Policy("user9", k=3),
        Concept("low", "price", LeftShoulder(3, 4)),
    ):
        version = store.change(put=[changed])
        after = catalogs.at(version)
        is_shared = isinstance(changed, Concept)
        assert (after is not before) == (is_shared or home(changed.user))
        assert said(after) == said(store.catalog_part(home, version))
        before = after
