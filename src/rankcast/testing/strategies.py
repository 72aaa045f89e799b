"""Hypothesis strategies for the model, with domains small enough that matches occur.

Attributes `a`, `b`, `c` are numbers from 0 to 5, `p` and `q` strings, `f` a boolean, `t` a time within a few days. All of
them may have several values.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from types import MappingProxyType

from hypothesis import strategies as st

from rankcast import model

NUMBERS = ("a", "b", "c")
STRINGS = ("p", "q")
ATTRIBUTES = (*NUMBERS, *STRINGS, "f", "t")
"""All attributes of the strategies."""

_KIND_OF = {
    **dict.fromkeys(NUMBERS, model.Kind.NUMBER),
    **dict.fromkeys(STRINGS, model.Kind.STRING),
    "f": model.Kind.BOOLEAN,
    "t": model.Kind.TIME,
}

START = datetime(2026, 1, 1, tzinfo=UTC)

CONCEPTS: Mapping[tuple[str, str], model.Membership] = MappingProxyType(
    {
        **{(name, "low"): model.LeftShoulder(1, 3) for name in NUMBERS},
        **{(name, "middle"): model.Trapezoid(1, 2, 3, 4) for name in NUMBERS},
        **{(name, "high"): model.RightShoulder(2, 4) for name in NUMBERS},
        **{(name, "nice"): model.Table((("x", 1.0), ("xy", 0.6), ("y", 0.2))) for name in STRINGS},
    }
)
"""The meanings of the strategies' concepts, by (attribute, concept)."""

_numbers = st.one_of(st.integers(0, 5), st.integers(0, 10).map(lambda half: half / 2))
_strings = st.sampled_from(["", "x", "y", "xy", "yx", "xyx"])
_times = st.integers(0, 4).map(lambda step: START + timedelta(hours=12 * step))
_quarters = st.integers(0, 4).map(lambda step: step / 4)
_hedges = st.lists(st.sampled_from(model.Hedge), max_size=2).map(tuple)


@cache
def scalars(attribute: str | None = None) -> st.SearchStrategy[model.Scalar]:
    """Values of an attribute, or of any attribute."""
    if attribute is None:
        return st.one_of(_numbers, _strings, st.booleans(), _times)
    if attribute in NUMBERS:
        return _numbers
    if attribute in STRINGS:
        return _strings
    return st.booleans() if attribute == "f" else _times


@cache
def thresholds() -> st.SearchStrategy[model.Thresholds | None]:
    """Thresholds, or None."""
    return st.one_of(st.none(), st.builds(model.Thresholds, _quarters, _quarters))


@st.composite
def predicates(draw: st.DrawFn, fuzzy: bool = False) -> model.Predicate:
    """Predicates; with `fuzzy` also the operator `is` and thresholds."""
    attribute = draw(st.sampled_from(ATTRIBUTES))
    test = draw(_tests(attribute, fuzzy and attribute not in ("f", "t")))
    return model.Predicate(attribute, test, draw(thresholds()) if fuzzy else None)


@cache
def _tests(attribute: str, fuzzy: bool) -> st.SearchStrategy[model.Test]:
    values = scalars(attribute)
    kind = _KIND_OF[attribute]
    ops = [op for op in model.Op if kind in op.declared.kinds]
    tests: list[st.SearchStrategy[model.Test]] = [
        st.sampled_from(ops).flatmap(lambda op: _compares(op, values)),
        st.builds(model.OneOf, st.lists(values, min_size=1, max_size=3).map(tuple)),
        st.just(model.Exists()),
    ]
    if attribute != "f":
        pairs = st.tuples(values, values)
        tests.append(pairs.map(lambda pair: model.Between(*sorted(pair))))
    if fuzzy:
        tests.append(st.builds(model.Is, _terms(attribute)))
    return st.one_of(tests)


def _compares(op: model.Op, values: st.SearchStrategy[model.Scalar]) -> st.SearchStrategy[model.Compare]:
    return values.filter(lambda value: model.is_operand(op, value)).map(lambda value: model.Compare(op, value))


@cache
def _terms(attribute: str) -> st.SearchStrategy[model.Term]:
    names = [name for at, name in CONCEPTS if at == attribute]
    return st.builds(model.Term, st.sampled_from(names), _hedges)


@cache
def expressions(depth: int = 3, fuzzy: bool = False) -> st.SearchStrategy[model.Expression]:
    """Expressions of at most `depth` levels of `and`, `or` and `not`."""
    leaves: st.SearchStrategy[model.Expression] = predicates(fuzzy)
    if depth == 0:
        return st.one_of(leaves, leaves, leaves, leaves, leaves, st.just(model.Always()))
    smaller = expressions(depth - 1, fuzzy)
    parts = st.lists(smaller, min_size=2, max_size=3).map(tuple)
    return st.one_of(leaves, st.builds(model.And, parts), st.builds(model.Or, parts), st.builds(model.Not, smaller))


@cache
def conjunctions(fuzzy: bool = False) -> st.SearchStrategy[model.Expression]:
    """One predicate, or a conjunction of up to four: the papers' normal case."""
    leaves = predicates(fuzzy)
    return st.one_of(leaves, st.lists(leaves, min_size=2, max_size=4).map(lambda parts: model.And(tuple(parts))))


@cache
def memberships() -> st.SearchStrategy[model.Membership]:
    """Imprecise values of a number attribute."""
    two = st.lists(_numbers, min_size=2, max_size=2).map(sorted)
    return st.one_of(
        two.map(lambda xs: model.Interval(*xs)),
        st.lists(_numbers, min_size=3, max_size=3).map(lambda xs: model.Triangle(*sorted(xs))),
        st.lists(_numbers, min_size=4, max_size=4).map(lambda xs: model.Trapezoid(*sorted(xs))),
    )


@st.composite
def events(draw: st.DrawFn, id: str = "e1", fuzzy: bool = False) -> model.Event:  # noqa: A002  # the field's name
    """Events in which each attribute may be missing. With `fuzzy`, numbers may be imprecise."""
    attributes: dict[str, model.AttributeValue] = {}
    for name in ATTRIBUTES:
        if not draw(st.booleans()):
            continue
        if fuzzy and name in NUMBERS and draw(st.booleans()):
            attributes[name] = draw(st.one_of(memberships(), _terms(name)))
        else:
            several = 2 if name == "f" else 3
            attributes[name] = tuple(draw(st.lists(scalars(name), min_size=1, max_size=several, unique=True)))
    return model.Event(id, draw(_times), attributes)


@st.composite
def subscriptions(
    draw: st.DrawFn, users: tuple[str, ...] = ("u1", "u2"), max_size: int = 6, fuzzy: bool = False
) -> list[model.Subscription]:
    """A few subscriptions, `s1`, `s2`, …, of a few users, with scores."""
    wheres = draw(st.lists(expressions(2, fuzzy), min_size=1, max_size=max_size))
    return [
        model.Subscription(f"s{number}", draw(st.sampled_from(users)), where, draw(_quarters))
        for number, where in enumerate(wheres, 1)
    ]
