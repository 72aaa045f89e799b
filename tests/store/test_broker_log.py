"""The store of a broker: who it is, its neighbours, what they said, and each of their events once."""

from datetime import timedelta
from pathlib import Path

import pytest

from rankcast.errors import ModelError, StoreError
from rankcast.language import decode_event, decode_record
from rankcast.model import EPOCH, Event
from rankcast.pipeline.serving import read_events
from rankcast.store import BrokerLog, EventRoute, ReceivedEvent, Store
from rankcast.store.retention.pruning import prune
from rankcast.store.retention.rules import RetentionRule


def event(name: str, **more: object) -> Event:
    return decode_event({"id": name, "time": "2026-01-01", "attributes": {"x": 1}, **more})


def received(offset: int, name: str, **more: object) -> ReceivedEvent:
    route = EventRoute("root", "root/a1", {"": ["s1"], "leaf": ["s2"]}) if more else EventRoute("root")
    return ReceivedEvent(offset, event(name, **more), route)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store.db")


def test_a_store_belongs_to_one_broker(store: Store) -> None:
    log = BrokerLog(store.database)
    assert log.self() is None
    store.publish([event("e1")])
    me = log.become("edge")
    assert (me.name, me.since) == ("edge", 1)
    assert log.become("edge") == me == log.self()
    with pytest.raises(StoreError, match="belongs to the broker 'edge', not 'other'"):
        log.become("other")
    log.join("root", True, "l1", 0, 0)
    log.join("leaf", False, "l2", 0, 0)
    assert log.rejoin().lineage != me.lineage
    assert [one.name for one in log.neighbours()] == ["leaf"]


def test_an_event_of_a_neighbour_is_logged_once_and_served_with_the_chosen_recipients(store: Store) -> None:
    log = BrokerLog(store.database)
    log.become("mid")
    log.join("root", True, "l1", 5, 0)
    assert log.receive("root", [received(6, "e6"), received(8, "e8", advertisement="a1")], 9) == 2
    assert log.receive("root", [received(6, "e6"), received(9, "e9")], 9) == 0  # sent again
    assert log.receive("root", [received(12, "e6")], 12) == 0  # the same event another way
    assert log.neighbours()[0].received == 12
    assert [(row.offset, row.route) for row in log.routed(0, 10)] == [
        (1, EventRoute("root")),
        (2, EventRoute("root", "root/a1", {"": ["s1"], "leaf": ["s2"]})),
    ]
    assert [one.recipients for one in read_events(store, 0, 10)] == [None, frozenset({"s1"})]


def test_what_cannot_be_logged_becomes_a_reject_and_the_others_go_on(store: Store) -> None:
    log = BrokerLog(store.database)
    log.join("root", True, "l1", 0, 0)
    store.publish([event("e1", k=None)])
    other = decode_event({"id": "e1", "time": "2026-01-01", "attributes": {"x": 2}})
    assert log.receive("root", [ReceivedEvent(1, other, EventRoute("root")), received(2, "e2")], 2) == 1
    (reject,) = store.rejects()
    assert (reject.file, "in the log already" in reject.reason) == ("broker root", True)


def test_events_wait_until_recipients_are_chosen(store: Store) -> None:
    log = BrokerLog(store.database)
    store.change(put=[decode_record({"kind": "advertisement", "id": "a1", "publisher": "p", "where": "true", "k": 1})])
    store.publish([event("e1", advertisement="a1")])
    log.become("root")
    store.publish([event("e2"), event("e3", advertisement="a1"), event("e4")])
    assert [one.id for one in read_events(store, 0, 10)] == ["e1", "e2"]
    log.put_routes({3: EventRoute("", "root/a1", {"": ["s1"]})})
    log.put_routes({3: EventRoute("", "root/a1", {})})  # the first choice stays
    assert [(one.id, one.recipients) for one in read_events(store, 1, 10)] == [
        ("e2", None),
        ("e3", frozenset({"s1"})),
        ("e4", None),
    ]


def test_items_change_as_a_whole(store: Store) -> None:
    log = BrokerLog(store.database)
    log.join("edge", False, "l1", 0, 0)
    log.change_items("edge", "r:1", {"s/s1": {"a": 1}, "s/s2": {"a": 2}}, [], whole=True, most={"s/": 2})
    log.change_items("edge", "r:2", {"s/s2": {"a": 3}}, ["s/s1"], whole=False, most={"s/": 2})
    assert (log.items("edge"), log.neighbours()[0].items) == ({"s/s2": {"a": 3}}, "r:2")
    log.change_items("edge", "q:1", {"all": {"all": True}}, [], whole=True, most={"s/": 2})
    assert log.items("edge") == {"all": {"all": True}}
    with pytest.raises(ModelError, match="more than 2"):
        log.change_items("edge", "q:2", {f"s/{at}": {} for at in range(3)}, [], whole=False, most={"s/": 2})
    assert log.items("edge") == {"all": {"all": True}}
    assert log.forget("edge")
    assert not log.forget("edge")
    assert log.items("edge") == {}
    with pytest.raises(StoreError, match="no neighbour 'edge' any more"):
        log.change_items("edge", "q:3", {"s/s1": {}}, [], whole=False, most={"s/": 2})


def test_who_came_first_with_an_item_is_remembered(store: Store) -> None:
    log = BrokerLog(store.database)
    for name in ("bad", "good"):
        log.join(name, False, name, 0, 0)
    log.change_items("good", "1", {"s/s1": {"a": 1}, "s/s2": {}}, [], whole=True, most={})
    log.change_items("bad", "1", {"s/s1": {}}, [], whole=True, most={})
    log.change_items("good", "2", {"s/s1": {"a": 2}}, [], whole=True, most={})
    assert log.contested() == {"s/s1": ["good", "bad"]}


def test_an_upstream_replaces_another(store: Store) -> None:
    log = BrokerLog(store.database)
    log.join("edge", False, "l1", 0, 0)
    log.join("old", True, "l2", 0, 0)
    log.join("new", True, "l3", 0, 0)
    assert [one.name for one in log.neighbours()] == ["edge", "new"]


def test_pruning_keeps_what_an_edge_has_not_received(store: Store) -> None:
    log = BrokerLog(store.database)
    log.become("root")
    log.join("edge", False, "l1", 0, 1)
    log.join("up", True, "l2", 0, 9)
    log.receive("up", [received(number, f"e{number}") for number in (1, 2, 3)], 3)
    for _ in store.events():
        pass
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE progress SET event_offset = 3")
        connection.exec_driver_sql("UPDATE events SET logged = 0")
    prune(store.database, {"events": RetentionRule(age=timedelta(hours=1))})
    assert [one.event.id for one in store.events()] == ["e2", "e3"]
    assert [row.offset for row in log.routed(0, 10)] == [2, 3]
    log.acknowledge("edge", 3)
    log.acknowledge("edge", 2)
    prune(store.database, {"events": RetentionRule(age=timedelta(hours=1))})
    assert not list(store.events())
    assert log.neighbours()[0].joined > EPOCH


def test_a_pipeline_on_spark_and_a_broker_refuse_each_other(store: Store) -> None:
    BrokerLog(store.database).become("root")
    with pytest.raises(StoreError, match="that of a broker"):
        store.claim("p1", "place", 1)
