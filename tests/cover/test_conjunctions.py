"""Conjunctions: one within another, and one within many together."""

import random

from rankcast.cover.cells import Cell
from rankcast.cover.conjunctions import EVERYTHING, ComparisonBudget, escapes, joined, meet, within
from rankcast.cover.line import ValueLine

SIZE = 4


def box(**sides: tuple[int, int]):
    return {name: Cell(numbers=ValueLine.between((low, 0), (high, 0))) for name, (low, high) in sides.items()}


def squares(conjunction) -> set[tuple[int, int, int]]:
    cells = [(x, y, z) for x in range(SIZE) for y in range(SIZE) for z in range(SIZE)]
    return {
        at for at in cells if all(cell.numbers.has(at["xyz".index(name)] + 0.5) for name, cell in conjunction.items())
    }


def random_box(rng: random.Random):
    return box(**{name: sorted(rng.sample(range(SIZE + 1), 2)) for name in "xyz"})


def test_boxes_behave_like_their_squares():
    rng = random.Random(21)
    for _ in range(300):
        a, b = random_box(rng), random_box(rng)
        assert within(a, b) is (squares(a) <= squares(b))
        assert meet(a, b) is bool(squares(a) & squares(b))
        both = joined(a, b)
        assert (set() if both is None else squares(both)) == squares(a) & squares(b)


def test_a_box_escapes_boxes_unless_they_fill_it():
    rng = random.Random(22)
    filled = 0
    for _ in range(200):
        a, others = random_box(rng), [random_box(rng) for _ in range(rng.randint(2, 12))]
        free = squares(a) - set().union(*map(squares, others))
        assert escapes(a, others, ComparisonBudget(100_000)) is bool(free)
        filled += not free and not any(within(a, other) for other in others)
    assert filled > 5


def test_all_is_within_what_asks_for_nothing():
    assert within(box(x=(0, 1)), EVERYTHING)
    assert not within(EVERYTHING, box(x=(0, 1)))
    assert within(EVERYTHING, EVERYTHING)
    assert meet(box(x=(0, 1)), box(y=(0, 1)))


def test_without_budget_it_may_escape():
    halves = [box(x=(0, 2)), box(x=(2, 4))]
    assert not escapes(box(x=(1, 3)), halves, ComparisonBudget(10))
    assert escapes(box(x=(1, 3)), halves, ComparisonBudget(1))
    assert not escapes(box(x=(0, 1)), halves, ComparisonBudget(1))  # within one of them: no search
