"""Mined concepts follow the data, leave what people made alone, and can be undone."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from rankcast.errors import CatalogError, StoreError
from rankcast.lab.adapting import Adaptation, adapt, plan_adaptation, summary_of, undo_run
from rankcast.language import parse
from rankcast.model import Concept, Event, LeftShoulder, Subscription, Table, Trapezoid
from rankcast.store import MiningLog, Store
from rankcast.store.users import delete_user

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def prices(level: float, count: int = 90) -> list[Event]:
    numbers = [level * group + place for place in range(count // 3) for group in (1, 4, 9)]
    return [Event(f"e{level}-{at}", NOON, {"price": (x,)}) for at, x in enumerate(numbers)]


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "store.db") as made:
        yield made


def planned(store: Store, events: list[Event], attribute: str = "price", is_asked: bool = False) -> Adaptation:
    catalog = store.catalog()
    wheres = [one.where for one in catalog.subscriptions.values()]
    last = MiningLog(store.database).last(attribute)
    return plan_adaptation(catalog, summary_of(attribute, events, wheres), events, last, is_asked=is_asked)


def run(store: Store, events: list[Event], **more):
    plan = planned(store, events, **more)
    assert plan.run is not None, plan.reason
    return adapt(store, plan.run)


def meanings(store: Store) -> dict[str, object]:
    return {one.name: one.membership for one in store.catalog().concepts.values()}


def test_the_meaning_moves_with_the_data_under_the_same_names(store):
    first = run(store, prices(100))
    assert [one.name for one in first.after] == ["cheap", "fair", "expensive"]
    assert first.before == (None, None, None)
    before = meanings(store)
    store.change(
        put=[Subscription("s1", "ann", parse("price is cheap")), Subscription("s2", "ben", parse("price > 0"))]
    )
    later = run(store, prices(300))
    assert [one.name for one in later.after] == ["cheap", "fair", "expensive"]
    assert meanings(store) != before
    assert [(one.user, one.subscription) for one in later.effects] == [("ann", "s1")]  # for whom, and nobody else
    assert later.effects[0].after > later.effects[0].before
    undone = undo_run(store, later.number)
    assert undone.undone is not None
    assert meanings(store) == before


def test_what_hardly_moves_is_left_as_it_is(store):
    run(store, prices(100))
    version = store.version()
    assert "nothing moved" in planned(store, [*prices(100), *prices(101, 3)]).reason
    assert store.version() == version


def test_what_people_made_or_changed_is_left_alone_until_somebody_asks(store):
    store.change(
        put=[Concept("cheap", "price", LeftShoulder(1, 2)), Concept("dear", "price", Trapezoid(1, 2, 900, 999))]
    )
    assert planned(store, prices(100)).reason == "made or changed by hand: cheap, dear"
    done = run(store, prices(100), is_asked=True)
    assert [one.name for one in done.after] == ["cheap", "dear"]  # adopted under their names, in their order
    mined = store.catalog().concepts["price", "dear", None]
    store.change(put=[replace(mined, membership=Trapezoid(5, 6, 7, 8))])
    assert planned(store, prices(200)).reason == "made or changed by hand: dear"
    with pytest.raises(CatalogError, match="'dear' on 'price' was changed after run 1"):
        undo_run(store, done.number)


def test_a_schedule_does_not_redo_what_was_undone(store):
    done = run(store, prices(100))
    undo_run(store, done.number)
    assert meanings(store) == {}
    assert "run 1 was undone" in planned(store, prices(100)).reason
    assert run(store, prices(100), is_asked=True).number == 2
    with pytest.raises(CatalogError, match="run 1 was undone already"):
        undo_run(store, 1)


def test_only_the_last_run_can_be_undone_and_no_word_in_use_disappears(store):
    run(store, prices(100))
    run(store, prices(300))
    with pytest.raises(CatalogError, match="run 2 came after run 1"):
        undo_run(store, 1)
    undo_run(store, 2)
    with pytest.raises(StoreError, match="no run 7"):
        undo_run(store, 7)


def test_a_first_run_in_use_cannot_be_undone(store):
    run(store, prices(100))
    store.change(put=[Subscription("s1", "ann", parse("price is cheap"))])
    with pytest.raises(CatalogError):
        undo_run(store, 1)
    assert MiningLog(store.database).run(1).undone is None


def test_a_change_in_between_is_not_overwritten(store):
    plan = planned(store, prices(100))
    store.change(put=[Concept("fair", "price", LeftShoulder(1, 2))])
    with pytest.raises(CatalogError, match="changed meanwhile"):
        adapt(store, plan.run)
    assert MiningLog(store.database).runs() == []
    assert meanings(store) == {"fair": LeftShoulder(1, 2)}


def test_strings_adapt_too(store):
    random = Random(1)

    def offers(groups) -> list[Event]:
        made = []
        for number in range(300):
            group = random.randrange(2)
            attributes = {"kind": (random.choice(groups[group]),), "price": (random.gauss(1000 * group, 20),)}
            made.append(Event(f"e{number}", NOON, attributes))
        return made

    first = run(store, offers([("flat", "room"), ("villa", "castle", "loft")]), attribute="kind")
    assert all(isinstance(one.membership, Table) for one in first.after)
    store.change(put=[Subscription("s1", "ann", parse(f"kind is {_name_of(first, 'castle')}"))])
    later = run(store, offers([("flat", "room", "loft"), ("villa", "castle")]), attribute="kind")
    assert {one.name for one in later.after} == {one.name for one in first.after}
    assert [(one.user, one.after < one.before) for one in later.effects] == [("ann", True)]  # lofts are no castles now
    undo_run(store, later.number)
    assert meanings(store) == {one.name: one.membership for one in first.after}


def _name_of(done, value: str) -> str:
    return max(done.after, key=lambda one: dict(one.membership.degrees).get(value, 0.0)).name


def test_runs_are_kept_without_those_whom_they_concerned(store, monkeypatch):
    run(store, prices(100))
    store.change(put=[Subscription("s1", "ann", parse("price is cheap"))])
    run(store, prices(300))
    log = MiningLog(store.database)
    assert [one.user for one in log.runs(user="ann")[0].effects] == ["ann"]
    assert log.runs(user="ben")[0].effects == ()
    delete_user(store.database, "ann")
    assert [one.effects for one in log.runs()] == [(), ()]
    monkeypatch.setattr("rankcast.store.mining_log.MOST_RUNS", 2)
    run(store, prices(400))
    assert [one.number for one in log.runs()] == [3, 2]
