"""With what the strings of an attribute occur, in counts that can be added up. Concepts for strings are mined from it.

The context of a value is what else is in its events, and what else the subscriptions accept that ask for it. Strings
are counted by a hash in a fixed number of buckets, and numbers by their leading digits. So the buckets do not depend on
the data, the size is bounded, and new data can be added without reading the old data again.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from rankcast.errors import ModelError
from rankcast.fuzzy.summary import key_of, number_of
from rankcast.model import AttributeValue, Compare, Event, Expression, OneOf, Op, Table, predicates_of
from rankcast.plain import JsonObject

MOST_VALUES = 200
"""An attribute with more distinct strings than this is a name or a text, which no table describes."""

ASKED = ""
"""The context of what subscriptions accept together; no attribute has this name."""

BUCKETS = 256
DIGITS = 3
_MOST_TOGETHER = 50
"""The most values of one event or subscription that are counted with their contexts; further ones are only counted."""
_MOST_CODES = 500


class Context(NamedTuple):
    """A value, and what occurs with it: the string with hash `code`, or ``code * 10 ** exponent``, in `attribute`."""

    value: str
    attribute: str
    exponent: int | None
    code: int


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """How many events (and subscriptions) have each value, and how often each context occurred.

    `missing` counts events without a string. An attribute with more than `MOST_VALUES` strings has no contexts.
    """

    attribute: str
    values: Counter[str] = field(default_factory=Counter)
    contexts: Counter[Context] = field(default_factory=Counter)
    missing: int = 0

    @classmethod
    def of(cls, attribute: str, events: Iterable[Event], wheres: Iterable[Expression] = ()) -> "ValueSummary":
        """The summary of events and of what subscriptions ask for.

        >>> from rankcast.language import parse
        >>> ValueSummary.of("genre", [], [parse("genre in ('drama', 'romance')")]).values["drama"]
        1
        """
        values: Counter[str] = Counter()
        contexts: Counter[Context] = Counter()
        missing = 0
        for event in events:
            own = strings_of(event.attributes.get(attribute))
            missing += not own
            values.update(own)
            if own and len(values) <= MOST_VALUES:
                contexts.update(contexts_in(event, attribute, own))
        for where in wheres:
            own = _asked_for(where, attribute)
            values.update(own)
            contexts.update(Context(one, ASKED, None, _code(other)) for one in own for other in own)
        return _bounded(cls(attribute, values, contexts, missing))

    @property
    def count(self) -> int:
        """How many values it holds."""
        return self.values.total()

    def merged(self, other: "ValueSummary") -> "ValueSummary":
        """The sum of both."""
        if other.attribute != self.attribute:
            raise ModelError(f"a summary of {other.attribute!r} is none of {self.attribute!r}")
        values, contexts = self.values + other.values, self.contexts + other.contexts
        return _bounded(ValueSummary(self.attribute, values, contexts, self.missing + other.missing))

    def to_json(self) -> JsonObject:
        """The summary as a JSON object for `of_json`."""
        rows = [[*context, count] for context, count in sorted(self.contexts.items(), key=_order)]
        values = dict(sorted(self.values.items()))
        return {"attribute": self.attribute, "missing": self.missing, "values": values, "contexts": rows}

    @classmethod
    def of_json(cls, form: JsonObject) -> "ValueSummary":
        """The summary that `to_json` wrote."""
        try:
            contexts = Counter({Context(*context): int(count) for *context, count in form["contexts"]})
            return cls(str(form["attribute"]), Counter(form["values"]), contexts, int(form["missing"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"this is no summary of an attribute: {error}") from None


def contexts_in(event: Event, attribute: str, own: Iterable[str]) -> list[Context]:
    """The contexts of the values `own` of an attribute in an event."""
    codes: list[tuple[str, int | None, int]] = []
    for name, value in event.attributes.items():
        if name == attribute:
            continue
        codes += [(name, None, _code(text)) for text in strings_of(value)]
        x = number_of(value)
        if x is not None and math.isfinite(x):
            codes.append((name, *key_of(x, DIGITS)))
        elif isinstance(value, tuple) and value and isinstance(value[0], bool):
            codes += [(name, None, int(one)) for one in value if isinstance(one, bool)]
    return [Context(value, *code) for value in islice(own, _MOST_TOGETHER) for code in codes[:_MOST_CODES]]


def strings_of(value: AttributeValue | None) -> list[str]:
    """The distinct strings of a value. Of a table, the most possible string.

    >>> strings_of(("drama", "comedy", "drama")), strings_of((7,)), strings_of(Table((("new", 0.4), ("worn", 1.0))))
    (['drama', 'comedy'], [], ['worn'])
    """
    match value:
        case tuple():
            return list(dict.fromkeys(one for one in value if isinstance(one, str)))
        case Table(degrees):
            best = max(degrees, key=lambda pair: pair[1])[0]
            return [best] if isinstance(best, str) else []
    return []


def _asked_for(where: Expression, attribute: str) -> list[str]:
    """The strings that a subscription accepts for an attribute, if it names at most some."""
    found: list[str] = []
    for predicate in predicates_of(where):
        if predicate.attribute == attribute:
            match predicate.test:
                case Compare(Op.EQ, str() as text):
                    found.append(text)
                case OneOf(values):
                    found += [one for one in values if isinstance(one, str)]
    own = list(dict.fromkeys(found))
    return own if len(own) <= _MOST_TOGETHER else []


def _bounded(summary: ValueSummary) -> ValueSummary:
    """The summary without contexts, and with one value too many, if it has too many values."""
    if len(summary.values) <= MOST_VALUES:
        return summary
    first = sorted(summary.values.items(), key=lambda pair: (-pair[1], pair[0]))[: MOST_VALUES + 1]
    return ValueSummary(summary.attribute, Counter(dict(first)), Counter(), summary.missing)


def _code(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=4).digest()) % BUCKETS


def _order(pair: tuple[Context, int]) -> tuple[str, str, int, int, int]:
    context = pair[0]
    known = context.exponent is not None
    return context.value, context.attribute, known, context.exponent or 0, context.code
