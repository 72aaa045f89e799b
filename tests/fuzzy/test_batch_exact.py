"""Batches against evaluations that share no code with the package: 100,000 pairs of straight functions by all pairs of
their segments in extended precision, and bells by a search that zooms in on the axis.

Bells cost half a millisecond a pair, so there are 20,000 of them; ``RANKCAST_PAIRS=100000`` makes them 100,000.
"""

import os
from random import Random

import numpy as np
import pytest

from rankcast import model
from rankcast.fuzzy import batch_possibility_necessity

NOT = (model.Hedge.NOT,)
MOST = 6  # corners

# random functions: corners on a small grid, so that they often coincide, or anywhere, or close together far out


def random_straight(random: Random) -> model.Membership:
    spread = random.choice(
        [
            lambda: random.randint(0, 4),
            lambda: random.randint(0, 16) / 2,
            lambda: random.uniform(0, 8),
            lambda: random.gauss(4, 1e-6),
            lambda: 1e9 + random.random(),
        ]
    )

    def numbers(count: int) -> list[float]:
        return sorted(spread() for _ in range(count))

    def some() -> float:
        return random.choice([0.0, 1.0, 0.5, random.random()])

    match random.randrange(8):
        case 0 | 1:
            return model.Trapezoid(*numbers(4))
        case 2:
            return model.Triangle(*numbers(3))
        case 3:
            return model.Interval(*(numbers(1) * 2 if random.random() < 0.3 else numbers(2)))
        case 4:
            return model.LeftShoulder(*numbers(2))
        case 5:
            return model.RightShoulder(*numbers(2))
        case 6:
            return model.Piecewise(tuple((x, some()) for x in numbers(random.randint(1, MOST))))
        case _:
            return model.Table(tuple((x, some()) for x in dict.fromkeys(numbers(random.randint(1, 2)))))


def corners(form: model.Membership) -> list[tuple[float, float]]:
    if isinstance(form, model.Table):
        return [corner for x, y in sorted(form.degrees) for corner in ((x, 0.0), (x, y), (x, 0.0))]
    return list(form.points())


# the reference for straight functions


class Rows:
    """Functions as corners in extended precision, with one corner more on either side, beyond all others."""

    def __init__(self, forms: list[model.Membership], negated: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        listed = [corners(form) for form in forms]
        ends = [[*one, *[one[-1]] * (MOST - len(one))] for one in listed]
        inner = np.array(ends, dtype=np.longdouble)
        self.x = np.concatenate([low[:, None], inner[:, :, 0], high[:, None]], axis=1)
        self.y = np.concatenate([inner[:, :1, 1], inner[:, :, 1], inner[:, -1:, 1]], axis=1)
        self.negated = negated

    def line(self, i: int, rows: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The lines of the i-th segments of some functions at x; they are not vertical."""
        x0, x1, y0, y1 = self.x[rows, i], self.x[rows, i + 1], self.y[rows, i], self.y[rows, i + 1]
        y = (y0 * (x1 - x) + y1 * (x - x0)) / (x1 - x0)
        return np.where(self.negated[rows], 1 - y, y)

    def at(self, x: np.ndarray) -> np.ndarray:
        """The definition: the highest corner at x, else the line between the corners around it."""
        y = np.full(x.shape, -1, dtype=np.longdouble)
        for i in range(self.x.shape[1]):
            y = np.where(self.x[:, i] == x, np.maximum(y, self.y[:, i]), y)
        plain = np.where(self.negated, 1 - y, y)
        for i in range(self.x.shape[1] - 1):
            rows = np.flatnonzero((self.x[:, i] < x) & (x < self.x[:, i + 1]))
            plain[rows] = self.line(i, rows, x[rows])
        return plain


def highest(f: Rows, g: Rows) -> tuple[np.ndarray, np.ndarray]:
    """sup of min, with f and with its opposite: on the common part of two segments the minimum of two lines is concave."""
    best = np.zeros((2, len(f.x)), dtype=np.longdouble)
    for rows in (f, g):
        for i in range(rows.x.shape[1]):
            x = rows.x[:, i]
            of_f, of_g = f.at(x), g.at(x)
            best = np.maximum(best, np.minimum(np.stack([of_f, 1 - of_f]), of_g))
    for i in range(f.x.shape[1] - 1):
        for j in range(g.x.shape[1] - 1):
            left, right = np.maximum(f.x[:, i], g.x[:, j]), np.minimum(f.x[:, i + 1], g.x[:, j + 1])
            rows = np.flatnonzero(left < right)
            ends = [np.stack([end, 1 - end]) for end in (f.line(i, rows, left[rows]), f.line(i, rows, right[rows]))]
            (f0, f1), g0, g1 = ends, g.line(j, rows, left[rows]), g.line(j, rows, right[rows])
            found = np.maximum(np.minimum(f0, g0), np.minimum(f1, g1))
            with np.errstate(invalid="ignore", divide="ignore"):
                share = (g0 - f0) / ((f1 - f0) - (g1 - g0))
                met = f0 + (f1 - f0) * share
            found = np.where((share > 0) & (share < 1), np.maximum(found, met), found)
            best[:, rows] = np.maximum(best[:, rows], found)
    return best[0], best[1]


def reference(mus, mu_negated, pis, pi_negated):
    ends = [[x for x, _ in corners(mu) + corners(pi)] for mu, pi in zip(mus, pis, strict=True)]
    low = np.array([min(xs) - 1 for xs in ends], dtype=np.longdouble)
    high = np.array([max(xs) + 1 for xs in ends], dtype=np.longdouble)
    possible, opposite = highest(Rows(mus, mu_negated, low, high), Rows(pis, pi_negated, low, high))
    return possible, 1 - opposite


def straight_error(count: int, seed: int) -> float:
    """The largest error of P or N over so many random pairs."""
    random = Random(seed)
    mus, pis = ([random_straight(random) for _ in range(count)] for _ in range(2))
    mu_negated, pi_negated = (np.array([random.random() < 0.3 for _ in range(count)]) for _ in range(2))
    found = batch_possibility_necessity(
        [(mu, NOT if negated else ()) for mu, negated in zip(mus, mu_negated, strict=True)],
        [(pi, NOT if negated else ()) for pi, negated in zip(pis, pi_negated, strict=True)],
    )
    worst = 0.0
    for start in range(0, count, 5_000):
        some = slice(start, start + 5_000)
        expected = reference(mus[some], mu_negated[some], pis[some], pi_negated[some])
        for ours, theirs in zip(found, expected, strict=True):
            worst = max(worst, float(abs(ours[some] - theirs).max()))
    return worst


@pytest.mark.parametrize("seed", range(2))
def test_straight_pairs_are_exact(seed: int) -> None:
    assert straight_error(2_000, seed) <= 1e-9


@pytest.mark.slow
def test_100_000_straight_pairs_are_exact() -> None:
    assert straight_error(100_000, seed=6) <= 1e-9


# the reference for bells


def random_curved(random: Random) -> tuple[model.Membership, tuple[model.Hedge, ...]]:
    hedges = tuple(random.choices(list(model.Hedge), k=random.choice([0, 0, 1, 2])))
    if random.random() < 0.7:
        return model.Gaussian(
            random.choice([random.randint(0, 8), random.uniform(0, 8)]), random.uniform(0.2, 3)
        ), hedges
    while True:
        form = random_straight(random)
        if all(0 <= x <= 8 for x, _ in corners(form)) and not isinstance(form, model.Table):
            return form, hedges


class Curves:
    """Many functions with hedges at once, by definition."""

    def __init__(self, forms: list[tuple[model.Membership, tuple[model.Hedge, ...]]]) -> None:
        count = len(forms)
        self.is_bell = np.array([isinstance(form, model.Gaussian) for form, _ in forms])
        self.mean, self.sigma = np.zeros(count), np.ones(count)
        self.x, self.y = np.zeros((count, MOST)), np.zeros((count, MOST))
        self.hedges = np.full((count, 3), -1)
        for place, (form, hedges) in enumerate(forms):
            # The innermost word is applied first, and stands last.
            self.hedges[place, : len(hedges)] = [list(model.Hedge).index(hedge) for hedge in reversed(hedges)]
            if isinstance(form, model.Gaussian):
                self.mean[place], self.sigma[place] = form.mean, form.sigma
            else:
                listed = corners(form)
                self.x[place], self.y[place] = np.array(listed + [listed[-1]] * (MOST - len(listed))).T

    def at(self, rows: np.ndarray, x: np.ndarray, side: str = "") -> np.ndarray:
        """The degrees at x, a line for each of some functions, or what they are just "left" or "right" of it."""
        y = np.empty(x.shape)
        bell = self.is_bell[rows]
        some = rows[bell]
        y[bell] = np.exp(-(((x[bell] - self.mean[some, None]) / self.sigma[some, None]) ** 2) / 2)
        y[~bell] = self._straight(rows[~bell], x[~bell], side)
        for word in range(self.hedges.shape[1]):
            for number, hedge in enumerate(model.Hedge):
                said = self.hedges[rows, word] == number
                z = y[said]
                y[said] = {model.Hedge.NOT: 1 - z, model.Hedge.VERY: z**2, model.Hedge.SOMEWHAT: np.sqrt(z)}[hedge]
        return y

    def _straight(self, rows: np.ndarray, x: np.ndarray, side: str) -> np.ndarray:
        xs, ys = self.x[rows], self.y[rows]
        left = side == "left"
        y = np.where((x <= xs[:, :1]) if left else (x < xs[:, :1]), ys[:, :1], ys[:, -1:])
        for i in range(MOST - 1):
            x0, x1, y0, y1 = (of[:, i + j, None] for of in (xs, ys) for j in (0, 1))
            between = (x0 < x) & (x <= x1) if left else (x0 <= x) & (x < x1)
            with np.errstate(invalid="ignore", divide="ignore"):
                y = np.where(between, y0 + (y1 - y0) * ((x - x0) / (x1 - x0)), y)
        if side == "":
            here = np.where(x[:, :, None] == xs[:, None, :], ys[:, None, :], -1.0).max(axis=2)
            y = np.where(here >= 0, here, y)
        return y


def edges_of(mu: model.Membership, pi: model.Membership) -> list[float]:
    """Between these, each of the two functions is monotone."""
    breaks = {0.0, 8.0}
    for form in (mu, pi):
        if isinstance(form, model.Gaussian):
            breaks |= {form.mean + form.sigma * step for step in (-40, -6, 0, 6, 40)}
        else:
            breaks |= {float(x) for x, _ in corners(form)}
    edges = sorted(breaks)
    return [edges[0] - 1, *edges, edges[-1] + 1]


def zoomed(f: Curves, g: Curves, edges: np.ndarray) -> np.ndarray:
    """sup of min: between two edges the minimum of two monotone functions has one peak, which ever finer grids find."""
    everyone = np.arange(len(edges))
    best = np.minimum(f.at(everyone, edges), g.at(everyone, edges)).max(axis=1)
    rows, number = np.nonzero(edges[:, :-1] < edges[:, 1:])
    low, high = edges[rows, number], edges[rows, number + 1]
    highest = [
        np.maximum(one.at(rows, low[:, None], "right"), one.at(rows, high[:, None], "left"))[:, 0] for one in (f, g)
    ]
    can_be_higher = np.minimum(*highest) > best[rows]
    rows, low, high = rows[can_be_higher], low[can_be_higher], high[can_be_higher]
    every = np.arange(len(rows))
    shares = np.linspace(0, 1, 9)
    for _ in range(20):
        grid = np.concatenate([low[:, None] + (high - low)[:, None] * shares[:-1], high[:, None]], axis=1)
        inner = np.minimum(f.at(rows, grid[:, :-1], "right"), g.at(rows, grid[:, :-1], "right"))
        last = np.minimum(f.at(rows, grid[:, -1:], "left"), g.at(rows, grid[:, -1:], "left"))
        heights = np.concatenate([inner, last], axis=1)
        peak = heights.argmax(axis=1)
        np.maximum.at(best, rows, heights[every, peak])
        low, high = grid[every, np.maximum(peak - 1, 0)], grid[every, np.minimum(peak + 1, 8)]
    return best


def curved_error(count: int, seed: int) -> float:
    """The largest error over so many random pairs, most of them with a bell."""
    random = Random(seed)
    worst = 0.0
    for start in range(0, count, 5_000):
        size = min(5_000, count - start)
        mus, pis = ([random_curved(random) for _ in range(size)] for _ in range(2))
        listed = [edges_of(mu, pi) for (mu, _), (pi, _) in zip(mus, pis, strict=True)]
        longest = max(map(len, listed))
        edges = np.array([one + [one[-1]] * (longest - len(one)) for one in listed])
        g = Curves(pis)
        opposite = Curves([(mu, (*NOT, *hedges)) for mu, hedges in mus])
        expected = zoomed(Curves(mus), g, edges), 1 - zoomed(opposite, g, edges)
        for ours, theirs in zip(batch_possibility_necessity(mus, pis), expected, strict=True):
            worst = max(worst, float(abs(ours - theirs).max()))
    return worst


def test_bells_and_hedges_agree_with_a_search() -> None:
    assert curved_error(2_000, seed=3) <= 1e-6


@pytest.mark.slow
def test_many_pairs_with_bells_and_hedges_agree_with_a_search() -> None:
    assert curved_error(int(os.environ.get("RANKCAST_PAIRS", "20000")), seed=4) <= 1e-6
