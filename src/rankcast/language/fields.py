"""The fields of a JSON object, checked one by one with readable errors."""

from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from rankcast.errors import ModelError, RecordError, did_you_mean
from rankcast.model import check_scalar
from rankcast.plain import JsonObject

E = TypeVar("E", bound=Enum)
S = TypeVar("S", str, int | float)
_NEITHER: object = object()


class Fields:
    """The fields of one object, which `what` names in errors ("a policy"). A null field counts as missing."""

    __slots__ = ("_fields", "what")

    def __init__(self, what: str, fields: Mapping[str, object], known: Collection[str]) -> None:
        self.what = what
        self._fields = fields
        for name in fields:
            if name not in known:
                near = did_you_mean(str(name), known) or f"; it has {', '.join(sorted(known))}"
                raise RecordError(f"{what} has no field {cut(name)}{near}")

    def __contains__(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def value(self, name: str, default: object = _NEITHER) -> Any:
        """The field, unchecked."""
        value = self._fields.get(name)
        if value is None:
            if default is _NEITHER:
                raise RecordError(f"{self.what} needs the field {name!r}")
            return default
        return value

    def text(self, name: str, default: object = _NEITHER) -> Any:
        """A non-empty string."""
        value = self.value(name, default)
        if value is default:
            return value
        if value == "":
            raise RecordError(f"field {name!r} of {self.what} is empty")
        return text_of(value, f"field {name!r} of {self.what}")

    def number(self, name: str, default: object = _NEITHER) -> Any:
        """A finite number."""
        value = self.value(name, default)
        return value if value is default else float(number_of(value, f"field {name!r} of {self.what}"))

    def whole(self, name: str) -> int:
        """A whole number."""
        found = number_of(self.value(name), f"field {name!r} of {self.what}", "a whole number")
        if isinstance(found, float):
            raise self.wrong(name, "a whole number")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self.value(name)
        if not isinstance(value, list):
            raise self.wrong(name, "a list of strings")
        return tuple(text_of(item, f"each of {name!r} of {self.what}") for item in value)

    def truth(self, name: str) -> bool:
        """True or false."""
        value = self.value(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def choice(self, name: str, words: type[E], default: object = _NEITHER, functions: Iterable[str] = ()) -> Any:
        """A word of an enumeration, or the name of a registered function."""
        value = self.value(name, default)
        if value is default:
            return value
        known = [word.value for word in words]
        if value not in known:
            known += functions
            if value in known:
                return value
        if not isinstance(value, str):
            raise self.wrong(name, f"one of {', '.join(known)}")
        try:
            return words(value)
        except ValueError:
            raise RecordError(
                f"field {name!r} of {self.what} cannot be {cut(value)}; it is one of {', '.join(known)}"
                f"{did_you_mean(value, known)}"
            ) from None

    def object(self, name: str) -> JsonObject:
        """A JSON object."""
        value = self.value(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object {…}")
        return value

    def wrong(self, name: str, right: str) -> RecordError:
        """The error for a field of the wrong type."""
        return RecordError(f"field {name!r} of {self.what} must be {right}, not {what_is(self._fields[name])}")


def text_of(value: object, where: str) -> str:
    """Return a value that must be a string of valid Unicode."""
    if not isinstance(value, str):
        raise RecordError(f"{where} must be a string, not {what_is(value)}")
    return _allowed(value, where)


def number_of(value: object, where: str, right: str = "a number") -> int | float:
    """Return a value that must be a finite number of at most 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RecordError(f"{where} must be {right}, not {what_is(value)}")
    return _allowed(value, where)


def _allowed(value: S, where: str) -> S:
    try:
        check_scalar(value)
    except ModelError as error:
        raise RecordError(f"{where}: {error}") from None
    return value


def what_is(value: object) -> str:
    """A description of a JSON value for people.

    >>> what_is("2"), what_is([1]), what_is(None)
    ("the string '2'", 'a list', 'null')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the string {cut(value)}"
        case int() | float():
            return f"the number {str(value)[:40]}" if abs(value) < 1e300 else "a very large number"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
    return f"a {type(value).__name__}"


def cut(value: object) -> str:
    """A value in quotes, with the middle of a long one left out."""
    text = str(value)
    return repr(text if len(text) <= 60 else text[:60] + "…")
