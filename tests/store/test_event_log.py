import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from catalog_records import likes
from sqlalchemy.event import listens_for

from rankcast.errors import CatalogError, ModelError
from rankcast.language import decode_event, decode_record
from rankcast.model import Advertisement, Always, Event, Interval, Term
from rankcast.store import LoggedEvent, PublishReceipt, Store

TIME = datetime(2026, 5, 1, 20, 0, 0, 250_000, UTC)


def event(name: str, **attributes) -> Event:
    return Event(name, TIME, {key: (value,) for key, value in attributes.items()})


CHEAP = decode_record({"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [1, 5]})


def log(store: Store) -> list[tuple[int, str]]:
    return [(logged.offset, logged.event.id) for logged in store.events()]


def test_events_are_numbered_from_1_in_the_order_of_their_publication(store):
    assert store.last_offset() == 0
    assert store.publish([event("b"), event("a")]) == [PublishReceipt("b", 1, False), PublishReceipt("a", 2, False)]
    assert store.publish([event("c")]) == [PublishReceipt("c", 3, False)]
    assert store.publish([]) == []
    assert log(store) == [(1, "b"), (2, "a"), (3, "c")]
    assert store.last_offset() == 3


def test_few_statements_are_run_while_other_writers_wait(tmp_path):
    """Between two statements, other threads of a busy service take the interpreter, and the lock is held longer."""
    with Store.create(tmp_path / "store.db") as store:
        statements: list[str] = []
        listens_for(store.database._writers, "before_cursor_execute")(
            lambda connection, cursor, statement, *rest: statements.append(statement)
        )
        store.publish([event("first")])
        assert len(statements) == 5, statements  # begin, schema version, known ids, ends, insert
        statements.clear()
        store.publish([event(f"e{number}") for number in range(200)])
        assert len(statements) == 4 + 4, "64 rows with one statement"
        assert len(log(store)) == 201


def test_an_event_comes_back_whole_at_its_offset(store):
    whole = Event(
        "e1",
        TIME,
        {"genre": ("drama", "comedy"), "year": (2004,), "size": Interval(1, 2), "at": (TIME,), "new": (True,)},
        source="imdb",
        advertisement="w1",
        k=5,
    )
    store.change(put=[Advertisement("w1", "shop", Always(), k=9)])
    store.publish([event("e0"), whole.at(99)])
    found = store.event("e1")
    assert list(store.events(after=1)) == [LoggedEvent(2, 1, whole.at(2), found.logged)]
    assert found == LoggedEvent(2, 1, whole.at(2), found.logged)
    assert store.event("e2") is None


def test_every_event_knows_the_catalog_version_of_its_publication(store):
    store.publish([event("e1")])
    store.change(put=[likes("s1")])
    store.publish([event("e2"), event("e3")])
    store.change(put=[likes("s2")])
    store.publish([event("e4"), event("e1")])
    assert [logged.catalog_version for logged in store.events()] == [0, 1, 1, 2]


@pytest.mark.parametrize("batch", [1, 2, 1000])
def test_an_event_that_is_there_already_is_not_appended_again(store, batch):
    store.publish([event("e1", x=1), event("e2")])
    again = [event("e3"), event("e1", x=1), event("e3"), event("e2").at(7)]
    assert store.publish(again, batch=batch) == [
        PublishReceipt("e3", 3, False),
        PublishReceipt("e1", 1, True),
        PublishReceipt("e3", 3, True),
        PublishReceipt("e2", 2, True),
    ]
    assert log(store) == [(1, "e1"), (2, "e2"), (3, "e3")]


def test_the_order_of_attributes_makes_no_other_content(store):
    store.publish([event("e1", x=1, y=2)])
    assert store.publish([event("e1", y=2, x=1)]) == [PublishReceipt("e1", 1, True)]


@pytest.mark.parametrize(
    "other",
    [event("e1", x=2), event("e1", x=True), event("e1"), replace(event("e1", x=1), source="s")],
    ids=["value", "type", "missing", "source"],
)
def test_an_id_with_other_content_is_refused_with_its_batch(store, other):
    store.publish([event("e1", x=1)])
    with pytest.raises(CatalogError, match="event 'e1' is in the log already, at offset 1, with other content"):
        store.publish([event("e2"), event("e3"), event("e4"), other], batch=2)
    assert log(store) == [(1, "e1"), (2, "e2"), (3, "e3")]


def test_two_contents_of_one_id_in_one_batch_are_refused(store):
    with pytest.raises(CatalogError, match="'e1' is in the log already, at offset 1"):
        store.publish([event("e1", x=1), event("e1", x=2)])
    assert log(store) == []


def test_with_a_taker_of_refusals_the_others_go_on(store):
    refused = []
    events = [
        event("e1"),
        Event("e2", TIME, {"price": Term("cheap")}),
        event("e1", x=1),
        event("é" * 501),
        event("e4"),
    ]
    published = store.publish(events, batch=4, refuse=lambda event, error: refused.append((event.id, str(error))))
    assert published == [PublishReceipt("e1", 1, False), PublishReceipt("e4", 2, False)]
    assert sorted(name for name, _ in refused) == ["e1", "e2", "é" * 501]
    assert ("e2", "no concept 'cheap' on attribute 'price'; define it first") in refused


def test_a_concept_that_an_event_names_must_be_in_the_catalog_then(store):
    vague = [Event(f"e{number}", TIME, {"price": Term("cheap")}) for number in range(3)]
    store.change(put=[CHEAP])
    store.publish(vague[:1])
    store.change(remove=[CHEAP])
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'price'"):
        store.publish(vague[1:])
    assert store.publish(vague[:1]) == [PublishReceipt("e0", 1, True)]


def test_a_user_s_own_concept_means_nothing_to_publishers(store):
    store.change(put=[replace(CHEAP, user="ann")])
    with pytest.raises(CatalogError):
        store.publish([Event("e1", TIME, {"price": Term("cheap")})])


def test_acknowledgements_come_batch_by_batch_after_the_commit(store):
    taken = []

    def source():
        for number in range(5):
            taken.append(number)
            yield event(f"e{number}")

    acknowledged = store.publishing(source(), batch=2)
    assert taken == []
    assert next(acknowledged) == PublishReceipt("e0", 1, False)
    assert taken == [0, 1]
    assert store.last_offset() == 2
    assert [published.offset for published in acknowledged] == [2, 3, 4, 5]


def test_what_was_acknowledged_stays_when_the_source_fails(store):
    def source():
        yield from (event("e1"), event("e2"), event("e3"))
        raise KeyError("source")

    with pytest.raises(KeyError):
        store.publish(source(), batch=2)
    assert log(store) == [(1, "e1"), (2, "e2")]


def test_a_batch_holds_at_least_one_event(store):
    with pytest.raises(ModelError, match="batch is 0"):
        store.publish([event("e1")], batch=0)


def test_the_log_is_read_from_any_offset(store):
    store.publish([event(f"e{number}") for number in range(1, 11)])
    assert [logged.offset for logged in store.events(after=7)] == [8, 9, 10]
    assert [logged.offset for logged in store.events(after=2, limit=3)] == [3, 4, 5]
    assert list(store.events(after=10)) == []


@pytest.mark.parametrize("name", ["é", "日本", "a'b", 'a"b', "a b\u2028", "🎬", "%", "E1", "e1"])
def test_any_text_is_an_id(store, name):
    store.publish([event("e1"), event("E1"), event(name)])
    assert store.event(name).event.id == name


def test_batches_larger_than_one_question_to_the_database(store):
    events = [decode_event({"id": f"e{number}", "time": "2026-05-01", "attributes": {}}) for number in range(1300)]
    store.publish(events[::2], batch=5000)
    assert sum(published.duplicate for published in store.publish(events, batch=5000)) == 650
    assert store.last_offset() == 1300


PUBLISHER = """
import sys
from rankcast.language import decode_event
from rankcast.store import Store
place, name = sys.argv[1:]
with Store.open(place) as store:
    store.publish(
        (decode_event({"id": f"{name}{n}", "time": "2026-05-01", "attributes": {"n": n}}) for n in range(1500)), batch=50
    )
"""


def test_two_processes_publish_at_once(store, place):
    children = [subprocess.Popen([sys.executable, "-c", PUBLISHER, place, name]) for name in "ab"]
    assert [child.wait(60) for child in children] == [0, 0]
    logged = list(store.events())
    assert [each.offset for each in logged] == list(range(1, 3001))
    for name in "ab":
        mine = [each.event.id for each in logged if each.event.id.startswith(name)]
        assert mine == [f"{name}{number}" for number in range(1500)]
