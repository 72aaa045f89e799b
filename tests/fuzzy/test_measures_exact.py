"""Possibility and necessity against two evaluations that share no code with the package: exact fractions where all is
straight, and a search that zooms in on the axis where it is not."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from rankcast import model
from rankcast.fuzzy import degree, possibility_necessity, set_possibility_necessity
from rankcast.fuzzy.sets import CrispTest

NOT = (model.Hedge.NOT,)
Function = Callable[[Fraction], Fraction]

# the reference for straight functions, in fractions


def exact(form: model.Membership) -> Function:
    """The definition of each form, written down once more."""
    if isinstance(form, model.Table):
        listed = {Fraction(x): Fraction(y) for x, y in form.degrees}
        return lambda x: listed.get(x, Fraction(0))
    corners = [(Fraction(x), Fraction(y)) for x, y in form.points()]

    def value(x: Fraction) -> Fraction:
        here = [y for corner, y in corners if corner == x]
        if here:
            return max(here)
        below, above = [c for c in corners if c[0] < x], [c for c in corners if c[0] > x]
        if not below or not above:
            return corners[0][1] if not below else corners[-1][1]
        (left, start), (right, end) = below[-1], above[0]
        return start + (end - start) * (x - left) / (right - left)

    return value


def breaks_of(form: model.Membership) -> list[Fraction]:
    return [Fraction(x) for x, _ in (form.degrees if isinstance(form, model.Table) else form.points())]


def supremum(f: Function, g: Function, breaks: list[Fraction]) -> Fraction:
    """sup of min of two functions that are straight between the breaks: each line is found from two inner points."""
    breaks = sorted(set(breaks))
    best = max(min(f(x), g(x)) for x in breaks)
    for left, right in pairwise([breaks[0] - 1, *breaks, breaks[-1] + 1]):
        one, two = left + (right - left) / 3, left + (right - left) * 2 / 3
        lines = [(h(one) - (h(two) - h(one)), h(two) + (h(two) - h(one))) for h in (f, g)]  # limits at left and right
        (f_left, f_right), (g_left, g_right) = lines
        best = max(best, min(f_left, g_left), min(f_right, g_right))
        bend = (f_right - f_left) - (g_right - g_left)
        if bend and 0 < (g_left - f_left) / bend < 1:
            best = max(best, f_left + (f_right - f_left) * (g_left - f_left) / bend)
    return best


def reference(mu: Function, pi: Function, breaks: list[Fraction]) -> tuple[float, float]:
    return float(supremum(mu, pi, breaks)), float(1 - supremum(lambda x: 1 - mu(x), pi, breaks))


# random forms: on a small grid, so that corners often coincide, or anywhere


def random_number(random: Random) -> float:
    return random.choice([random.randint(0, 8), random.randint(0, 16) / 2, random.uniform(0, 8), random.gauss(1e6, 3)])


def random_degree(random: Random) -> float:
    return random.choice([0.0, 1.0, 0.5, random.random()])


def random_straight(random: Random) -> model.Membership:
    def numbers(count: int) -> list[float]:
        spread = random.choice(
            [random_number, lambda random: random.randint(0, 4), lambda random: 1e9 + random.random()]
        )
        return sorted(spread(random) for _ in range(count))

    match random.randrange(7):
        case 0:
            return model.Trapezoid(*numbers(4))
        case 1:
            return model.Triangle(*numbers(3))
        case 2:
            return model.Interval(*numbers(2))
        case 3:
            return model.LeftShoulder(*numbers(2))
        case 4:
            return model.RightShoulder(*numbers(2))
        case 5:
            return model.Piecewise(tuple((x, random_degree(random)) for x in numbers(random.randint(1, 6))))
        case _:
            return model.Table(tuple((x, random_degree(random)) for x in dict.fromkeys(numbers(random.randint(1, 4)))))


def random_hedges(random: Random) -> tuple[model.Hedge, ...]:
    return tuple(random.choices(list(model.Hedge), k=random.choice([0, 1, 1, 2, 3])))


@pytest.mark.parametrize("seed", range(6))
def test_straight_functions_are_exact(seed: int) -> None:
    random = Random(seed)
    for _ in range(200):
        mu, pi = random_straight(random), random_straight(random)
        hedges, pi_hedges = random.choice([(), NOT]), random.choice([(), (), NOT])
        f, g = exact(mu), exact(pi)
        known = (lambda x, g=g: 1 - g(x)) if pi_hedges else g
        wanted = (lambda x, f=f: 1 - f(x)) if hedges else f
        found = possibility_necessity(mu, hedges, pi, pi_hedges)
        assert found == pytest.approx(reference(wanted, known, breaks_of(mu) + breaks_of(pi)), abs=1e-9), (
            mu,
            hedges,
            pi,
            pi_hedges,
        )


# the reference for all else: ever finer grids, in decimals of 60 digits


def precise(form: model.Membership, hedges: tuple[model.Hedge, ...]) -> Callable[[Decimal], Decimal]:
    plain = None if isinstance(form, model.Gaussian) else exact(form)

    def value(x: Decimal) -> Decimal:
        if isinstance(form, model.Gaussian):
            degree = (-(((x - Decimal(form.mean)) / Decimal(form.sigma)) ** 2) / 2).exp()
        else:
            ratio = plain(Fraction(x))
            degree = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        for hedge in reversed(hedges):
            degree = {
                model.Hedge.NOT: 1 - degree,
                model.Hedge.VERY: degree * degree,
                model.Hedge.SOMEWHAT: degree.sqrt(),
            }[hedge]
        return degree

    return value


def corners_of(form: model.Membership) -> list[Decimal]:
    if isinstance(form, model.Gaussian):
        return [Decimal(form.mean) + Decimal(form.sigma) * step for step in (-60, -4, 0, 4, 60)]
    return [Decimal(x.numerator) / Decimal(x.denominator) for x in breaks_of(form)]


def searched(
    wanted: Callable[[Decimal], Decimal], known: Callable[[Decimal], Decimal], corners: list[Decimal]
) -> float:
    """sup of min: between corners both are monotone, so their minimum has one peak, or runs to an end, which is
    approached to 1e-50."""

    def height(x: Decimal) -> Decimal:
        return min(wanted(x), known(x))

    corners = sorted(set(corners))
    best = max(map(height, corners))
    for left, right in pairwise([corners[0] - 1, *corners, corners[-1] + 1]):
        start, end = Decimal("1e-50"), 1 - Decimal("1e-50")
        ends = [left + (right - left) * share for share in (start, end)]
        if min(max(map(wanted, ends)), max(map(known, ends))) <= best + Decimal("1e-12"):
            continue
        for _ in range(22):
            shares = [start + (end - start) * step / 8 for step in range(9)]
            heights = [height(left + (right - left) * share) for share in shares]
            peak = max(range(9), key=heights.__getitem__)
            best = max(best, heights[peak])
            start, end = shares[max(peak - 1, 0)], shares[min(peak + 1, 8)]
    return float(best)


@pytest.mark.parametrize("seed", range(4))
def test_hedges_and_bells_agree_with_a_search(seed: int) -> None:
    random = Random(seed)
    with localcontext(prec=60):
        for _ in range(20):
            mu, pi = (random_any(random) for _ in range(2))
            hedges, pi_hedges = random_hedges(random), random_hedges(random)
            wanted, known = precise(mu, hedges), precise(pi, pi_hedges)
            unwanted = precise(mu, (model.Hedge.NOT, *hedges))
            corners = corners_of(mu) + corners_of(pi)
            expected = searched(wanted, known, corners), 1 - searched(unwanted, known, corners)
            found = possibility_necessity(mu, hedges, pi, pi_hedges)
            assert found == pytest.approx(expected, abs=1e-9), (mu, hedges, pi, pi_hedges)


def random_any(random: Random) -> model.Membership:
    if random.random() < 0.4:
        return model.Gaussian(random.randint(0, 8), random.choice([0.5, 1, random.uniform(0.3, 4)]))
    while True:
        form = random_straight(random)
        if all(0 <= x <= 8 for x in breaks_of(form)):
            return form


# crisp sets against imprecise values


def random_test(random: Random) -> CrispTest:
    low, high = sorted(random.choice([random.randint(0, 8), random.uniform(0, 8)]) for _ in range(2))
    match random.randrange(3):
        case 0:
            return model.Compare(
                random.choice([model.Op.EQ, model.Op.NE, model.Op.LT, model.Op.LE, model.Op.GT, model.Op.GE]), low
            )
        case 1:
            return model.Between(low, high)
        case _:
            return model.OneOf((low, high, 5))


def contains(test: CrispTest, x: Fraction) -> bool:
    match test:
        case model.Compare(op, value):
            return {
                model.Op.EQ: x == value,
                model.Op.NE: x != value,
                model.Op.LT: x < value,
                model.Op.LE: x <= value,
                model.Op.GT: x > value,
                model.Op.GE: x >= value,
            }[op]
        case model.Between(low, high):
            return low <= x <= high
        case model.OneOf(values):
            return x in values


def ends_of(test: CrispTest) -> list[Fraction]:
    match test:
        case model.Compare(_, value):
            return [Fraction(value)]
        case model.Between(low, high):
            return [Fraction(low), Fraction(high)]
        case model.OneOf(values):
            return [Fraction(value) for value in values]


@pytest.mark.parametrize("seed", range(3))
def test_sets_of_numbers_are_exact(seed: int) -> None:
    random = Random(seed)
    for _ in range(200):
        test, pi, hedges = random_test(random), random_straight(random), random.choice([(), NOT])
        g = exact(pi)
        known = (lambda x, g=g: 1 - g(x)) if hedges else g
        expected = reference(lambda x: Fraction(contains(test, x)), known, ends_of(test) + breaks_of(pi))  # noqa: B023
        assert set_possibility_necessity(test, pi, hedges) == pytest.approx(expected, abs=1e-9), (test, pi, hedges)


# laws


def test_a_crisp_value_is_a_distribution_of_one_point() -> None:
    random = Random(7)
    for _ in range(300):
        mu, hedges, x = (
            random_any(random),
            random_hedges(random),
            random.choice([random.randint(0, 8), random.random()]),
        )
        expected = degree(mu, hedges, x)
        assert possibility_necessity(mu, hedges, model.Interval(x, x)) == pytest.approx((expected, expected), abs=1e-12)


def test_necessity_is_one_minus_the_possibility_of_the_opposite() -> None:
    random = Random(8)
    for _ in range(300):
        mu, hedges, pi = random_any(random), random_hedges(random), random_any(random)
        opposite, _ = possibility_necessity(mu, (model.Hedge.NOT, *hedges), pi)
        possibility, necessity = possibility_necessity(mu, hedges, pi)
        assert necessity == pytest.approx(1 - opposite, abs=1e-12)
        if not isinstance(pi, model.Table | model.Piecewise):  # it reaches 1 somewhere, so what must be may be
            assert necessity <= possibility + 1e-9
