import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.fuzzy.pieces import hedged
from rankcast.model import Hedge

HEDGES = st.lists(st.sampled_from(Hedge), max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("hedges", "degree"),
    [
        ((), 0.36),
        ((Hedge.NOT,), 0.64),
        ((Hedge.VERY,), 0.1296),
        ((Hedge.SOMEWHAT,), 0.6),
        ((Hedge.NOT, Hedge.VERY), 0.8704),
        ((Hedge.VERY, Hedge.NOT), 0.4096),
        ((Hedge.SOMEWHAT, Hedge.NOT), 0.8),
        ((Hedge.NOT, Hedge.NOT), 0.36),
        ((Hedge.VERY, Hedge.SOMEWHAT), 0.36),
    ],
)
def test_the_innermost_hedge_comes_first(hedges: tuple[Hedge, ...], degree: float) -> None:
    assert hedged((0.36, 0.64), hedges)[0] == pytest.approx(degree, abs=1e-15)


@given(st.floats(0, 1), HEDGES)
def test_degree_and_complement_sum_to_one(degree: float, hedges: tuple[Hedge, ...]) -> None:
    made, complement = hedged((degree, 1 - degree), hedges)
    assert 0 <= made <= 1
    assert made + complement == pytest.approx(1, abs=1e-14)


@given(st.floats(0, 1), HEDGES)
def test_the_model_says_the_same_of_one_hedge_at_a_time(degree: float, hedges: tuple[Hedge, ...]) -> None:
    plain = degree
    for hedge in reversed(hedges):
        plain = hedge.applied(plain)
    # the model's way may lose 1e-16 in a subtraction, of which roots make 1e-8, 1e-4, …
    roots = sum(hedge is Hedge.SOMEWHAT for hedge in hedges)
    assert hedged((degree, 1 - degree), hedges)[0] == pytest.approx(plain, abs=2 * 1e-15 ** (0.5**roots))


def test_no_digits_are_lost_near_one() -> None:
    distance = 1e-20
    assert hedged((1 - distance, distance), (Hedge.SOMEWHAT, Hedge.NOT))[0] == pytest.approx(1e-10, rel=1e-12)
    twice = hedged((1 - distance, distance), (Hedge.SOMEWHAT, Hedge.NOT, Hedge.VERY))[0]
    assert twice == pytest.approx(math.sqrt(2e-20), rel=1e-12)
