"""Events and values as text for people: the title of a card, and its attributes."""

from collections.abc import Collection
from datetime import datetime, timedelta

from rankcast.language.membership_json import membership_to_json
from rankcast.language.times import show_time
from rankcast.model import AttributeValue, Event, Interval, Scalar, Term

_TITLES = ("title", "name", "headline", "subject", "summary", "text", "product", "item")
_LONGEST_TITLE = 120
_LARGE = 10_000
"""From here on numbers have commas. Years have none."""


def title_of(event: Event) -> str:
    """A title for an event: its title or name if it has one, otherwise its first text, otherwise its id.

    >>> from rankcast.model import EPOCH
    >>> title_of(Event("e1", EPOCH, {"genre": ("drama",), "title": ("Big Fish",)}))
    'Big Fish'
    >>> title_of(Event("e2", EPOCH, {"city": ("Paris",), "rooms": (3,)})), title_of(Event("e3", EPOCH, {"x": (1,)}))
    ('Paris', 'e3')
    """
    name = title_attribute(event)
    return event.id if name is None else cut(said(event.attributes[name]), _LONGEST_TITLE)


def title_attribute(event: Event) -> str | None:
    """The attribute that names the event, if one does."""
    by_lower = {name.lower(): name for name in reversed(list(event.attributes))}
    for wanted in _TITLES:
        if wanted in by_lower and _is_text(event.attributes[by_lower[wanted]]):
            return by_lower[wanted]
    return next((name for name, value in event.attributes.items() if _is_text(value)), None)


def facts(event: Event, most: int = 6, first: Collection[str] = ()) -> list[tuple[str, str]]:
    """Names and values of the attributes other than the title, at most `most`; those in `first` come first.

    >>> from rankcast.model import EPOCH
    >>> facts(Event("e1", EPOCH, {"title": ("Big Fish",), "genre": ("drama", "comedy"), "year": (2003,)}))
    [('genre', 'drama, comedy'), ('year', '2003')]
    """
    heading = title_attribute(event)
    others = [(name, value) for name, value in event.attributes.items() if name != heading]
    others.sort(key=lambda pair: pair[0] not in first)
    return [(name.replace("_", " "), cut(said(value), 48)) for name, value in others[:most]]


def said(value: AttributeValue) -> str:
    """The value of an attribute as people would write it.

    >>> said((50.0,)), said(Term("cheap")), said(Interval(50, 60)), said((1999,)), said((1100000,))
    ('50', 'cheap', '50 to 60', '1999', '1,100,000')
    """
    match value:
        case tuple():
            return ", ".join(map(_said_scalar, value))
        case Term(concept, hedges):
            return " ".join([*(hedge.value for hedge in hedges), concept])
        case Interval(low, high):
            return f"{_said_scalar(low)} to {_said_scalar(high)}"
    ((form, numbers),) = membership_to_json(value).items()
    return f"about {numbers} ({form.replace('_', ' ')})"


def cut(text: str, longest: int) -> str:
    """The text, shortened with an ellipsis if it is longer than `longest`."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _said_scalar(value: Scalar) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case datetime():
            text = show_time(value)
            return text[:10] if text.endswith("T00:00:00Z") else f"{text[:10]} {text[11:16]}"
        case int() | float():
            return f"{value:,.10g}" if abs(value) >= _LARGE else f"{value:.10g}"
        case str():
            return value


def told_duration(span: timedelta) -> str:
    """A time span for people, to one unit: ``7 h``.

    >>> told_duration(timedelta(hours=7, minutes=12)), told_duration(timedelta(seconds=0.4)), told_duration(timedelta(days=1))
    ('7 h', '0 s', '24 h')
    """
    seconds = max(span.total_seconds(), 0.0)
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _is_text(value: AttributeValue) -> bool:
    return isinstance(value, tuple) and isinstance(value[0], str) and bool(value[0].strip())
