"""What the pages that draw have in common: their style sheet, colours and numbers."""

from nicegui import ui

__all__ = ["COLOURS", "colour", "number_text", "wear"]

COLOURS = 6
"""So many colours can be told apart; they are the variables ``--rc-c0`` and on of the style sheet."""


def wear() -> None:
    """Put the style sheet of these pages on the page that is being built."""
    ui.add_head_html('<link rel="stylesheet" href="/assets/drawings.css">')


def colour(number: int) -> str:
    """The colour for the so-manieth thing, as CSS."""
    return f"var(--rc-c{number % COLOURS})"


def number_text(x: float) -> str:
    """A number as people write it: years and small numbers plainly, large ones with commas.

    >>> number_text(1999), number_text(429000), number_text(0.25)
    ('1999', '429,000', '0.25')
    """
    return f"{x:,.6g}" if 10_000 <= abs(x) < 1e6 else f"{x:,.0f}" if abs(x) >= 1e6 else f"{x:.6g}"
