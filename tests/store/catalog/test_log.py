"""The catalog as versions; the rules themselves are those of `rankcast.model.Catalog`."""

import itertools
from dataclasses import replace
from random import Random

import pytest
from catalog_records import advertisement, concept, likes, policy

from rankcast.errors import CatalogError, LimitError, PreferenceCycle, StoreError
from rankcast.language import dumps, encode_record
from rankcast.model import Advertisement, Catalog, Concept, Not, Policy, Preference, Record, Subscription
from rankcast.store import Change, Store


def texts(records) -> list[str]:
    return [dumps(encode_record(record)) for record in records]


def view(catalog: Catalog) -> list[list[str]]:
    """All that can be asked of a catalog."""
    users = sorted({*catalog.users(), *(record.user for record in catalog.records() if isinstance(record, Preference))})
    return [
        texts(catalog.concepts.values()),
        texts(catalog.subscriptions.values()),
        texts(catalog.policies.values()),
        texts(catalog.advertisements.values()),
        *(texts(catalog.subscriptions_of(user)) for user in users),
        *(texts(catalog.preferences_of(user)) for user in users),
    ]


def test_versions_count_from_1_and_each_can_be_had_again(store):
    assert store.version() == 0
    assert store.change(put=[likes("s1")]) == 1
    assert store.change(put=[likes("s1", where="x = 1"), likes("s2")]) == 2
    assert store.change(remove=[likes("s1")]) == 3
    assert store.version() == 3
    assert [texts(store.catalog(version).records()) for version in range(4)] == [
        [],
        texts([likes("s1")]),
        texts([likes("s1", where="x = 1"), likes("s2")]),
        texts([likes("s2")]),
    ]
    assert store.catalog() is store.catalog(3)


@pytest.mark.parametrize("version", [-1, 2])
def test_a_version_that_there_is_not(store, version):
    store.change(put=[likes("s1")])
    with pytest.raises(StoreError, match=f"no version {version}; the newest is 1"):
        store.catalog(version)


def test_the_changes_are_a_log(store):
    store.change(put=[likes("s1"), likes("s2")])
    store.change(put=[Preference("ann", "s1", "s2")])
    store.change(put=[policy("bob")], remove=[likes("s1")])
    assert list(store.changes(after=1)) == [
        Change(2, Preference("ann", "s1", "s2"), removed=False),
        Change(3, Preference("ann", "s1", "s2"), removed=True),
        Change(3, likes("s1"), removed=True),
        Change(3, policy("bob"), removed=False),
    ]
    assert [change.version for change in store.changes(after=0, up_to=2)] == [1, 1, 2]
    assert list(store.changes(after=3)) == []


def test_a_removal_logs_the_record_as_it_was(store):
    store.change(put=[likes("s1", "ann", "x = 1"), policy("ann", k=7)])
    store.change(remove=[likes("s1", "whoever"), policy("ann", k=1)])
    removed = [change.record for change in store.changes(after=1)]
    assert sorted(texts(removed)) == sorted(texts([likes("s1", "ann", "x = 1"), policy("ann", k=7)]))


def test_the_order_within_a_change_does_not_matter(store):
    records = [
        Preference("ann", "s1", "s2"),
        likes("s1", where="price is cheap"),
        advertisement("w1", "price is cheap"),
        likes("s2"),
        concept("cheap"),
    ]
    assert store.change(put=records) == 1
    records[1:2] = []
    assert store.change(put=[likes("s1")], remove=records[::-1]) == 2
    assert texts(store.catalog().records()) == texts([likes("s1")])


def test_removals_come_before_puts(store):
    store.change(put=[likes("s1", "ann"), likes("s2"), Preference("ann", "s1", "s2")])
    store.change(put=[Preference("ann", "s2", "s1")], remove=[Preference("ann", "s1", "s2")])
    assert store.catalog().preferences_of("ann") == [Preference("ann", "s2", "s1")]
    store.change(put=[likes("s1", "bob")], remove=[likes("s1", "ann")])
    assert store.catalog().users() == ["ann", "bob"]
    assert store.catalog().preferences_of("ann") == []


def test_a_concept_leaves_after_what_named_it_was_replaced(store):
    store.change(put=[concept("cheap"), likes("s1", where="price is cheap")])
    store.change(put=[concept("low"), likes("s1", where="price is low")], remove=[concept("cheap")])
    assert list(store.catalog().concepts.values()) == [concept("low")]


@pytest.mark.parametrize(
    ("put", "remove", "message"),
    [
        ([likes("s3"), likes("s1", "bob")], [], "subscription 's1' belongs to another user, 'ann'"),
        ([likes("s3", where="price is chaep")], [], "no concept 'chaep' on attribute 'price'; did you mean 'cheap'"),
        ([Preference("ann", "s1", "s9")], [], "user 'ann' has no subscription 's9'"),
        ([Preference("bob", "s1", "s2")], [], "user 'bob' has no subscription 's1'"),
        ([], [likes("s1"), likes("s9")], "there is no subscription 's9'"),
        ([likes("s3")], [policy("ann")], "there is no policy of 'ann'"),
        ([], [concept("cheap")], "concept 'cheap' on 'price' is in use by subscription 's2'"),
        ([likes("s2")], [concept("cheap")], "concept 'cheap' on 'price' is in use by advertisement 'w1'"),
    ],
)
def test_a_change_is_refused_as_a_whole(store, put, remove, message):
    start = [concept("cheap"), likes("s1"), likes("s2", where="price is cheap"), advertisement("w1", "price is cheap")]
    store.change(put=start)
    with pytest.raises(CatalogError) as caught:
        store.change(put, remove)
    assert message in str(caught.value)
    assert store.version() == 1
    assert texts(store.catalog().records()) == texts(start)
    assert len(list(store.changes(0))) == 4


def test_a_circle_of_preferences_over_several_changes_is_refused(store):
    store.change(put=[likes("s1"), likes("s2"), likes("s3")])
    store.change(put=[Preference("ann", "s1", "s2"), Preference("ann", "s2", "s3")])
    with pytest.raises(PreferenceCycle):
        store.change(put=[Preference("ann", "s3", "s1")])


def test_what_is_there_already_makes_no_version(store):
    records = [likes("s1", where="x = 1"), likes("s2"), policy("ann"), Preference("ann", "s1", "s2"), concept("cheap")]
    assert store.change(put=records) == 1
    assert store.change(put=records) == 1
    assert store.change() == 1
    assert store.change(put=[*records, likes("s3")]) == 2
    assert [change.record for change in store.changes(after=1)] == [likes("s3")]


def test_the_number_1_and_the_boolean_true_are_not_the_same_already(store):
    store.change(put=[likes("s1", where="x = 1")])
    assert store.change(put=[likes("s1", where="x = true")]) == 2
    assert texts(store.catalog().records()) == texts([likes("s1", where="x = true")])


def test_an_expression_that_could_not_be_read_again_is_refused(store):
    deep = likes("s1").where
    for _ in range(300):
        deep = Not(deep)
    with pytest.raises(LimitError):
        store.change(put=[likes("s2"), replace(likes("s1"), where=deep)])
    assert store.version() == 0


def test_a_catalog_that_was_handed_out_does_not_change(store):
    store.change(put=[likes("s1")])
    held = store.catalog()
    store.change(put=[likes("s2")], remove=[likes("s1")])
    assert list(store.catalog().subscriptions) == ["s2"]
    assert list(held.subscriptions) == ["s1"]


def test_another_process_s_changes_are_seen(place):
    with Store.create(place) as one, Store.open(place) as other:
        one.change(put=[likes("s1")])
        assert list(other.catalog().subscriptions) == ["s1"]
        one.change(put=[likes("s2")])
        assert list(other.catalog().subscriptions) == ["s1", "s2"]
        other.change(put=[Preference("ann", "s2", "s1")])
        assert one.catalog().preferences_of("ann") == [Preference("ann", "s2", "s1")]


START = [concept("cheap"), concept("low"), likes("s1a"), likes("s2a"), likes("s3a"), likes("s1b", "bob")]


def random_record(random: Random) -> Record:
    user, where = random.choice(["ann", "bob"]), random.choice(["true", "x = 1", "price is cheap", "price is low"])
    owner = random.choice([None, None, user])
    match random.randrange(10):
        case 0 | 1 | 2:
            return likes(random.choice(["s1", "s2", "s3"]) + random.choice([user[0], user[0], "x"]), user, where)
        case 3 | 4 | 5:
            return Preference(user, *random.sample(["s1" + user[0], "s2" + user[0], "s3" + user[0]], 2))
        case 6:
            return policy(user, random.choice([1, 2]))
        case 7 | 8:
            return concept(random.choice(["cheap", "low"]), owner, random.choice([5, 6]))
    return advertisement(random.choice(["w1", "w2"]), where)


def random_change(random: Random, catalog: Catalog) -> tuple[list[Record], list[Record]]:
    """Mostly one that the catalog takes."""
    there = list(catalog.records())
    remove = random.sample(there, min(len(there), random.choice([0, 0, 1, 2])))
    if random.random() < 0.1:
        remove.append(random_record(random))
    return [random_record(random) for _ in range(random.choice([0, 1, 1, 2, 3]))], remove


ORDER = (Concept, Subscription, Policy, Preference, Advertisement)


def expected(catalog: Catalog, put: list[Record], remove: list[Record]) -> Catalog:
    """The change on a plain catalog in memory."""
    changed = Catalog(list(catalog.records()))
    for kind in ORDER[:0:-1]:
        for record in remove:
            if isinstance(record, kind):
                changed.remove(record)
    for kind in ORDER:
        for record in put:
            if isinstance(record, kind):
                changed.put(record)
    for record in remove:
        if isinstance(record, Concept):
            changed.remove(record)
    Catalog(list(changed.records()))  # an advertisement may have lost its concept
    return changed


@pytest.mark.parametrize("seed", range(8))
def test_any_version_is_the_replay_of_the_changes(store, place, seed):
    random, versions, refused = Random(seed), [Catalog()], 0
    for step in range(40):
        put, remove = random_change(random, versions[-1]) if step else (START, [])
        try:
            after = expected(versions[-1], put, remove)
        except CatalogError:
            refused += 1
            with pytest.raises(CatalogError):
                store.change(put, remove)
            assert store.version() == len(versions) - 1
            continue
        if store.change(put, remove) == len(versions):
            versions.append(after)
        assert view(after) == view(versions[-1])
        assert view(store.catalog()) == view(after)
    assert len(versions) > 10
    assert refused > 3
    with Store.open(place) as fresh:
        for version in reversed(range(len(versions))):
            assert view(store.catalog(version)) == view(fresh.catalog(version)) == view(versions[version])
            some = [random.choice(["ann", "bob"])]
            read = fresh.catalog_part(some.__contains__, version, lambda users, some=some: [*{*users} & {*some}])
            assert view(read) == view(versions[version].part(some.__contains__))
    replay = Catalog()
    for version, group in itertools.groupby(store.changes(after=0), key=lambda change: change.version):
        for change in group:
            (replay.remove if change.removed else replay.put)(change.record)
        assert view(replay) == view(versions[version])


def test_many_records_at_once_are_what_they_are_one_by_one(store, place):
    """New and replaced records, and some that were there, more than go over the wire one by one."""
    few = [concept("cheap"), likes("s1", "u1", "price is cheap"), likes("s2", "u2"), policy("u1")]
    store.change(put=few)
    many = [likes(f"s{n}", f"u{n % 700}", f"x > {n % 50}" if n % 7 else "price is cheap") for n in range(3, 6_000)]
    many += [policy(f"u{n}", k=3) for n in range(700)]
    many += [replace(few[1], score=0.5), few[2], Preference("u3", "s3", "s703")]
    Random(1).shuffle(many)
    version = store.change(put=many)
    expected = Catalog([*few])
    for record in sorted(many, key=lambda one: isinstance(one, Preference)):
        expected.put(record)
    with Store.open(place) as fresh:
        found = [fresh.catalog(version), fresh.catalog_part(lambda user: True, version)]
        found.append(fresh.catalog_part_after(fresh.catalog(1), 1, lambda user: True, version))
        assert len(list(fresh.changes(1, version))) == len(many) - 1  # `s2` was there already
        some = [f"u{n}" for n in range(0, 700, 3)]
        part = fresh.catalog_part({*some}.__contains__, version)
        read = fresh.catalog_part({*some}.__contains__, version, lambda users: [*{*users} & {*some}])
    for catalog in found:
        assert sorted(texts(catalog.records())) == sorted(texts(expected.records()))
    assert texts(read.records()) == texts(part.records())
    assert 0 < len(part.subscriptions) < len(expected.subscriptions)
    assert store.change(put=many) == version


def test_many_records_replace_one_that_cannot_be_read(store, place):
    store.change(put=[likes("s5", "ann")])
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE catalog_records SET record = '{}'")
    store.change(put=[likes(f"s{n}", "ann", f"x > {n}") for n in range(6_000)])
    with Store.open(place) as fresh:
        assert len(fresh.catalog().subscriptions) == 6_000


def test_many_records_are_refused_as_a_whole(store):
    store.change(put=[likes("s5", "bob")])
    with pytest.raises(CatalogError, match="belongs to another user"):
        store.change(put=[likes(f"s{n}", "ann") for n in range(6_000)])
    assert (store.version(), len(store.catalog().subscriptions)) == (1, 1)


def test_a_row_that_is_there_already_fails_as_always(store):
    """`copy_rows` reports errors of the driver as SQLAlchemy does."""
    from rankcast.store.schema import catalog_versions
    from rankcast.store.sql import copy_rows

    rows = [(number % 1_500, 0) for number in range(2_000)]
    with pytest.raises(StoreError, match="failed"), store.database.writing() as connection:
        copy_rows(connection, catalog_versions, ["version", "changed_at"], rows)
