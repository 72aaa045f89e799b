"""semantics: Diversity: the distance of two events."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import Distance, distance
from rankcast.model import EPOCH, DistanceName, Event, Interval, Policy, Term, Trapezoid


def event(seq=0, **attributes):
    values = {
        name: value if isinstance(value, tuple | Trapezoid | Interval | Term) else (value,)
        for name, value in attributes.items()
    }
    return Event(f"e{seq}", EPOCH, values, seq=seq)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"genre": "drama"}, {"genre": "drama"}, 0),
        ({"genre": "drama"}, {"genre": "comedy"}, 1),
        ({"genre": "drama", "year": 2003}, {"genre": "drama", "year": 2004}, 1 / 2),
        ({"genre": "drama", "year": 2003}, {"genre": "drama"}, 1 / 2),
        ({"genre": "drama"}, {"year": 2003}, 1),
        ({"genre": ("drama", "comedy")}, {"genre": "drama"}, 1 / 2),
        ({"genre": ("drama", "comedy")}, {"genre": ("comedy", "horror")}, 2 / 3),
        ({"genre": ("drama", "comedy")}, {"genre": ("comedy", "drama")}, 0),
        ({"x": 1}, {"x": 1.0}, 0),
        ({"x": 1}, {"x": True}, 1),
        ({"x": 1}, {"x": "1"}, 1),
        ({"x": 0.0}, {"x": -0.0}, 0),
        ({"x": datetime(2004, 2, 13, tzinfo=UTC)}, {"x": datetime(2004, 2, 13, tzinfo=UTC)}, 0),
        ({"x": Trapezoid(1, 2, 3, 4)}, {"x": Trapezoid(1, 2, 3, 4)}, 0),
        ({"x": Trapezoid(1, 2, 3, 4)}, {"x": Trapezoid(1, 2, 3, 5)}, 1),
        ({"x": Interval(1, 1)}, {"x": 1}, 1),
        ({"x": Term("cheap")}, {"x": Term("cheap")}, 0),
        ({}, {}, 0),
        ({}, {"x": 1}, 1),
    ],
)
def test_distance_of_attributes(a, b, expected):
    assert distance(event(**a), event(**b)) == pytest.approx(expected, abs=1e-15)
    assert distance(event(**b), event(**a)) == distance(event(**a), event(**b))


@pytest.mark.parametrize(
    ("weights", "attributes", "expected"),
    [
        ({}, None, 2 / 3),
        ({"genre": 2}, None, 1 / 2),
        ({"genre": 0}, None, 1),
        ({"genre": 0, "year": 0, "title": 0}, None, 0),
        ({"oscars": 7}, None, 2 / 3),
        ({}, ["genre"], 0),
        ({}, ["genre", "year"], 1 / 2),
        ({}, ["genre", "year", "year", "nowhere"], 1 / 2),
        ({}, ["nowhere"], 0),
        ({"genre": 3}, ["genre", "year"], 1 / 4),
        ({"genre": 1.7e308, "year": 1.7e308, "title": 1.7e308}, None, 2 / 3),
    ],
)
def test_weights_and_named_attributes(weights, attributes, expected):
    a = event(genre="drama", year=2003, title="Big Fish")
    b = event(genre="drama", year=2002, title="Spider")
    assert distance(a, b, weights, attributes) == pytest.approx(expected, abs=1e-15)


VALUES = st.one_of(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(tuple),
    st.sampled_from([(1,), (1.0,), (True,), (2,), Interval(0, 1)]),
)
ATTRIBUTES = st.dictionaries(st.sampled_from("xyz"), VALUES)
WEIGHTS = st.dictionaries(st.sampled_from("xyz"), st.floats(0, 100))


@given(ATTRIBUTES, ATTRIBUTES, WEIGHTS)
def test_distance_is_symmetric_in_0_to_1_and_0_to_itself(a, b, weights):
    a, b = Event("a", EPOCH, a), Event("b", EPOCH, b)
    assert 0 <= distance(a, b, weights) <= 1
    assert distance(a, b, weights) == distance(b, a, weights)
    assert distance(a, a, weights) == 0


@given(st.lists(ATTRIBUTES, min_size=1, max_size=4), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))), WEIGHTS)
def test_remembering_changes_nothing(events, pairs, weights):
    events = [Event(f"e{i}", EPOCH, attributes, seq=i + 1) for i, attributes in enumerate(events)]
    remembering = Distance(weights, limit=3)
    for i, j in pairs:
        a, b = events[i % len(events)], events[j % len(events)]
        assert remembering(a, b) == distance(a, b, weights)
        if i == j:
            remembering.forget(a.seq)
    assert len(remembering) <= 3
    for each in events:
        remembering.forget(each.seq)
    assert len(remembering) == 0


def test_a_pair_is_computed_once_in_either_order():
    found = Distance()
    a, b, c = event(1, genre="drama"), event(2, genre="comedy"), event(3, genre="comedy")
    assert (found(a, b), found(b, a), found(c, b)) == (1, 1, 0)
    assert len(found) == 2


def test_to_forget_an_event_drops_its_pairs_only():
    found = Distance()
    events = [event(seq, x=seq) for seq in (1, 2, 3)]
    for a in events:
        for b in events:
            found(a, b)
    found.forget(2)
    assert len(found) == 3  # 1-1, 1-3 and 3-3
    found.forget(99)
    assert len(found) == 3


def test_events_without_a_position_are_not_mixed_up():
    found = Distance()
    assert found(event(x=1), event(x=2)) == 1
    assert found(event(x=1), event(x=1)) == 0
    assert len(found) == 0


def test_equality_takes_a_set_of_values_as_one():
    a = Event("a", EPOCH, {"genre": ("drama", "comedy"), "year": (2003,)}, seq=1)
    b = Event("b", EPOCH, {"genre": ("comedy", "drama"), "year": (2003.0,)}, seq=2)
    c = Event("c", EPOCH, {"genre": ("drama",), "year": (2003,), "price": Interval(1, 2)}, seq=3)
    equality = DistanceName.EQUALITY
    assert distance(a, b, compare=equality) == 0
    assert distance(a, c) == pytest.approx(1 - 1.5 / 3)
    assert distance(a, c, compare=equality) == pytest.approx(2 / 3)
    policy = Policy("ann", distance=equality, weights={"genre": 3.0})
    assert Distance.of(policy)(a, c) == pytest.approx(4 / 5)


@pytest.mark.parametrize("weights", [{}, {"g": 0.5}])
def test_equality_in_compiled_loops(weights):
    chance = random.Random(3)
    events = [
        Event(f"e{seq}", EPOCH, {"g": tuple(chance.sample("abc", chance.randint(1, 3))), "y": (seq % 2,)}, seq=seq)
        for seq in range(1, 41)
    ]
    plain = Distance(weights, compare=DistanceName.EQUALITY)
    table = Distance(weights, compare=DistanceName.EQUALITY).table
    slots = table.slots(events)
    for one, at in zip(events, slots.tolist(), strict=True):
        assert [plain(one, other) for other in events] == table.distances[at, slots].tolist()
