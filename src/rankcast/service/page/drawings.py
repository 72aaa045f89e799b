"""Shared parts of the pages that draw: style sheet, colours, number format and lines."""

from nicegui import ui

COLOURS = 6
"""The number of distinguishable colours: the variables ``--rc-c0`` and following of the style sheet."""


def wear() -> None:
    """Add the style sheet to the page that is being built."""
    ui.add_head_html('<link rel="stylesheet" href="/assets/drawings.css">')


def colour(number: int) -> str:
    """The CSS colour of item `number`. Colours repeat."""
    return f"var(--rc-c{number % COLOURS})"


def number_text(x: float) -> str:
    """A number for people: years and small numbers plainly, large ones with commas.

    >>> number_text(1999), number_text(429000), number_text(0.25)
    ('1999', '429,000', '0.25')
    """
    return f"{x:,.6g}" if 10_000 <= abs(x) < 1e6 else f"{x:,.0f}" if abs(x) >= 1e6 else f"{x:.6g}"


_Pair = tuple[float, float]


def line_down(upper: _Pair, size: _Pair, lower: _Pair, below: _Pair) -> str:
    """The path of a curve from the bottom of a box to the top of a lower one, each with its corner and its size."""
    x1, y1 = upper[0] + size[0] / 2, upper[1] + size[1]
    x2, y2 = lower[0] + below[0] / 2, lower[1]
    bend = (y2 - y1) / 2
    return f"M {x1:.1f} {y1:.1f} C {x1:.1f} {y1 + bend:.1f}, {x2:.1f} {y2 - bend:.1f}, {x2:.1f} {y2:.1f}"
