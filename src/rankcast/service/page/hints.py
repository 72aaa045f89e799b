"""Suggestions for writing a condition, from recent events and the catalog: names, kinds, values, concepts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rankcast.language.event_words import said
from rankcast.model import Catalog, Event, Kind, Scalar, kind_of

_MOST = 40


@dataclass(frozen=True, slots=True)
class Hint:
    """An attribute: its most frequent kind (None if all values are vague), most frequent values, and concepts."""

    name: str
    kind: Kind | None
    values: tuple[str, ...]
    concepts: tuple[str, ...]


def hints_of(events: Iterable[Event], catalog: Catalog, user: str) -> dict[str, Hint]:
    """The attributes by name, most frequent first."""
    names: Counter[str] = Counter()
    kinds: dict[str, Counter[Kind]] = {}
    values: dict[str, Counter[str]] = {}
    for event in events:
        for name, value in event.attributes.items():
            names[name] += 1
            for scalar in value if isinstance(value, tuple) else ():
                kinds.setdefault(name, Counter())[kind_of(scalar)] += 1
                values.setdefault(name, Counter())[_typed(scalar)] += 1
    concepts: dict[str, set[str]] = {}
    for attribute, name, owner in catalog.concepts:
        if owner in (None, user):
            concepts.setdefault(attribute, set()).add(name)
            names[attribute] += 0
    return {
        name: Hint(
            name,
            kinds[name].most_common(1)[0][0] if name in kinds else None,
            _suggested(values.get(name, Counter())),
            tuple(sorted(concepts.get(name, ()))),
        )
        for name, _ in names.most_common()
    }


def _suggested(counted: Counter[str]) -> tuple[str, ...]:
    """The values to suggest. None are suggested if nearly all differ, as titles do."""
    if len(counted) > _MOST and counted.most_common(1)[0][1] <= 2:
        return ()
    return tuple(value for value, _ in counted.most_common(_MOST))


def _typed(value: Scalar) -> str:
    """The value as it is typed into a condition."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value:.15g}"
    return said((value,))
