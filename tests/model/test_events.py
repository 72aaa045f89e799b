from datetime import UTC, datetime, timedelta

import pytest

from rankcast.errors import ModelError
from rankcast.model import Event, in_publication_order

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_publication_order_is_by_time_then_id():
    events = [Event("b", NOON, {}), Event("c", NOON - timedelta(1), {}), Event("a", NOON, {})]
    assert [(event.id, event.seq) for event in in_publication_order(events)] == [("c", 1), ("a", 2), ("b", 3)]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Event("", NOON, {}), "id is empty; it must have 1..1,000 characters"),
        (lambda: Event("e", NOON, {"x": ()}), "attribute 'x': an attribute needs a value"),
        (lambda: Event("e", NOON, {"x": (float("nan"),)}), "attribute 'x': nan"),
        (lambda: Event("e", NOON, {"": (1,)}), "name of an attribute is empty"),
        (lambda: Event("e", NOON, {}, k=3), "k without an advertisement"),
        (lambda: Event("e", datetime(2026, 1, 1), {}), "no zone"),
    ],
)
def test_events_that_cannot_be_are_refused(make, says):
    with pytest.raises(ModelError, match=says):
        make()


def test_values_are_kept_once():
    assert Event("e", NOON, {"genre": ("a", "b", "a")}).attributes["genre"] == ("a", "b")
