"""Declarations: the type, bounds and meaning of each field of a record.

A field is declared once, in its dataclass:

    k: Annotated[int | None, About(Whole(1, 1_000), "How many events a choice sends at most.")] = None

Its checks, JSON form, OpenAPI schema, command options, page form and the table of limits in the documentation are
derived from that declaration.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, Flag, auto
from typing import Any, ClassVar, TypeAlias, get_args

from rankcast.errors import ModelError
from rankcast.model.functions import FunctionRegistry

MAX_NAME = 256
"""Maximum number of characters of a name or id."""

MAX_ENTRIES = 1_000
"""Maximum number of entries of a field that holds several."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class Worded(Enum):
    """A word of the JSON form, with a title and a sentence or phrase that people read instead."""

    _value_: str
    title: str
    meaning: str

    def __new__(cls, value: str, title: str = "", meaning: str = "") -> "Worded":
        """Create a member with the word alone as its value."""
        made = object.__new__(cls)
        made._value_ = value
        made.title = title
        made.meaning = meaning
        return made


class RestartedState(Flag):
    """The part of a user's delivery state that restarts when a field of the policy changes.

    `WINDOW` is the period, window or list of the delivery mode, together with its filter. `NOVELTY` is the novelty in
    the combined score. `DECAY` is everything that uses decaying novelty.
    """

    NOTHING = 0
    WINDOW = auto()
    NOVELTY = auto()
    DECAY = auto()


# Kinds of fields. Each checks a value (`where` names it in the error) and states its bounds.


@dataclass(frozen=True, slots=True)
class Name:
    """Text without control characters: a name or an id."""

    shortest: int = 1
    longest: int = MAX_NAME

    @property
    def bounds(self) -> str:
        """The bounds, for people."""
        return f"{self.shortest}..{self.longest:,} characters, no control characters"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not such a text."""
        check_name(where, value, self)


@dataclass(frozen=True, slots=True)
class Word:
    """One of a few words, or the name of a registered function if there are `functions`."""

    words: type[Enum]
    functions: FunctionRegistry[Any] | None = None

    @property
    def bounds(self) -> str:
        """The allowed words, for people."""
        words = ", ".join(f"`{word.value}`" for word in self.words)
        return words if self.functions is None else f"{words}, or a registered name"

    @property
    def names(self) -> list[str]:
        """The words and the names of the functions that are registered now."""
        return [*(word.value for word in self.words), *(self.functions or ())]

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not one of the words or of the registered functions."""
        if isinstance(value, self.words) or (self.functions is not None and value in self.functions):
            return
        raise ModelError(f"{where} is {value!r}; it must be one of {', '.join(self.names)}")


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    bounds: ClassVar[str] = "`true`, `false`"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is neither true nor false."""
        if not isinstance(value, bool):
            raise ModelError(f"{where} is {_cut(value)}; it must be true or false")


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low` to `high`."""

    low: int
    high: int

    @property
    def bounds(self) -> str:
        """The bounds, for people."""
        return f"{show_bound(self.low)}..{show_bound(self.high)}"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not a whole number within the bounds."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise ModelError(f"{where} is {_cut(value)}; it must lie in {self.bounds}")


@dataclass(frozen=True, slots=True)
class Real:
    """A number from `low` (excluded if `above` is set) to `high`."""

    low: float
    high: float
    above: bool = False

    @property
    def bounds(self) -> str:
        """The bounds, for people."""
        if self.above:
            return f"above {show_bound(self.low)} and at most {show_bound(self.high)}"
        return f"{show_bound(self.low)}..{show_bound(self.high)}"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not a number within the bounds."""
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not self.low <= value <= self.high
            or (self.above and value == self.low)
        ):
            right = f"be {self.bounds}" if self.above else f"lie in {self.bounds}"
            raise ModelError(f"{where} is {_cut(value)}; it must {right}")


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time from `low` to `high`."""

    low: timedelta
    high: timedelta

    @property
    def bounds(self) -> str:
        """The bounds, for people."""
        return f"{show_bound(self.low)}..{show_bound(self.high)}"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not a length of time within the bounds."""
        if not isinstance(value, timedelta) or not self.low <= value <= self.high:
            raise ModelError(f"{where} is {_cut(value)}; it must lie in {self.bounds}")


@dataclass(frozen=True, slots=True)
class Instant:
    """A time with a zone, in the years 1 to 9999 of UTC."""

    bounds: ClassVar[str] = "years 1..9999"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not a time with a zone that can be expressed in UTC."""
        if not isinstance(value, datetime):
            raise ModelError(f"{where} is {_cut(value)}; it must be a time")
        if value.tzinfo is None:
            raise ModelError(f"{where} is {value.isoformat()}; a time needs a zone")
        try:
            value.astimezone(UTC)
        except OverflowError:
            raise ModelError(f"{where} is {value.isoformat()}; it must lie in the {self.bounds} of UTC") from None


@dataclass(frozen=True, slots=True)
class Names:
    """Several names."""

    of: Name = Name()
    most: int = MAX_ENTRIES

    @property
    def bounds(self) -> str:
        """The bounds, for people."""
        return f"1..{self.most:,} names, each of {self.of.bounds}"

    def check(self, where: str, value: Any) -> None:
        """Raise if an entry is not a valid name, or if there are too many."""
        if not 1 <= len(value) <= self.most:
            raise ModelError(f"{where} has {len(value):,} names; it must have 1..{self.most:,}")
        for name in value:
            self.of.check(f"a name in {where}", name)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number for each of several names, or for some words of an enumeration."""

    of: Real
    keys: type[Enum] | Name = Name()
    most: int = MAX_ENTRIES

    @property
    def bounds(self) -> str:
        """The bounds, for people."""
        return (
            f"each {self.of.bounds}" if isinstance(self.keys, type) else f"each {self.of.bounds}; {self.most:,} entries"
        )

    def check(self, where: str, value: Any) -> None:
        """Raise if a number lies outside the bounds, a name is invalid, or there are too many entries."""
        if len(value) > self.most:
            raise ModelError(f"{where} has {len(value):,} entries; it must have at most {self.most:,}")
        for key, number in value.items():
            if isinstance(key, Enum):
                self.of.check(f"{key.value!r} in {where}", number)
                continue
            if isinstance(self.keys, Name):
                self.keys.check(f"a name in {where}", key)
            self.of.check(f"{key!r} in {where}", number)


@dataclass(frozen=True, slots=True)
class Nested:
    """A record inside the record, which checks itself; `what` names it in errors ("a filter")."""

    of: type
    what: str = ""

    bounds: ClassVar[str] = "see its own fields"

    def check(self, where: str, value: object) -> None:
        """Raise if the value is not such a record."""
        if not isinstance(value, self.of):
            raise ModelError(f"{where} is {_cut(value)}; it must be a {self.of.__name__}")


FieldKind: TypeAlias = Name | Word | Truth | Whole | Real | Duration | Instant | Names | Numbers | Nested
"""All kinds of fields. A `match` over them ends in `assert_never`."""

NAME = Name()


@dataclass(frozen=True, slots=True)
class About:
    """The declaration of a field, besides its name, type and default.

    `help` is a sentence for the person who sets the field, `label` its name in forms, `topic` the group in which it
    is shown, and `restarts` the delivery state that restarts when the field changes.
    """

    kind: FieldKind
    help: str = ""
    label: str = ""
    restarts: RestartedState = RestartedState.NOTHING
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared field of a record. A `required` field has no default."""

    name: str
    required: bool
    default: Any
    about: About

    @property
    def kind(self) -> FieldKind:
        """The kind of its values."""
        return self.about.kind

    @property
    def help(self) -> str:
        """A sentence for the person who sets the field."""
        return self.about.help


_KNOWN: dict[type, tuple[Declared, ...]] = {}


def declared(record: type) -> tuple[Declared, ...]:
    """The declared fields of a dataclass, in order."""
    known = _KNOWN.get(record)
    if known is None:
        known = _KNOWN[record] = tuple(_read(record))
    return known


def _read(record: type) -> Iterator[Declared]:
    for field in dataclasses.fields(record):
        for note in get_args(field.type):
            if isinstance(note, About):
                made = None if field.default_factory is MISSING else field.default_factory()
                required = field.default is MISSING and field.default_factory is MISSING
                default = made if field.default is MISSING else field.default
                yield Declared(field.name, required, default, note)


def given(record: object) -> frozenset[str]:
    """The declared fields of a record that differ from their default."""
    return frozenset(
        one.name for one in declared(type(record)) if one.required or getattr(record, one.name) != one.default
    )


_CHECKS: dict[type, tuple[tuple[str, bool, Callable[[str, Any], None]], ...]] = {}


def check_fields(record: object) -> None:
    """Raise `ModelError` for the first declared field that is out of bounds.

    The error names the field, value and bound.
    """
    checks = _CHECKS.get(type(record))
    if checks is None:
        checks = _CHECKS[type(record)] = tuple(
            (one.name, not one.required and one.default is None, one.kind.check) for one in declared(type(record))
        )
    for name, optional, check in checks:
        value = getattr(record, name)
        if value is not None or not optional:
            check(name, value)


def check_name(where: str, value: object, kind: Name = NAME) -> None:
    """Raise if a value is not text of an allowed length, or contains control characters (including NUL).

    >>> check_name("id", "s1")
    >>> check_name("id", "a" + chr(0))
    Traceback (most recent call last):
    rankcast.errors.ModelError: id has the control character U+0000 at character 2; it must have none
    """
    if not isinstance(value, str):
        raise ModelError(f"{where} is {_cut(value)}; it must be a string")
    if not kind.shortest <= len(value) <= kind.longest:
        found = f"has {len(value):,} characters" if value else "is empty"
        raise ModelError(f"{where} {found}; it must have {kind.shortest}..{kind.longest:,} characters")
    if value.isprintable():  # true for nearly all names; printable text is also valid Unicode
        return
    control = _CONTROL.search(value)
    if control is not None:
        code = f"U+{ord(control.group()):04X}"
        raise ModelError(
            f"{where} has the control character {code} at character {control.start() + 1}; it must have none"
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"{where}: text that is not valid Unicode at character {error.start + 1}") from None


def show_bound(bound: float | timedelta) -> str:
    """A bound for people.

    >>> show_bound(1000), show_bound(1e15), show_bound(0.0), show_bound(timedelta(days=3660)), show_bound(2**63 - 1)
    ('1,000', '1e15', '0', '3,660 days', '2^63 - 1')
    """
    match bound:
        case timedelta():
            for unit, size in (
                ("days", timedelta(days=1)),
                ("s", timedelta(seconds=1)),
                ("ms", timedelta(milliseconds=1)),
            ):
                if bound >= size:
                    return f"{bound // size:,} {unit}"
            return f"{bound // timedelta(microseconds=1)} us"
        case int() if bound == 2**63 - 1:
            return "2^63 - 1"
        case int() if bound == -(2**63):
            return "-2^63"
    if float(bound).is_integer() and abs(bound) < 1e9:
        return f"{int(bound):,}"
    return f"{bound:g}".replace("e+", "e")


def _cut(value: object) -> str:
    if isinstance(value, timedelta) and value and not value % timedelta(days=1):
        return f"{value.days:,} days"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
