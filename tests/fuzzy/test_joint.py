"""Joint possibility against exact fractions, and against sets of strings written down one by one."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from rankcast.fuzzy import ValueCondition, joint_necessity, joint_possibility, possibility_necessity
from rankcast.fuzzy.joint import CrispTest
from rankcast.model import (
    Between,
    Compare,
    Gaussian,
    Hedge,
    Interval,
    LeftShoulder,
    Membership,
    OneOf,
    Op,
    Piecewise,
    RightShoulder,
    Table,
    Trapezoid,
    Triangle,
)

NOT = (Hedge.NOT,)


def value(of: Membership | CrispTest, x: Fraction) -> Fraction:
    """The definition of each form, written down once more."""
    match of:
        case Compare(op, at):
            return Fraction(
                {"<": x < at, "<=": x <= at, ">": x > at, ">=": x >= at, "=": x == at, "!=": x != at}[op.value]
            )
        case Between(low, high):
            return Fraction(low <= x <= high)
        case OneOf(values):
            return Fraction(x in values)
        case Table(degrees):
            return {Fraction(at): Fraction(degree) for at, degree in degrees}.get(x, Fraction(0))
    corners = [(Fraction(at), Fraction(degree)) for at, degree in of.points()]
    here = [degree for at, degree in corners if at == x]
    if here:
        return max(here)
    below, above = [c for c in corners if c[0] < x], [c for c in corners if c[0] > x]
    if not below or not above:
        return corners[0][1] if not below else corners[-1][1]
    (left, start), (right, end) = below[-1], above[0]
    return start + (end - start) * (x - left) / (right - left)


def breaks(of: Membership | CrispTest) -> list[Fraction]:
    match of:
        case Compare(_, at):
            return [Fraction(at)]
        case Between(low, high):
            return [Fraction(low), Fraction(high)]
        case OneOf(values):
            return [Fraction(at) for at in values]
        case Table(degrees):
            return [Fraction(at) for at, _ in degrees]
    return [Fraction(at) for at, _ in of.points()]


def supremum(conditions: tuple[ValueCondition, ...], pi: Membership) -> Fraction:
    """sup of the minimum: at each break, and at each end and each crossing of two lines between breaks."""

    def heights(x: Fraction) -> list[Fraction]:
        found = [1 - value(one.of, x) if one.negated else value(one.of, x) for one in conditions]
        return [*found, value(pi, x)]

    at = sorted({x for of in (*(one.of for one in conditions), pi) for x in breaks(of)})
    best = max(min(heights(x)) for x in at)
    for left, right in pairwise([at[0] - 1, *at, at[-1] + 1]):
        thirds = [left + (right - left) / 3, left + (right - left) * 2 / 3]
        slopes = [(h1 - (h2 - h1), 3 * (h2 - h1)) for h1, h2 in zip(*map(heights, thirds), strict=True)]
        shares = {Fraction(0), Fraction(1)}
        for i, (start, slope) in enumerate(slopes):
            for other, its_slope in slopes[:i]:
                if slope != its_slope:
                    shares.add(min(Fraction(1), max(Fraction(0), (other - start) / (slope - its_slope))))
        best = max(best, *(min(start + slope * share for start, slope in slopes) for share in shares))
    return best


def some_function(random: Random) -> Membership:
    a, b, c, d = sorted(random.randint(0, 8) for _ in range(4))
    return random.choice(
        [
            Interval(a, b),
            Triangle(a, b, c),
            Trapezoid(a, b, c, d),
            LeftShoulder(a, b),
            RightShoulder(a, b),
            Piecewise(tuple((x, random.randint(0, 4) / 4) for x in (a, b, c, d))),
            Table(tuple((x, random.randint(0, 4) / 4) for x in {a, b, c})),
        ]
    )


def some_condition(random: Random) -> ValueCondition:
    a, b = sorted(random.randint(0, 8) for _ in range(2))
    op = random.choice([Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE])
    of = random.choice([Compare(op, a), Between(a, b), OneOf((a, b)), some_function(random), some_function(random)])
    return ValueCondition(of, negated=random.random() < 0.3)


def test_exact_on_random_functions():
    random = Random(17)
    for _ in range(400):
        conditions = tuple(some_condition(random) for _ in range(random.randint(1, 5)))
        pi = some_function(random)
        assert joint_possibility(conditions, pi) == pytest.approx(float(supremum(conditions, pi)), abs=1e-9), conditions


def test_one_condition_is_plain_possibility():
    pi = Gaussian(650, 40)
    for hedges in ((), NOT, (Hedge.VERY,), (Hedge.SOMEWHAT, Hedge.NOT)):
        possibility, necessity = possibility_necessity(LeftShoulder(500, 900), hedges, pi)
        condition = ValueCondition(LeftShoulder(500, 900), hedges)
        assert joint_possibility((condition,), pi) == pytest.approx(possibility, abs=1e-12)
        assert joint_necessity((condition,), pi) == pytest.approx(necessity, abs=1e-12)


def test_curved_functions():
    # "about 10" and "very about 12" and "not above 11.2": all three rise up to 11.2, where the last one ends.
    conditions = (
        ValueCondition(Gaussian(10, 1)),
        ValueCondition(Gaussian(12, 1), (Hedge.VERY,)),
        ValueCondition(Compare(Op.GT, 11.2), negated=True),
    )
    crossing = joint_possibility(conditions[:2], Interval(0, 20))
    assert crossing == pytest.approx(possibility_necessity(Gaussian(10, 1), (), Gaussian(12, 1), (Hedge.VERY,))[0])
    assert joint_possibility(conditions, Interval(0, 20)) == pytest.approx(crossing)
    assert joint_possibility(conditions, Interval(11.5, 20)) == 0.0


def test_three_that_meet_only_in_pairs():
    peaks = tuple(
        ValueCondition(Piecewise(((x, 0), (x + 1, 1), (x + 2, 0), (x + 3, 1), (x + 4, 0)))) for x in (0, 1, 2)
    )
    assert joint_possibility(peaks, Interval(0, 6)) == float(supremum(peaks, Interval(0, 6)))


CONDITION = Table((("new", 1.0), ("used", 0.6), ("old", 0.2)))


@pytest.mark.parametrize(
    ("conditions", "hedges", "possibility"),
    [
        ((ValueCondition(Compare(Op.EQ, "new")), ValueCondition(Compare(Op.EQ, "used"))), (), 0.0),
        ((ValueCondition(Compare(Op.STARTSWITH, "n")), ValueCondition(Compare(Op.CONTAINS, "e"))), (), 1.0),
        ((ValueCondition(Compare(Op.EQ, "new"), negated=True), ValueCondition(Compare(Op.CONTAINS, "e"))), (), 0.6),
        ((ValueCondition(CONDITION, NOT), ValueCondition(Compare(Op.CONTAINS, "e"))), (), 0.4),
        ((ValueCondition(Compare(Op.LT, 5)), ValueCondition(Compare(Op.CONTAINS, "e"))), (), 0.0),
        ((ValueCondition(Compare(Op.LT, 5), negated=True), ValueCondition(Compare(Op.CONTAINS, "e"))), (), 1.0),
        # "not …" leaves infinitely many strings possible
        ((ValueCondition(Compare(Op.NE, "new")), ValueCondition(Compare(Op.CONTAINS, "e"))), NOT, 1.0),
        ((ValueCondition(Compare(Op.EQ, "used")), ValueCondition(Compare(Op.CONTAINS, "e"))), NOT, 0.4),
        ((ValueCondition(Compare(Op.LT, "a")), ValueCondition(Compare(Op.GT, "b"))), NOT, 0.0),
        ((ValueCondition(Compare(Op.GE, "a")), ValueCondition(Compare(Op.LE, "a"))), NOT, 1.0),
        ((ValueCondition(Compare(Op.GT, "a")), ValueCondition(Compare(Op.GT, "b"), negated=True)), NOT, 1.0),
        ((ValueCondition(Compare(Op.GT, "b")), ValueCondition(Compare(Op.GT, "a"), negated=True)), NOT, 0.0),
        ((ValueCondition(Compare(Op.STARTSWITH, "ab")), ValueCondition(Compare(Op.STARTSWITH, "b"))), NOT, 0.0),
        (
            (ValueCondition(Compare(Op.STARTSWITH, "ab")), ValueCondition(Compare(Op.STARTSWITH, "a"), negated=True)),
            NOT,
            0.0,
        ),
        (
            (ValueCondition(Compare(Op.STARTSWITH, "a")), ValueCondition(Compare(Op.STARTSWITH, "ab"), negated=True)),
            NOT,
            1.0,
        ),
        (
            (ValueCondition(Compare(Op.ENDSWITH, "ab")), ValueCondition(Compare(Op.CONTAINS, "a"), negated=True)),
            NOT,
            0.0,
        ),
        ((ValueCondition(Compare(Op.ENDSWITH, "ab")), ValueCondition(Compare(Op.ENDSWITH, "a"))), NOT, 0.0),
        (
            (ValueCondition(Compare(Op.ICONTAINS, "x")), ValueCondition(Compare(Op.CONTAINS, "x"), negated=True)),
            NOT,
            1.0,
        ),
        (
            (ValueCondition(Compare(Op.CONTAINS, "x")), ValueCondition(Compare(Op.ICONTAINS, "X"), negated=True)),
            NOT,
            0.0,
        ),
        ((ValueCondition(Between("a", "a")), ValueCondition(Compare(Op.NE, "a"))), NOT, 0.0),
        ((ValueCondition(Compare(Op.CONTAINS, ""), negated=True), ValueCondition(Compare(Op.NE, "a"))), NOT, 0.0),
    ],
)
def test_strings(conditions, hedges, possibility):
    assert joint_possibility(conditions, CONDITION, hedges) == pytest.approx(possibility)


def test_necessity_of_alternatives():
    halves = ValueCondition(Compare(Op.LE, 3)), ValueCondition(Compare(Op.GT, 3))
    assert joint_necessity(halves, Triangle(0, 3, 6)) == 1.0
    assert joint_necessity(halves[:1], Triangle(0, 3, 6)) == 0.0
    assert (
        joint_necessity((ValueCondition(Compare(Op.EQ, "new")), ValueCondition(Compare(Op.EQ, "used"))), CONDITION)
        == 0.8
    )


def test_many_crisp_sets_take_milliseconds():
    conditions = tuple(ValueCondition(Compare(Op.NE, x)) for x in range(2_000))
    assert joint_possibility(conditions, Interval(500, 500)) == 0.0
    assert joint_possibility(conditions, Interval(500, 501)) == 1.0
