"""Expressions as boxes: the covering of boxes is that of the expressions."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover import covers, normal_form
from rankcast.cover.boxes import Boxes, box_of, point_of
from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import And, Event, Expression, Interval
from rankcast.testing.strategies import events, predicates


@pytest.mark.parametrize(
    ("text", "is_box"),
    [
        ("x between 1 and 2", True),
        ("x > 1 and y <= 3 and t >= date '2026-01-01'", True),
        ("true", True),
        ("x = 1", True),
        ("x in (1, 2)", False),
        ("x exists", False),
        ("x != 3", False),
        ("p = 'a'", False),
        ("x > 1 or y > 1", False),
        ("x < 9007199254740993", False),
        ("x > 1 and x < 0", False),
    ],
)
def test_what_is_a_box(text: str, is_box: bool) -> None:
    assert (box_of(normal_form(parse(text))) is not None) is is_box


conjunctions = st.lists(predicates(), min_size=2, max_size=3).map(lambda parts: And(tuple(parts)))


@given(st.lists(conjunctions, max_size=12))
def test_boxes_cover_as_their_expressions_do(expressions: list[Expression]) -> None:
    pairs = [(where, box) for where in expressions if (box := box_of(normal_form(where))) is not None]
    boxes = Boxes([])
    for _, box in pairs:
        boxes.append(box)
    for where, box in pairs:
        assert boxes.covering(box).tolist() == [covers(other, where) for other, _ in pairs]
        assert boxes.covered(box).tolist() == [covers(where, other) for other, _ in pairs]


def test_open_and_closed_ends_differ() -> None:
    texts = ["x > 1", "x >= 1", "x < 3", "x <= 3", "x > 1 and x < 3", "x between 1 and 3", "true"]
    boxes = Boxes(["x"])
    for text in texts:
        found = box_of(normal_form(parse(text)))
        assert found is not None
        boxes.append(found)
    for text in texts:
        found = box_of(normal_form(parse(text)))
        assert found is not None
        assert boxes.covering(found).tolist() == [covers(parse(other), parse(text)) for other in texts]


@given(st.lists(conjunctions, max_size=8), events())
def test_what_covers_the_point_of_an_event_matches_it(expressions: list[Expression], event: Event) -> None:
    point = point_of(event)
    assert point is not None
    for where in expressions:
        box = box_of(normal_form(where))
        if box is not None:
            boxes = Boxes([])
            boxes.append(box)
            assert boxes.covering(point).tolist() == [matches(where, event, NO_CONCEPTS)]


def test_what_has_no_point() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert point_of(Event("e1", now, {"x": (2**53 + 1,)})) is None
    assert point_of(Event("e1", now, {"x": Interval(1, 2)})) is None
    assert point_of(Event("e1", now, {"p": ("a", "b"), "f": (True,)})) == {}
