"""What the pages that draw have in common: their style sheet, colours, and short texts for events and numbers."""

from datetime import datetime

from nicegui import ui

from rankcast.language import show_time
from rankcast.language.membership_json import membership_to_json
from rankcast.model import AttributeValue, Event, Interval, Term

__all__ = ["COLOURS", "colour", "number_text", "title_of", "value_text", "wear"]

COLOURS = 6
"""So many colours can be told apart; they are the variables ``--rc-c0`` and on of the style sheet."""

_NAMES = ("title", "name", "headline", "text", "subject")


def wear() -> None:
    """Put the style sheet of these pages on the page that is being built."""
    ui.add_head_html('<link rel="stylesheet" href="/assets/drawings.css">')


def colour(number: int) -> str:
    """The colour for the so-manieth thing, as CSS."""
    return f"var(--rc-c{number % COLOURS})"


def title_of(event: Event, most: int = 70) -> str:
    """A few words that tell the event from others: its title where it has one, else its id."""
    for name in _NAMES:
        value = event.attributes.get(name)
        if isinstance(value, tuple) and isinstance(value[0], str):
            return _cut(value[0], most)
    return _cut(event.id, most)


def value_text(value: AttributeValue, most: int = 60) -> str:
    """A value for people: ``2,500 to 2,750``, ``very cheap``, ``drama, comedy``."""
    match value:
        case tuple():
            return _cut(", ".join(_scalar(one) for one in value), most)
        case Term(concept, hedges):
            return " ".join([*(hedge.value for hedge in hedges), concept])
        case Interval(low, high):
            return f"{number_text(low)} to {number_text(high)}"
        case _:
            ((form, numbers),) = membership_to_json(value).items()
            told = numbers.values() if isinstance(numbers, dict) else numbers
            shown = " ".join(number_text(one) if isinstance(one, int | float) else str(one) for one in told)
            return _cut(f"{form} {shown}", most)


def number_text(x: float) -> str:
    """A number as people write it: years and small numbers plainly, large ones with commas.

    >>> number_text(1999), number_text(429000), number_text(0.25)
    ('1999', '429,000', '0.25')
    """
    return f"{x:,.6g}" if 10_000 <= abs(x) < 1e6 else f"{x:,.0f}" if abs(x) >= 1e6 else f"{x:.6g}"


def _scalar(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            return show_time(value)
        case int() | float():
            return number_text(value)
        case _:
            return str(value)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
