"""Cells: states of one attribute, compared with the states enumerated."""

import itertools
import random
from datetime import UTC, datetime

from rankcast.cover.cells import ANY, ANY_TEXT, BOTH, FALSE, NOTHING, TRUE, Cell, StringRequirement
from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.cover.strings import ALL, NONE, StringLine

STRINGS = ["", "a", "b", "~", "ab", "ba", "a~", "~a", "b~"]
SETS_OF_STRINGS = [strings for size in (1, 2, 3, 4) for strings in itertools.combinations(STRINGS, size)]
NOON = datetime(2004, 2, 13, 12, tzinfo=UTC)
LISTS = [frozenset(members) for size in (2, 3, 4) for members in itertools.combinations("12345", size)]
STATES = [None, NOON, -0.5, 0, 0.5, 1, 1.5, "T", "F", "TF", *SETS_OF_STRINGS, *LISTS]


def states(cell: Cell) -> set[object]:
    return {state for state in STATES if _has(cell, state)}


def _has(cell: Cell, state: object) -> bool:
    match state:
        case None:
            return cell.missing
        case int() | float():
            return cell.numbers.has(state)
        case datetime():
            return cell.times.has(state)
        case str():
            return bool(cell.booleans & {"T": TRUE, "F": FALSE, "TF": BOTH}[state])
    wanted = cell.lists if isinstance(state, frozenset) else cell.texts
    if wanted is None:
        return False
    return all(any(texts.has(s) for s in state) for texts in wanted.some) and not any(wanted.none.has(s) for s in state)


def random_texts(rng: random.Random) -> StringLine:
    literal = rng.choice(["a", "b"])
    forms = [
        StringLine.containing,
        StringLine.ending,
        StringLine.starting,
        lambda v: StringLine.these([v]),
        lambda v: ~StringLine.these([v]),
    ]
    return rng.choice(forms)(literal)


def random_cell(rng: random.Random) -> Cell:
    some = StringRequirement(
        tuple(random_texts(rng) for _ in range(rng.randint(0, 2))), rng.choice([NONE, NONE, random_texts(rng)])
    )
    return Cell(
        rng.random() < 0.5,
        rng.choice([EMPTY, FULL, ValueLine.points([rng.randint(0, 1)]), ~ValueLine.points([rng.randint(0, 1)])]),
        rng.choice([EMPTY, FULL]),
        rng.randint(0, 7),
        (some if some and rng.random() < 0.8 else None),
        rng.choice([None, ANY_TEXT, random_lists(rng), random_lists(rng)]),
    )


def random_lists(rng: random.Random) -> StringRequirement | None:
    some = tuple(StringLine.these([rng.choice("12")]) for _ in range(rng.randint(0, 2)))
    return StringRequirement(some, rng.choice([NONE, StringLine.these([rng.choice("12")])])) or None


def test_operations_are_those_of_the_states():
    rng = random.Random(11)
    for _ in range(300):
        a, b = random_cell(rng), random_cell(rng)
        mine, others = states(a), states(b)
        assert a.within(b) is (mine <= others), f"{a}  |  {b}"
        assert a.meets(b) is bool(mine & others), f"{a}  |  {b}"
        assert states(a & b) == mine & others
        assert bool(a & b) is bool(mine & others), f"{a}  |  {b}"
        union = a.union(b)
        assert union is None or states(union) == mine | others
        outside = [states(cell) for cell in a.outside()]
        assert set().union(*outside) == {state for state in STATES if state not in mine}
        assert all(outside)


def test_strings_that_cannot_be_are_no_strings():
    only_a, no_a = (
        Cell(texts=StringRequirement((StringLine.these(["a"]),))),
        Cell(texts=StringRequirement(none=StringLine.containing("a"))),
    )
    assert (only_a & no_a).texts is None
    assert not only_a & no_a
    assert not StringRequirement(none=ALL)
    assert not StringRequirement((NONE,))
    assert ANY_TEXT


def test_everything_and_nothing():
    assert states(ANY) == set(STATES)
    assert states(NOTHING) == set()
    assert list(ANY.outside()) == []
    assert list(NOTHING.outside()) == [ANY]
