import math
import sys

import pytest

from rankcast.fuzzy.pieces import REACH, Flank, Flat, Ramp


def test_flat_is_the_same_everywhere() -> None:
    assert {Flat(0.25).grade(Flat(0.25).place(x)) for x in (-math.inf, 0.0, math.inf)} == {(0.25, 0.75)}


@pytest.mark.parametrize(("x", "degree"), [(2, 0.5), (3, 0.625), (4, 0.75), (6, 1.0)])
def test_ramp_is_straight(x: float, degree: float) -> None:
    ramp = Ramp(2, 6, 0.5, 1.0)
    assert ramp.grade(ramp.place(x)) == (degree, 1 - degree)


def test_ramp_keeps_both_ends_accurate() -> None:
    ramp = Ramp(0.0, 1.0, 0.0, 1.0)
    near_zero, near_one = ramp.grade(ramp.place(1e-30)), ramp.grade(ramp.place(1 - 2**-53))
    assert near_zero[0] == 1e-30
    assert near_one[1] == 2**-53


def test_ramp_between_the_largest_numbers() -> None:
    ramp = Ramp(-sys.float_info.max, sys.float_info.max, 0.0, 1.0)
    assert ramp.grade(ramp.place(0.0)) == (0.5, 0.5)
    assert ramp.grade(ramp.place(sys.float_info.max)) == (1.0, 0.0)


def test_ramp_between_the_smallest_numbers() -> None:
    ramp = Ramp(0.0, 5e-324, 0.0, 1.0)
    assert ramp.grade(ramp.place(5e-324)) == (1.0, 0.0)


def test_flank_is_a_gaussian() -> None:
    flank = Flank(10, 2)
    degree, complement = flank.grade(flank.place(13))
    assert degree == pytest.approx(math.exp(-1.125), abs=1e-15)
    assert complement == pytest.approx(1 - math.exp(-1.125), abs=1e-15)


def test_flank_near_its_mean_keeps_the_complement() -> None:
    flank = Flank(0, 1)
    assert flank.grade(flank.place(1e-12))[1] == pytest.approx(5e-25, rel=1e-12)


@pytest.mark.parametrize("x", [REACH, 1e6, 1e308, math.inf, -math.inf])
def test_flank_far_out_is_nothing(x: float) -> None:
    flank = Flank(0, 1)
    assert flank.grade(flank.place(x)) == (0.0, 1.0)


def test_flank_as_wide_as_the_axis() -> None:
    flank = Flank(-sys.float_info.max, sys.float_info.max)
    assert flank.place(sys.float_info.max) == (2.0, 0.0)
