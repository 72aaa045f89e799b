"""Lots are uniform and stable; a weighted draw follows its weights."""

from collections import Counter
from itertools import permutations

from rankcast.overlay import draw, lot


def chi_square(observed: list[float], expected: list[float]) -> float:
    return sum((seen - due) ** 2 / due for seen, due in zip(observed, expected, strict=True))


def test_lots_are_uniform() -> None:
    counts = Counter(int(10 * lot("a", str(number))) for number in range(10_000))
    # 9 degrees of freedom: 33.7 is passed by one in ten thousand
    assert chi_square([counts[cell] for cell in range(10)], [1000] * 10) < 33.7


def test_a_lot_depends_on_every_id_and_on_where_they_are_cut() -> None:
    assert len({lot("ab", "c"), lot("a", "bc"), lot("abc"), lot("c", "ab"), lot("ab", "c", "")}) == 5
    assert lot("ab", "c") == lot("ab", "c")


def test_a_draw_follows_the_weights_draw_by_draw() -> None:
    weights = {"s1": 1.0, "s2": 2.0, "s3": 4.0}
    trials = 20_000
    seen = Counter(tuple(draw(weights, 2, "seed", str(number))) for number in range(trials))
    pairs = list(permutations(weights, 2))
    total = sum(weights.values())
    due = [trials * weights[a] / total * weights[b] / (total - weights[a]) for a, b in pairs]
    # 5 degrees of freedom: 25.7 is passed by one in ten thousand
    assert chi_square([seen[pair] for pair in pairs], due) < 25.7
    # and the test can fail: equal weights are seen
    assert chi_square([seen[pair] for pair in pairs], [trials / 6] * 6) > 1000


def test_a_draw_does_not_depend_on_the_order_of_the_names() -> None:
    weights = {f"s{number}": 1.0 + number for number in range(20)}
    backwards = dict(reversed(weights.items()))
    assert draw(weights, 5, "e1") == draw(backwards, 5, "e1")
    assert len(draw(weights, 50, "e1")) == 20
