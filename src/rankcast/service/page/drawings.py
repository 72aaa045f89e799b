"""Shared parts of the pages that draw: style sheet, colours and number format."""

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
