"""Retention rules. Each kind of row is declared here once, with its name, its default and its help text."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from re import compile as pattern
from typing import NamedTuple, TypeAlias

from rankcast.errors import ModelError, did_you_mean
from rankcast.language import parse_duration, show_duration
from rankcast.language.times import LONGEST_DURATION

SHORTEST = timedelta(minutes=10)
"""Younger rows are never deleted, so that readers that follow a log have time to read them."""
_MOST_ROWS = 10**12
_MOST_BYTES = 10**15
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_SIZE = pattern(r"([0-9]{1,15})([A-Z]{1,3})")


class RetentionRule(NamedTuple):
    """The limits of one kind of rows: maximum age, number of rows and size in bytes. None means no limit.

    Older rows are deleted, and the oldest rows beyond the maximum number or size.
    """

    age: timedelta | None = None
    rows: int | None = None
    bytes: int | None = None


class RetainedKind(NamedTuple):
    """A kind of rows that a store may delete, with the default rule of `rankcast serve`.

    `is_sized` says whether the kind can be limited in bytes.
    """

    name: str
    default: RetentionRule
    help: str
    is_sized: bool = True


_QUARTER = RetentionRule(age=timedelta(days=90))

KINDS = (
    RetainedKind("events", RetentionRule(), "events that were served"),
    RetainedKind("deliveries", RetentionRule(), "deliveries"),
    RetainedKind("rejects", _QUARTER, "input that could not be used"),
    RetainedKind("set-aside", _QUARTER, "events that could not be served"),
    RetainedKind("catalog", RetentionRule(), "earlier versions of the catalog"),
    RetainedKind("digests", _QUARTER, "digests that were made and sent", is_sized=False),
    RetainedKind("dead-letters", _QUARTER, "webhook messages that failed for good", is_sized=False),
    RetainedKind("audit", RetentionRule(timedelta(days=365), 1_000_000), "entries of the audit trail"),
    RetainedKind("sessions", _QUARTER, "sessions that have ended", is_sized=False),
)

Rules: TypeAlias = Mapping[str, RetentionRule]
"""The rules by the name of the kind. Kinds without a rule are kept."""

DEFAULTS: Rules = {kind.name: kind.default for kind in KINDS}


def rules_of(texts: Iterable[str], defaults: Rules) -> dict[str, RetentionRule]:
    """Parse rules such as ``events=30d``, ``rejects=100000`` (rows), ``events=20GB`` and ``events=all``.

    If a name has several limits, all of them apply.

    >>> rules_of(["events=30d", "events=1000000", "rejects=all"], {})
    {'events': RetentionRule(age=datetime.timedelta(days=30), rows=1000000, bytes=None), 'rejects': RetentionRule(age=None, rows=None, bytes=None)}
    """
    rules: dict[str, RetentionRule] = {}
    kinds = {kind.name: kind for kind in KINDS}
    names = list(kinds)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ModelError(
                f"{text!r} is no rule; write NAME=AGE, NAME=ROWS, NAME=SIZE or NAME=all, such as events=30d"
            )
        if name not in names:
            raise ModelError(f"there is nothing called {name!r} to keep{did_you_mean(name, names)}; {', '.join(names)}")
        known = rules.get(name, RetentionRule())
        if value == "all":
            rules[name] = RetentionRule()
        elif value.isascii() and value.isdigit():
            if len(value) > len(str(_MOST_ROWS)) or not 1 <= int(value) <= _MOST_ROWS:
                raise ModelError(f"{text!r}: rows must be from 1 to {_MOST_ROWS:,}")
            rules[name] = known._replace(rows=int(value))
        elif (size := _SIZE.fullmatch(value.upper())) and size[2] in _UNITS:
            if not kinds[name].is_sized:
                raise ModelError(f"{text!r}: {name} cannot be limited in bytes; give an age or a number of rows")
            count = int(size[1]) * _UNITS[size[2]]
            if not 1 <= count <= _MOST_BYTES:
                raise ModelError(f"{text!r}: a size must be from 1 B to {_MOST_BYTES // 10**12:,} TB")
            rules[name] = known._replace(bytes=count)
        else:
            age = parse_duration(value)
            if not SHORTEST <= age <= LONGEST_DURATION:
                raise ModelError(
                    f"{text!r}: an age must be from {show_duration(SHORTEST)} to {show_duration(LONGEST_DURATION)}"
                )
            rules[name] = known._replace(age=age)
    return {**defaults, **rules}


def show_rule(rule: RetentionRule) -> str:
    """A rule in readable form.

    >>> show_rule(RetentionRule(timedelta(days=30), 1000)), show_rule(RetentionRule(bytes=2 * 10**9)), show_rule(RetentionRule())
    ('30d and at most 1,000 rows', 'at most 2 GB', 'all')
    """
    parts = [] if rule.age is None else [show_duration(rule.age)]
    parts += [] if rule.rows is None else [f"at most {rule.rows:,} rows"]
    parts += [] if rule.bytes is None else [f"at most {_show_size(rule.bytes)}"]
    return " and ".join(parts) or "all"


def show_rules(rules: Rules) -> str:
    """All rules on one line.

    >>> show_rules({"events": RetentionRule(timedelta(days=30)), "rejects": RetentionRule()})
    'events=30d, rejects=all'
    """
    return ", ".join(f"{name}={show_rule(rule)}" for name, rule in sorted(rules.items()))


def _show_size(count: int) -> str:
    """A size in the largest unit that gives a whole number."""
    whole = [(factor, unit) for unit, factor in _UNITS.items() if count % factor == 0]
    factor, unit = max(whole)
    return f"{count // factor:,} {unit.replace('IB', 'iB')}"
