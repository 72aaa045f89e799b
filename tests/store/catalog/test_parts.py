"""A part that is kept between changes is the part that would be read, and only that many records are read again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from catalog_records import concept, likes, policy, prefers
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.exc import OperationalError

from rankcast.errors import CatalogError, StoreError
from rankcast.store import Store
from rankcast.store.catalog import parts as catalog_parts
from rankcast.store.catalog import state as catalog_state


@pytest.fixture(autouse=True)
def kept_from_two_subscriptions(monkeypatch):
    monkeypatch.setattr(catalog_parts, "_FEWEST", 2)


@pytest.fixture
def loads(monkeypatch) -> list[int]:
    """How often the records of a user were read."""
    found = []
    load = catalog_state.load_part

    def counted(*given):
        found.append(1)
        return load(*given)

    monkeypatch.setattr(catalog_state, "load_part", counted)
    return found


def test_the_records_of_a_user_are_read_once(place, loads):
    with Store.create(place) as store:
        store.change(put=[likes("a1", "ann"), likes("a2", "ann")])
        for k in range(1, 6):
            store.change(put=[policy("ann", k)])
            store.change(put=[likes("a1", "ann", f"x = {k}")])
        store.decide("ann", lambda catalog: ([], [catalog.subscriptions["a2"]]))
        assert len(loads) == 1
        assert [one.id for one in store.catalog().subscriptions_of("ann")] == ["a1"]


def test_a_refused_change_leaves_nothing_behind(place):
    with Store.create(place) as store:
        store.change(put=[likes("a1", "ann"), likes("a2", "ann"), likes("b1", "bob")])
        store.change(put=[policy("ann", 1)])
        with pytest.raises(CatalogError, match="belongs to another user"):
            store.change(put=[likes("a3", "ann"), likes("b1", "ann")])
        with pytest.raises(CatalogError, match="no concept 'cheap'"):
            store.change(put=[likes("a3", "ann"), likes("a4", "ann", "price is cheap")])
        store.change(put=[policy("ann", 2)])
        assert [one.id for one in store.catalog().subscriptions_of("ann")] == ["a1", "a2"]


def test_the_records_are_not_read_again_while_several_change_them_or_are_refused(place, loads):
    def refuse(catalog):
        raise CatalogError("too many")

    with Store.create(place) as store:
        store.change(put=[likes("a1", "ann"), likes("a2", "ann")])
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda k: store.change(put=[policy("ann", k)]), range(1, 40)))
        with pytest.raises(CatalogError, match="too many"):
            store.change(put=[likes("a3", "ann")], check=refuse)
        store.change(put=[likes("a4", "ann")])
        assert len(loads) == 1
        assert [one.id for one in store.catalog().subscriptions_of("ann")] == ["a1", "a2", "a4"]


def test_a_change_that_is_not_committed_leaves_nothing_behind(place, monkeypatch):
    with Store.create(place) as store:
        store.change(put=[likes("a1", "ann"), likes("a2", "ann")])

        def fail(connection):
            raise OperationalError("COMMIT", None, Exception("disk full"))

        with monkeypatch.context() as broken:
            broken.setattr(DefaultDialect, "do_commit", lambda self, connection: fail(connection))
            with pytest.raises(StoreError, match="disk full"):
                store.change(put=[likes("a3", "ann")])
        store.change(put=[policy("bob", 1)])
        store.change(put=[policy("ann", 2)])
        assert [one.id for one in store.catalog().subscriptions_of("ann")] == ["a1", "a2"]
        with pytest.raises(CatalogError, match="no subscription 'a3'"):
            store.change(put=[prefers("ann", "a3", "a1")])


USERS = st.sampled_from(["ann", "bob"])
CHANGES = st.one_of(
    st.tuples(
        st.just("put"),
        st.builds(likes, st.sampled_from("stuvw"), USERS, st.sampled_from(["true", "x = 1", "price is cheap"])),
    ),
    st.tuples(st.just("put"), st.builds(policy, USERS, st.integers(1, 3))),
    st.tuples(st.just("put"), st.builds(concept, st.just("cheap"), st.one_of(st.none(), USERS), st.integers(2, 4))),
    st.tuples(st.just("remove"), st.builds(likes, st.sampled_from("stuvw"), USERS)),
    st.tuples(st.just("remove"), st.builds(concept, st.just("cheap"), st.one_of(st.none(), USERS), st.just(2))),
)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.booleans(), CHANGES), max_size=15))
def test_changes_by_two_processes_end_as_without_kept_parts(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("parts")
    with (
        Store.create(folder / "kept.db") as one,
        Store.open(folder / "kept.db") as other,
        Store.create(folder / "read.db") as plain,
    ):
        for is_other, (kind, record) in changes:
            plain._parts = catalog_parts.CatalogParts()
            outcomes = []
            for store in (other if is_other else one, plain):
                try:
                    store.change(**{kind: [record]})
                    outcomes.append(None)
                except CatalogError as error:
                    outcomes.append(str(error))
            assert outcomes[0] == outcomes[1]
        assert list(one.catalog().records()) == list(plain.catalog().records())
        assert one.version() == plain.version()
