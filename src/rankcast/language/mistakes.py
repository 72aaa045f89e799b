"""Predicates that recent events cannot satisfy, likely by mistake: a misspelled attribute, or another kind of value."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, assert_never

from rankcast import model
from rankcast.errors import did_you_mean

AttributeKinds: TypeAlias = Mapping[str, set[model.Kind]]
"""The kinds of values that each attribute has in some events."""


def attribute_kinds(events: Iterable[model.Event]) -> dict[str, set[model.Kind]]:
    """The attributes of events, with the kinds of their values. A vague value counts as every kind."""
    found: dict[str, set[model.Kind]] = {}
    for event in events:
        for name, value in event.attributes.items():
            found.setdefault(name, set()).update(map(model.kind_of, value) if isinstance(value, tuple) else model.Kind)
    return found


def likely_mistakes(where: model.Expression, known: AttributeKinds, events: str) -> Iterator[str]:
    """What no event satisfies, in words. `known` comes from these events, and `events` names them.

    >>> from rankcast.language import parse
    >>> list(likely_mistakes(parse("genree = 'drama'"), {"genre": {model.Kind.STRING}}, "the last 500 events"))
    ["there is no attribute 'genree' in the last 500 events; did you mean 'genre'?"]
    """
    if not known:
        return
    for predicate in model.predicates_of(where):
        name, asked = predicate.attribute, {model.kind_of(value) for value in _compared(predicate.test)}
        if name not in known:
            yield f"there is no attribute {name!r} in {events}{did_you_mean(name, known)}"
        elif asked and not asked & known[name]:
            found, wanted = (" or ".join(sorted(kind.value for kind in kinds)) for kinds in (known[name], asked))
            yield f"{name!r} is a {found} in {events}, so no comparison with a {wanted} holds"


def _compared(test: model.Test) -> tuple[model.Scalar, ...]:
    """The values of which one must be of the same kind as a value of the attribute."""
    match test:
        case model.Compare(op, value):
            return () if op is model.Op.NE else (value,)
        case model.Between(low, high):
            return low, high
        case model.OneOf(values):
            return values
        case model.Exists() | model.Is():
            return ()
        case other:
            assert_never(other)
