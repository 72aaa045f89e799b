"""Sets on a line, compared with sets of points: whole numbers, and halves for what lies between."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.cover.line import EMPTY, FULL, ValueLine

POINTS = [half / 2 for half in range(-1, 20)]


def points(line: ValueLine) -> set[float]:
    return {x for x in POINTS if line.has(x)}


def random_line(rng: random.Random, most: int = 5) -> ValueLine:
    cuts = sorted(rng.sample([(value, side) for value in range(10) for side in (0, 1)], rng.randint(0, most)))
    return ValueLine(rng.random() < 0.5, tuple(cuts))


def test_set_operations_are_those_of_the_points():
    rng = random.Random(3)
    for _ in range(1000):
        a, b = random_line(rng, rng.choice([2, 5, 15])), random_line(rng, rng.choice([2, 5, 15]))
        assert points(a | b) == points(a) | points(b)
        assert points(a & b) == points(a) & points(b)
        assert points(~a) == set(POINTS) - points(a)
        assert a.within(b) is (points(a) <= points(b))
        assert a.meets(b) is bool(points(a) & points(b))
        assert bool(a) is bool(points(a))


def test_equal_sets_are_equal_values():
    rng = random.Random(4)
    seen: dict[frozenset[float], ValueLine] = {}
    for _ in range(1000):
        line = random_line(rng) | random_line(rng) & random_line(rng)
        assert seen.setdefault(frozenset(points(line)), line) == line


@pytest.mark.parametrize(
    ("line", "inside"),
    [
        (ValueLine.above((8, 1)), [8.5, 9.0, 9.5]),
        (ValueLine.between((1, 0), (2, 1)), [1.0, 1.5, 2.0]),
        (ValueLine.between((1, 1), (2, 0)), [1.5]),
        (ValueLine.between((1, 1), (1, 0)), []),
        (ValueLine.points([2, 0.0, 2.0]), [0.0, 2.0]),
        (EMPTY, []),
        (FULL, POINTS),
    ],
)
def test_each_form(line, inside):
    assert sorted(points(line)) == inside


def test_one_interval_among_many():
    rng = random.Random(5)
    for _ in range(500):
        many, one = (
            random_line(rng, 15),
            ValueLine.between(*sorted(rng.sample([(v, s) for v in range(10) for s in (0, 1)], 2))),
        )
        assert points(many | one) == points(one | many) == points(many) | points(one)


def test_pieces_go_up_and_may_have_no_end():
    assert list(FULL.pieces()) == [(None, None)]
    assert list(EMPTY.pieces()) == []
    assert list((~ValueLine.points([1])).pieces()) == [(None, (1, 0)), ((1, 1), None)]
    assert list(ValueLine.points([1, 2]).pieces()) == [((1, 0), (1, 1)), ((2, 0), (2, 1))]


def test_times_and_large_integers_are_exact():
    noon = datetime(2004, 2, 13, 12, tzinfo=UTC)
    assert ValueLine.above((noon, 0)).has(noon)
    assert not ValueLine.above((noon + timedelta(microseconds=1), 0)).has(noon)
    assert not ValueLine.above((2**62 + 1, 0)).has(float(2**62))
