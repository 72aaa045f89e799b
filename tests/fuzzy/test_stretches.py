import math

import pytest

from rankcast.fuzzy.pieces import Flank, Flat, Piece, Ramp, Stretch, highest_meeting
from rankcast.model import Hedge

UP, DOWN = Ramp(0.0, 1.0, 0.0, 1.0), Ramp(0.0, 1.0, 1.0, 0.0)


def meeting(f: Piece, f_hedges: tuple[Hedge, ...], g: Piece, g_hedges: tuple[Hedge, ...]) -> float:
    one, other = Stretch(f, f_hedges, 0.0, 1.0), Stretch(g, g_hedges, 0.0, 1.0)
    assert highest_meeting(one, other) == pytest.approx(highest_meeting(other, one), abs=1e-12)
    return highest_meeting(one, other)


def test_limits_are_hedged() -> None:
    stretch = Stretch(Ramp(0.0, 10.0, 0.0, 1.0), (Hedge.NOT, Hedge.VERY), 2.0, 5.0)
    assert (stretch.start, stretch.end) == (pytest.approx(0.96), pytest.approx(0.75))


@pytest.mark.parametrize(
    ("f", "g", "height"),
    [
        (UP, DOWN, 0.5),
        (UP, UP, 1.0),
        (UP, Flat(0.3), 0.3),
        (Flat(0.2), Flat(0.3), 0.2),
        (UP, Ramp(0.0, 1.0, 0.5, 0.25), 0.4),
        (UP, Ramp(0.0, 2.0, 1.0, 0.0), 2 / 3),
        (Ramp(0.0, 1.0, 0.6, 1.0), Ramp(0.0, 1.0, 0.5, 0.0), 0.5),
        (Ramp(0.0, 1.0, 0.0, 0.5), Ramp(0.0, 1.0, 1.0, 0.6), 0.5),
        (Ramp(0.0, 1.0, 0.5, 1.0), Ramp(0.0, 1.0, 0.5, 0.0), 0.5),
    ],
)
def test_straight_lines(f: Piece, g: Piece, height: float) -> None:
    assert meeting(f, (), g, ()) == pytest.approx(height, abs=1e-15)


def test_negated_lines_have_a_closed_form_too() -> None:
    assert Stretch(UP, (), 0.0, 1.0).meets(Stretch(UP, (Hedge.NOT,), 0.0, 1.0)) == 0.5


@pytest.mark.parametrize(
    ("f_hedges", "g_hedges", "height"),
    [
        ((Hedge.VERY,), (), (3 - math.sqrt(5)) / 2),  # t^2 = 1 - t
        ((Hedge.SOMEWHAT,), (), (math.sqrt(5) - 1) / 2),  # sqrt(t) = 1 - t
        ((Hedge.VERY,), (Hedge.VERY,), 0.25),
        ((Hedge.SOMEWHAT,), (Hedge.SOMEWHAT,), math.sqrt(0.5)),
        ((Hedge.VERY,), (Hedge.NOT,), 1.0),
        ((Hedge.SOMEWHAT, Hedge.NOT), (Hedge.SOMEWHAT, Hedge.NOT), math.sqrt(0.5)),
    ],
)
def test_hedged_lines(f_hedges: tuple[Hedge, ...], g_hedges: tuple[Hedge, ...], height: float) -> None:
    assert meeting(UP, f_hedges, DOWN, g_hedges) == pytest.approx(height, abs=1e-12)


def test_a_crossing_right_at_an_end_keeps_its_digits() -> None:
    # sqrt(1 - t) = 1e-9 t: near t = 1 the root falls from 1e-8 to 0 within one unit in the last place of t
    low = Ramp(0.0, 1.0, 0.0, 1e-9)
    assert meeting(DOWN, (Hedge.SOMEWHAT,), low, (Hedge.SOMEWHAT, Hedge.VERY)) == pytest.approx(1e-9, abs=1e-13)


def test_bells_meet_between_their_means() -> None:
    assert meeting(Flank(0, 1), (), Flank(1, 3), ()) == pytest.approx(math.exp(-1 / 32), abs=1e-15)


def test_a_bell_and_a_line() -> None:
    height = meeting(Flank(0, 1), (), UP, ())  # exp(-t^2 / 2) = t
    assert math.exp(-height * height / 2) == pytest.approx(height, abs=1e-12)


def test_a_bell_and_its_complement() -> None:
    assert meeting(Flank(0, 0.1), (), Flank(0, 0.1), (Hedge.NOT,)) == pytest.approx(0.5, abs=1e-12)
