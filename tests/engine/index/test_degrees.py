"""Degrees of many pairs at once: what plain evaluation says, to the last bit, or no answer."""

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.degrees import NORMS, Degrees
from rankcast.language import parse
from rankcast.matching import evaluate
from rankcast.model import Event, Gaussian, Interval, LeftShoulder, Norm, Piecewise, Table, Trapezoid
from rankcast.testing import strategies

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CONCEPTS = {
    "low": LeftShoulder(1, 3),
    "middle": Trapezoid(1, 2, 3, 4),
    "five": Interval(5, 5),
    "odd": Piecewise(((0, 0.2), (1, 0.8), (1, 0.4), (2, 0.4), (3, 1.0), (4, 0.0))),
    "some": Table(((1, 0.3), (2, 1.0))),
    "bell": Gaussian(2, 1),
    "nice": Table((("x", 1.0), ("y", 0.5))),
}


def meaning(attribute, term):
    return CONCEPTS[term.concept]


def decided(texts, events, norm=Norm.MIN):
    degrees = Degrees()
    numbers = [degrees.add(parse(text), meaning) for text in texts]
    grid = [(e, s) for e in range(len(events)) for s in range(len(texts))]
    is_crisp = [all(isinstance(value, tuple) for value in one.attributes.values()) for one in events]
    found = degrees.decide(
        events,
        np.array(is_crisp),
        np.array([e for e, _ in grid], np.int64),
        np.array([-1 if numbers[s] is None else 3 * numbers[s] + NORMS.index(norm) for _, s in grid], np.int32),
    )
    assert (found.left, found.held) == (np.count_nonzero(~found.known), np.count_nonzero(found.holds))
    columns = (column.tolist() for column in found[:3])
    return {pair: (known, holds, degree) for pair, known, holds, degree in zip(grid, *columns, strict=True)}


def event(**attributes):
    return Event(
        "e", NOON, {name: value if isinstance(value, tuple) else (value,) for name, value in attributes.items()}
    )


hedge = st.lists(st.sampled_from(["not", "very", "somewhat"]), max_size=3).map(" ".join)
level = st.integers(0, 4).map(lambda quarter: quarter / 4)
part = st.builds(
    lambda name, words, concept, tp, tn: f"{name} is {words} {concept} [{tp}, {tn}]",
    st.sampled_from(["a", "b"]),
    hedge,
    st.sampled_from(["low", "middle", "five", "odd", "some"]),
    level,
    level,
)
number = st.one_of(st.integers(0, 5), st.floats(0, 5), st.integers(0, 10).map(lambda half: half / 2))


@given(st.lists(part, min_size=1, max_size=2), number, st.one_of(st.none(), number), st.sampled_from(Norm))
def test_conjunctions_are_decided_as_by_plain_evaluation(parts, a, b, norm):
    text = " and ".join([*parts, "a >= 0"])
    one = event(a=a) if b is None else event(a=a, b=b)
    outcome = evaluate(parse(text), one, meaning, norm)
    assert decided([text], [one], norm)[0, 0] == (True, outcome.holds, outcome.possibility)


@given(strategies.events(fuzzy=True))
def test_what_is_not_crisp_is_left_to_others(one):
    known, holds, degree = decided(["a is low"], [one])[0, 0]
    assert known == all(isinstance(value, tuple) for value in one.attributes.values())
    if known:
        outcome = evaluate(parse("a is low"), one, meaning)
        assert (holds, degree) == (outcome.holds, outcome.possibility)


def test_what_has_another_form_is_left_to_others():
    texts = [
        "a is low or a is middle",
        "not (a is low)",
        "a is bell",
        "p is nice",
        "a = 1",
        "a is low and (b = 1 or b = 2)",
    ]
    found = decided(texts, [event(a=1, b=1, p="x")])
    assert not any(known for known, _, _ in found.values())


def test_words_of_another_type_and_large_integers():
    found = decided(["a is low"], [event(a="1"), event(a=True), event(a=2**60), event(b=1)])
    assert [found[place, 0][:2] for place in range(4)] == [(True, False), (True, False), (False, False), (True, False)]


def test_three_parts_by_product_in_their_order():
    text = "a is low [0, 0] and b is middle [0, 0] and c is odd [0, 0]"
    one = event(a=1.7, b=1.3, c=2.6)
    for norm in (Norm.MIN, Norm.PRODUCT):
        outcome = evaluate(parse(text), one, meaning, norm)
        assert decided([text], [one], norm)[0, 0] == (True, outcome.holds, outcome.possibility)
    assert not decided([text], [one], Norm.LUKASIEWICZ)[0, 0][0]
