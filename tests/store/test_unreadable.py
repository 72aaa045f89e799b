"""A record that cannot be read any more is left out and reported; everything else goes on, whichever way the catalog is read."""

import pytest

from rankcast.errors import CatalogError
from rankcast.language import decode_record, encode_record
from rankcast.model import Policy, Preference
from rankcast.pipeline.local import serve_pending
from rankcast.store import Store

TOO_MUCH = '{"kind": "policy", "user": "ann", "score": {"preference": 1.7e308, "degree": 1.7e308}}'


def subscription(name: str, user: str, where: str = "x > 0") -> dict[str, object]:
    return {"kind": "subscription", "id": name, "user": user, "where": where}


RECORDS = [
    {"kind": "concept", "attribute": "price", "name": "cheap", "trapezoid": [0, 0, 200, 400]},
    subscription("a1", "ann"),
    subscription("a2", "ann", "price is cheap"),
    subscription("b1", "bob"),
    {"kind": "preference", "user": "ann", "prefer": "a1", "over": "a2"},
    {"kind": "policy", "user": "ann", "mode": "sliding", "k": 1, "length": 5},
    {"kind": "policy", "user": "bob", "mode": "sliding", "k": 1, "length": 5},
]


def put(store: Store, *records: dict[str, object]) -> int:
    return store.change(put=[decode_record(record) for record in records])


def damage(store: Store, kind: str, key: str, text: str) -> None:
    """Let a record, where the catalog and where its log has it, be another text."""
    with store.database.writing() as connection:
        at = "WHERE kind = '{}' AND key = '{}'".format(kind, key.replace("'", "''"))
        old = connection.exec_driver_sql(f"SELECT record FROM catalog_records {at}").scalar_one()
        new = "'" + text.replace("'", "''").replace("%", "%%") + "'"
        connection.exec_driver_sql(f"UPDATE catalog_records SET record = {new} {at}")
        old = old.replace("'", "''").replace("%", "%%")
        connection.exec_driver_sql(f"UPDATE catalog_changes SET record = {new} WHERE record = '{old}'")


def ways(place: str, version: int) -> list[list[dict[str, object]]]:
    """A version of the catalog, read in all ways that there are."""
    found = []
    with Store.open(place) as fresh:
        found.append(fresh.catalog(version))
    with Store.open(place) as stepwise:
        base = stepwise.catalog_part(lambda _: True, 0)
        for step in range(1, version + 1):
            stepwise.catalog(step)
            base = stepwise.catalog_part_after(base, step - 1, lambda _: True, step)
        found += [stepwise.catalog(version), base, stepwise.catalog_part(lambda _: True, version)]
    return [[encode_record(record) for record in catalog.records()] for catalog in found]


@pytest.fixture
def filled(store) -> Store:
    put(store, *RECORDS)
    return store


def test_a_policy_over_a_new_bound_is_left_out_and_everybody_is_served(filled, place):
    damage(filled, "policy", "ann", TOO_MUCH)
    with Store.open(place) as store:
        catalog = store.catalog()
        assert catalog.policies.keys() == {"bob"}
        assert catalog.incomplete == {"ann"}
        (one,) = store.unreadable()
        assert (one.kind, one.key, one.owner) == ("policy", "ann", "ann")
        assert "preference" in one.reason
        (reject,) = store.rejects()
        assert (reject.file, reject.raw) == ("catalog:policy", TOO_MUCH)
        store.publish([event(1), event(2)])
        list(serve_pending(store))
        assert {delivery.user for _, delivery in store.deliveries()} == {"ann", "bob"}
    with Store.open(place) as store:
        store.catalog()
        assert len(store.rejects()) == 1


def event(number: int):
    from rankcast.language import decode_event

    return decode_event({"id": f"e{number}", "time": "2026-01-01", "attributes": {"x": number}})


@pytest.mark.parametrize("text", ["{", "null", TOO_MUCH])
@pytest.mark.parametrize(
    ("kind", "key"), [("policy", "ann"), ("subscription", "a1"), ("preference", '["ann","a1","a2"]')]
)
def test_whatever_a_record_has_become_the_others_are_read(filled, place, kind, key, text):
    damage(filled, kind, key, text)
    with Store.open(place) as store:
        catalog = store.catalog()
        assert {"b1"} <= catalog.subscriptions.keys()
        assert "bob" in catalog.policies
        assert (kind, key) in {(one.kind, one.key) for one in store.unreadable()}


def test_what_names_an_unreadable_record_is_left_out_with_it(filled, place):
    concept = '["price","cheap",null]'
    damage(filled, "concept", concept, '{"kind": "concept", "attribute": "price", "name": "cheap", "trapezoid": [1]}')
    with Store.open(place) as store:
        assert store.catalog().subscriptions.keys() == {"a1", "b1"}
        left = {(one.kind, one.key) for one in store.unreadable()}
        assert left == {("concept", concept), ("subscription", "a2"), ("preference", '["ann","a1","a2"]')}
        # A new meaning brings all of it back.
        put(store, RECORDS[0])
        assert store.catalog().subscriptions.keys() == {"a1", "a2", "b1"}
        assert store.catalog().incomplete == frozenset()
        assert store.unreadable() == []


def test_all_ways_to_read_a_version_agree(filled, place):
    concept = '["price","cheap",null]'
    damage(filled, "policy", "ann", TOO_MUCH)
    damage(filled, "concept", concept, '{"kind": "concept", "attribute": "price", "name": "cheap", "trapezoid": [1]}')
    put(filled, subscription("b2", "bob", "x = 3"))
    put(filled, subscription("a3", "ann", "x = 4"))
    put(filled, {"kind": "policy", "user": "ann", "mode": "periodic", "k": 1, "length": 2})
    put(filled, RECORDS[0])
    filled.change(remove=[filled.catalog().subscriptions["a1"]])
    for version in range(filled.version() + 1):
        first, *others = ways(place, version)
        assert all(other == first for other in others), version


def test_its_owner_may_replace_it_and_nobody_else(filled, place):
    damage(filled, "subscription", "a1", '{"kind": "subscription", "id": "a1", "user": "ann", "where": "x >"}')
    with Store.open(place) as store:
        store.catalog()
        with pytest.raises(CatalogError, match="belongs to another user, 'ann'"):
            put(store, subscription("a1", "bob"))
        put(store, subscription("a1", "ann", "x = 9"))
        assert store.catalog().subscriptions["a1"].user == "ann"
        assert Preference("ann", "a1", "a2") in store.catalog().preferences_of("ann")
        assert store.unreadable() == []


def test_its_owner_may_delete_it(filled, place):
    damage(filled, "policy", "ann", TOO_MUCH)
    damage(filled, "subscription", "a1", "{}")
    with Store.open(place) as store:
        store.catalog()
        assert store.remove_unreadable("policy", "ann")
        assert not store.remove_unreadable("policy", "ann")
        assert not store.remove_unreadable("policy", "bob")
        assert store.remove_unreadable("subscription", "a1")
        assert store.unreadable() == []
        assert store.catalog().incomplete == frozenset()
        assert store.catalog().policy_of("ann") == Policy("ann")
    for version in (1, 2, 3):
        with Store.open(place) as store:
            assert "b1" in store.catalog(version).subscriptions


def test_only_the_owner_s_is_deleted_if_an_owner_is_named(filled, place):
    damage(filled, "subscription", "a1", "{}")
    with Store.open(place) as store:
        store.catalog()
        assert not store.remove_unreadable("subscription", "a1", owner="bob")
        assert store.remove_unreadable("subscription", "a1", owner="ann")


def test_another_publisher_does_not_replace_an_unreadable_advertisement(filled, place):
    advertisement = {"kind": "advertisement", "id": "d", "publisher": "shop", "where": "x > 0", "k": 2}
    put(filled, advertisement)
    damage(filled, "advertisement", "d", '{"kind": "advertisement", "id": "d", "publisher": "shop"}')
    with Store.open(place) as store:
        with pytest.raises(CatalogError, match="may be another publisher's"):
            put(store, {**advertisement, "publisher": "thief"})
        put(store, advertisement)
        assert store.catalog().advertisements["d"].publisher == "shop"
