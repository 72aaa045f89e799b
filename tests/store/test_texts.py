from datetime import UTC, datetime

import pytest

from rankcast.errors import LimitError, ModelError, StoreError
from rankcast.model import Compare, Event, Interval, Not, Op, Predicate, Subscription, Term
from rankcast.store.texts import event_of, event_text, record_of, record_text

TIME = datetime(2026, 5, 1, 12, 30, 0, 1, UTC)


def test_an_event_comes_back_at_its_position():
    event = Event("e1", TIME, {"genre": ("a", "b"), "size": Interval(1, 2), "price": Term("cheap")}, source="shop")
    assert event_of(event_text(event), 7) == event.at(7)
    assert event_text(event.at(3)) == event_text(event)


def test_a_record_comes_back():
    record = Subscription("s1", "ann", Predicate("x", Compare(Op.EQ, True)), score=0.1)
    assert record_of(record_text(record)) == record


def test_what_could_not_be_read_again_is_not_written():
    deep = Predicate("x", Compare(Op.EQ, 1))
    for _ in range(300):
        deep = Not(deep)
    with pytest.raises(LimitError):
        record_text(Subscription("s1", "ann", deep))
    with pytest.raises(ModelError):
        event_text(Event("e1", TIME, {}, advertisement="w1", k=True))


def test_what_cannot_be_read_is_damage():
    with pytest.raises(StoreError, match="damaged: event 7 of the log cannot be read"):
        event_of("{", 7)
    with pytest.raises(StoreError, match="damaged: a record of the catalog cannot be read"):
        record_of('{"kind": "wish"}')


@pytest.mark.parametrize(("name", "reason"), [("a\0b", "control character U"), ("é" * 501, "has 1,002 bytes")])
def test_ids_that_no_index_takes_are_refused(name, reason):
    with pytest.raises(ModelError, match=reason):
        event_text(Event(name, TIME, {}))
    assert event_text(Event("é" * 500, TIME, {}))
