"""Values at and just beyond the bounds of every declared field, in their JSON form."""

import math
from datetime import timedelta

from rankcast.language import show_duration
from rankcast.model import (
    Advertisement,
    Concept,
    Decaying,
    Filter,
    Length,
    NoveltyPart,
    Policy,
    Preference,
    Subscription,
)
from rankcast.model.declared import (
    Duration,
    Instant,
    Name,
    Names,
    Nested,
    Numbers,
    Real,
    Truth,
    Whole,
    Word,
    declared,
)

US = timedelta(microseconds=1)
POLICY = {"kind": "policy", "user": "ann", "mode": "sliding", "k": 3, "length": 10}
SUBSCRIPTION = {"kind": "subscription", "id": "s1", "user": "ann", "where": "a = 1"}
BASES = (
    (Policy, POLICY, ()),
    (Filter, {**POLICY, "filter": {"novelty": "random", "rate": 0.5}}, ("filter",)),
    (Filter, {**POLICY, "filter": {"novelty": "threshold", "rate": 1, "update": "eager"}}, ("filter",)),
    (Filter, {**POLICY, "filter": {"novelty": "sampling", "scoring": "decay", "rate": 1}}, ("filter",)),
    (NoveltyPart, {**POLICY, "score": {"novelty": 1}, "novelty": {}}, ("novelty",)),
    (Decaying, {**POLICY, "score": {"novelty": 1}, "novelty": {"scoring": "decay"}, "decay": {}}, ("decay",)),
    (Decaying, {**POLICY, "filter": {"novelty": "threshold", "rate": 1, "scoring": "decay"}, "decay": {}}, ("decay",)),
    (Subscription, SUBSCRIPTION, ()),
    (Preference, {"kind": "preference", "user": "ann", "prefer": "s1", "over": "s2"}, ()),
    (Concept, {"kind": "concept", "name": "cheap", "attribute": "a", "between": [0, 1]}, ()),
    (Advertisement, {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "a = 1", "k": 5}, ()),
)


def inside(kind):
    """The outermost values that are allowed."""
    match kind:
        case Whole(low, high):
            return [low, high]
        case Real(low, high, above):
            return [math.nextafter(low, high) if above else low, high]
        case Name(shortest, longest):
            return ["x" * max(1, shortest), "ü" * longest, "a b\u2028"]
        case Duration(low, high):
            return [show_duration(low), show_duration(high)]
        case Nested() if kind.of is Length:
            return [1, 1_000_000, "1ms", "3660d"]
        case Instant():
            return ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"]
        case Names(of, most):
            return [[name] for name in inside(of)] + [[f"n{number}" for number in range(most)]]
        case Numbers(of, Name(), most):
            many = {f"n{number}": of.high for number in range(most)}
            return [{"a": value} for value in inside(of)] + [many]
        case Numbers(of, words):
            return [{word.value: of.high for word in words}, {next(iter(words)).value: math.nextafter(0, 1)}]
        case Word(words):
            return [word.value for word in words]
        case Truth():
            return [True, False]
    return []


def outside(kind):
    """The values next to them that are not."""
    match kind:
        case Whole(low, high):
            return [low - 1, high + 1]
        case Real(low, high, above):
            return [low if above else math.nextafter(low, -math.inf), math.nextafter(high, math.inf), 1.7e308]
        case Name(_, longest):
            return ["x" * (longest + 1), "a\0b", "a\nb", "a\x7f", "a\x85"]
        case Duration(low, high):
            return [show_duration(low - US), show_duration(high + US)]
        case Nested() if kind.of is Length:
            return [0, 1_000_001, "999us", "3660d1us", "999999999d"]
        case Instant():
            return ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"]
        case Names(of, most):
            return [[name] for name in outside(of)] + [[f"n{number}" for number in range(most + 1)], []]
        case Numbers(of, Name() as name, most):
            many = {f"n{number}": of.high for number in range(most + 1)}
            return [{"a": value} for value in outside(of)] + [dict.fromkeys(outside(name), of.high), many]
        case Numbers(of, words):
            return [{next(iter(words)).value: value} for value in outside(of)]
        case Word():
            return ["nonsense"]
        case Truth():
            return ["true", 1]
    return []


def cases(values):
    """(record class, field, JSON form with one value of `values` in place of that field) for every declared field."""
    for record, base, path in BASES:
        for field in declared(record):
            for value in values(field.kind):
                form = {**base, path[0]: {**base[path[0]], field.name: value}} if path else {**base, field.name: value}
                yield record, field, form
