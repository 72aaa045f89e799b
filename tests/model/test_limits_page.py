"""docs/limits.md says what the declarations say."""

from pathlib import Path

from rankcast import model
from rankcast.language import MAX_DEPTH, MAX_EVENT_BYTES, MAX_LENGTH, MAX_PREDICATES
from rankcast.language.events import MAX_NESTED
from rankcast.model.declared import Nested, declared
from rankcast.model.membership import MAX_DEGREES, MAX_HEDGES, MAX_POINTS, NUMBER, SIGMA
from rankcast.model.policies import EVENTS, TIME
from rankcast.model.regexes import MAX_REGEX, MAX_REGEX_BYTES

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"
RECORDS = {
    "subscription": model.Subscription,
    "preference": model.Preference,
    "policy": model.Policy,
    "`filter` of a policy": model.Filter,
    "`novelty` of a policy": model.NoveltyPart,
    "`decay` of a policy": model.Decaying,
    "concept": model.Concept,
    "advertisement": model.Advertisement,
    "event": model.Event,
}
OTHERS = {
    "numbers of a membership function": NUMBER.bounds,
    "sigma of `gaussian`": SIGMA.bounds,
    "points of `piecewise`": f"{MAX_POINTS:,}",
    "values of `table`": f"{MAX_DEGREES:,}",
    "hedges before a concept": f"{MAX_HEDGES}",
    "attributes of an event": f"{model.MAX_ATTRIBUTES:,}",
    "levels of nested attributes": f"{MAX_NESTED}",
    "values of one attribute, or members of a list": f"{model.MAX_VALUES:,}",
    "characters of a string value": f"{model.MAX_TEXT:,}",
    "bytes of an event as JSON": f"{MAX_EVENT_BYTES:,}",
    "characters of a regular expression": f"{MAX_REGEX:,}",
    "bytes of memory of a compiled regular expression": f"{MAX_REGEX_BYTES:,}",
    "characters of an expression": f"{MAX_LENGTH:,}",
    "levels of an expression": f"{MAX_DEPTH}",
    "predicates of an expression": f"{MAX_PREDICATES:,}",
}


def bounds_of(kind):
    if isinstance(kind, Nested):
        return f"{EVENTS.bounds} events, or {TIME.bounds}" if kind.of is model.Length else "its own fields"
    return kind.bounds


def tables():
    rows = ["| record | field | bounds | meaning |", "| --- | --- | --- | --- |"]
    for name, record in RECORDS.items():
        rows += [f"| {name} | `{one.name}` | {bounds_of(one.kind)} | {one.help} |" for one in declared(record)]
    more = ["| what | at most |", "| --- | --- |", *(f"| {name} | {bound} |" for name, bound in OTHERS.items())]
    return "\n".join(rows), "\n".join(more)


def test_the_page_has_the_declared_bounds():
    page = PAGE.read_text()
    for table in tables():
        assert table in page, f"docs/limits.md should have this table:\n{table}"
