import pytest
from catalog_records import advertisement, concept, likes, policy, prefers

from rankcast.model import Catalog
from rankcast.store.catalog import state as catalog_state
from rankcast.store.catalog.state import load, load_part, load_shared

RECORDS = [
    concept("cheap"),
    concept("cheap", "bob"),
    likes("a1", "ann"),
    likes("a2", "ann", "price is cheap"),
    likes("b1", "bob", "price is cheap"),
    policy("ann"),
    policy("bob"),
    prefers("ann", "a1", "a2"),
    advertisement("w1", "price is cheap"),
]


def ids(catalog: Catalog) -> list[str]:
    return list(catalog.subscriptions)


def test_the_whole_catalog_is_read_back(store):
    store.change(put=RECORDS)
    with store._database.reading() as connection:
        assert list(load(connection).records()) == list(Catalog(RECORDS).records())


def test_replacing_keeps_the_place_and_returning_does_not(store):
    store.change(put=[likes("s1", "ann"), likes("s2", "ann"), likes("s3", "ann")])
    store.change(put=[likes("s1", "ann", "x = 1")])
    store.change(remove=[likes("s2", "ann")])
    store.change(put=[likes("s2", "ann")])
    with store._database.reading() as connection:
        assert ids(load(connection)) == ["s1", "s3", "s2"]


def test_a_part_has_the_users_concerned_and_the_shared_concepts(store):
    store.change(put=RECORDS)
    with store._database.reading() as connection:
        part = load_part(connection, [policy("ann")])
        assert ids(part) == ["a1", "a2"]
        assert part.preferences_of("ann") == [prefers("ann", "a1", "a2")]
        assert list(part.policies) == ["ann"]
        assert list(part.concepts.values()) == [concept("cheap")]
        assert part.advertisements == {}


def test_a_part_has_the_user_to_whom_an_id_belongs_already(store):
    store.change(put=RECORDS)
    with store._database.reading() as connection:
        part = load_part(connection, [likes("b1", "carl")])
        assert ids(part) == ["b1"]
        assert list(part.concepts.values()) == [concept("cheap"), concept("cheap", "bob")]


def test_parts_of_many_users_are_read_in_chunks(store, monkeypatch):
    monkeypatch.setattr(catalog_state, "_CHUNK", 2)
    subscriptions = [likes(f"s{number}", f"u{number}") for number in range(7)]
    store.change(put=subscriptions)
    with store._database.reading() as connection:
        assert ids(load_part(connection, subscriptions)) == [f"s{number}" for number in range(7)]


def test_events_see_the_shared_concepts_and_the_advertisements_only(store):
    store.change(put=RECORDS)
    with store._database.reading() as connection:
        shared = load_shared(connection)
    assert list(shared.records()) == [concept("cheap"), *Catalog(RECORDS).advertisements.values()]
    assert shared.advertisements


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_the_current_record_is_found_by_its_key(record):
    assert Catalog(RECORDS).current(record) == record
    assert Catalog().current(record) is None


def test_keys_of_several_names_cannot_be_confused(store):
    names = ["a", 'a","b', '","', "a,b"]
    store.change(put=[likes(name, "ann") for name in names])
    pairs = [(first, second) for index, first in enumerate(names) for second in names[index + 1 :]]
    store.change(put=[prefers("ann", *pair) for pair in pairs])
    with store._database.reading() as connection:
        assert load(connection).preferences_of("ann") == [prefers("ann", *pair) for pair in pairs]
