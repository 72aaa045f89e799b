"""Shapes that several drawings share, as SVG."""

_Pair = tuple[float, float]


def line_down(upper: _Pair, size: _Pair, lower: _Pair, below: _Pair) -> str:
    """The path of a curve from the bottom of a box to the top of a lower one, each with its corner and its size."""
    x1, y1 = upper[0] + size[0] / 2, upper[1] + size[1]
    x2, y2 = lower[0] + below[0] / 2, lower[1]
    bend = (y2 - y1) / 2
    return f"M {x1:.1f} {y1:.1f} C {x1:.1f} {y1 + bend:.1f}, {x2:.1f} {y2 - bend:.1f}, {x2:.1f} {y2:.1f}"
