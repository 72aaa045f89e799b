"""Lots are uniform and stable; a draw from an urn follows its weights."""

from collections import Counter
from itertools import product
from math import comb

from rankcast.overlay import draw, lot, lots, urn


def chi_square(observed: list[float], expected: list[float]) -> float:
    return sum((seen - due) ** 2 / due for seen, due in zip(observed, expected, strict=True))


def test_lots_are_uniform() -> None:
    counts = Counter(int(10 * lot("a", str(number))) for number in range(10_000))
    # 9 degrees of freedom: 33.7 is passed by one in ten thousand
    assert chi_square([counts[cell] for cell in range(10)], [1000] * 10) < 33.7


def test_a_lot_depends_on_every_id_and_on_where_they_are_cut() -> None:
    assert len({lot("ab", "c"), lot("a", "bc"), lot("abc"), lot("c", "ab"), lot("ab", "c", "")}) == 5
    assert lot("ab", "c") == lot("ab", "c")


def test_a_draw_is_one_from_an_urn() -> None:
    weights = {"s1": 1, "s2": 2, "s3": 4}
    trials = 20_000
    seen = Counter(tuple(draw(weights, 3, "seed", str(number)).items()) for number in range(trials))
    splits = [(a, b, c) for a, b, c in product(range(2), range(3), range(5)) if a + b + c == 3]
    named = [tuple((name, times) for name, times in zip(weights, split, strict=True) if times) for split in splits]
    due = [trials * comb(1, a) * comb(2, b) * comb(4, c) / comb(7, 3) for a, b, c in splits]
    # 5 degrees of freedom: 25.7 is passed by one in ten thousand
    assert len(splits) == 6
    assert chi_square([seen[split] for split in named], due) < 25.7
    # and the test can fail: equal weights are seen
    assert chi_square([seen[split] for split in named], [trials / 6] * 6) > 1000


def test_a_draw_does_not_depend_on_the_order_of_the_names() -> None:
    weights = {f"s{number}": 1 + number for number in range(20)}
    backwards = dict(reversed(weights.items()))
    assert draw(weights, 5, "e1") == draw(backwards, 5, "e1")
    assert sum(draw(weights, 5, "e1").values()) == 5


def test_an_urn_gives_all_it_has() -> None:
    assert draw({"s1": 2, "s2": 1}, 50, "e1") == {"s1": 2, "s2": 1}
    assert draw({}, 3, "e1") == {}
    assert list(urn(lots("e1"), "s1", 5)) == sorted(urn(lots("e1"), "s1", 5))
