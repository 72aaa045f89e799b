"""What a store may forget, and when: each kind of row is declared here once, with its name, its default and its help."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple, TypeAlias

from rankcast.errors import ModelError, did_you_mean
from rankcast.language import parse_duration, show_duration

__all__ = ["DEFAULTS", "KINDS", "SHORTEST", "RetainedKind", "Rule", "Rules", "rules_of", "show_rule"]

SHORTEST = timedelta(minutes=10)
"""Nothing younger is ever taken, so that whoever follows a log has time to read it."""
_MOST_ROWS = 10**12


class Rule(NamedTuple):
    """Rows older than `age` go, and the oldest of more than `rows`; None for no limit of that sort."""

    age: timedelta | None = None
    rows: int | None = None


class RetainedKind(NamedTuple):
    """One kind of rows that a store may forget, and how long `rankcast serve` keeps them unless it is told otherwise."""

    name: str
    default: Rule
    help: str


_QUARTER = Rule(age=timedelta(days=90))

KINDS = (
    RetainedKind(
        "events", Rule(), "events that were served; an id that was pruned may be published again, as a new event"
    ),
    RetainedKind("deliveries", Rule(), "deliveries; those that a webhook or the next digest still needs stay"),
    RetainedKind("rejects", _QUARTER, "input that could not be used"),
    RetainedKind("set-aside", _QUARTER, "what could not be served; its events stay until it is served or pruned"),
    RetainedKind("catalog", Rule(), "earlier versions of the catalog; those of the events that are kept stay"),
    RetainedKind("digests", _QUARTER, "digests that were made and sent"),
    RetainedKind("dead-letters", _QUARTER, "messages to webhooks that failed for good"),
    RetainedKind("audit", Rule(), "who changed what as an administrator"),
    RetainedKind("sessions", _QUARTER, "sessions that have ended"),
)

Rules: TypeAlias = Mapping[str, Rule]
"""The rule of each kind by its name; a kind that is not in it is kept."""

DEFAULTS: Rules = {kind.name: kind.default for kind in KINDS}


def rules_of(texts: Iterable[str], defaults: Rules) -> dict[str, Rule]:
    """Rules out of texts such as ``events=30d``, ``rejects=100000`` (rows) and ``events=all``; both limits if both are given.

    >>> rules_of(["events=30d", "events=1000000", "rejects=all"], {})
    {'events': Rule(age=datetime.timedelta(days=30), rows=1000000), 'rejects': Rule(age=None, rows=None)}
    """
    rules: dict[str, Rule] = {}
    names = [kind.name for kind in KINDS]
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ModelError(f"{text!r} is no rule; write NAME=AGE, NAME=ROWS or NAME=all, such as events=30d")
        if name not in names:
            raise ModelError(f"there is nothing called {name!r} to keep{did_you_mean(name, names)}; {', '.join(names)}")
        known = rules.get(name, Rule())
        if value == "all":
            rules[name] = Rule()
        elif value.isascii() and value.isdigit():
            if not 1 <= int(value) <= _MOST_ROWS:
                raise ModelError(f"{text!r}: rows must be from 1 to {_MOST_ROWS:,}")
            rules[name] = known._replace(rows=int(value))
        else:
            age = parse_duration(value)
            if age < SHORTEST:
                raise ModelError(f"{text!r}: the shortest age is {show_duration(SHORTEST)}")
            rules[name] = known._replace(age=age)
    return {**defaults, **rules}


def show_rule(rule: Rule) -> str:
    """A rule for people.

    >>> show_rule(Rule(timedelta(days=30), 1000)), show_rule(Rule())
    ('30d and at most 1,000 rows', 'all')
    """
    parts = [] if rule.age is None else [show_duration(rule.age)]
    parts += [] if rule.rows is None else [f"at most {rule.rows:,} rows"]
    return " and ".join(parts) or "all"
