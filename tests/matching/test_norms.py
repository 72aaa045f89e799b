import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.matching.oracle import conorm, tnorm
from rankcast.model import Norm

DEGREES = st.lists(st.floats(0, 1), min_size=1, max_size=5)
NORMS = st.sampled_from(Norm)


@pytest.mark.parametrize(
    ("norm", "conjunction", "disjunction"),
    [(Norm.MIN, 0.4, 0.9), (Norm.PRODUCT, 0.216, 0.976), (Norm.LUKASIEWICZ, 0.0, 1.0)],
)
def test_by_hand(norm: Norm, conjunction: float, disjunction: float) -> None:
    assert tnorm(norm, [0.9, 0.4, 0.6]) == pytest.approx(conjunction)
    assert conorm(norm, [0.9, 0.4, 0.6]) == pytest.approx(disjunction)


@given(NORMS, DEGREES)
def test_results_are_degrees(norm: Norm, degrees: list[float]) -> None:
    assert 0 <= tnorm(norm, degrees) <= min(degrees) + 1e-12
    assert max(degrees) - 1e-12 <= conorm(norm, degrees) <= 1


@given(NORMS, DEGREES)
def test_the_conorm_is_the_dual(norm: Norm, degrees: list[float]) -> None:
    assert conorm(norm, degrees) == pytest.approx(1 - tnorm(norm, [1 - degree for degree in degrees]), abs=1e-12)


@given(NORMS, DEGREES)
def test_one_and_zero(norm: Norm, degrees: list[float]) -> None:
    assert tnorm(norm, [*degrees, 1.0]) == pytest.approx(tnorm(norm, degrees), abs=1e-12)
    assert tnorm(norm, [*degrees, 0.0]) == 0
    assert conorm(norm, [*degrees, 0.0]) == pytest.approx(conorm(norm, degrees), abs=1e-12)
    assert conorm(norm, [*degrees, 1.0]) == 1


@given(NORMS, DEGREES)
def test_order_does_not_count(norm: Norm, degrees: list[float]) -> None:
    assert round(tnorm(norm, degrees), 12) == pytest.approx(round(tnorm(norm, degrees[::-1]), 12), abs=2e-12)
    assert conorm(norm, degrees) == pytest.approx(conorm(norm, degrees[::-1]), abs=1e-12)


@given(NORMS, st.floats(0, 1))
def test_a_single_degree_stays_itself(norm: Norm, degree: float) -> None:
    assert tnorm(norm, [degree]) == degree == conorm(norm, [degree])
