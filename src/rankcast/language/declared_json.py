"""Encoding and decoding of declared fields as JSON (semantics: Files).

A field with its default value is left out. Required fields come first, then words, then the others in the order of
their declaration. Stores have always used this order.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, assert_never

from rankcast.errors import ModelError, RecordError, did_you_mean
from rankcast.language.fields import Fields, cut, number_of, text_of
from rankcast.language.times import parse_duration, parse_time, show_duration, show_time
from rankcast.model import Filter, FilterKind, Length, Unit
from rankcast.model import declared as kinds
from rankcast.plain import JsonObject

UNIT = "unit"
"""The JSON field that says what a length counts."""


def json_fields(record: type) -> list[str]:
    """The names of the fields in the JSON form of a record."""
    names = [one.name for one in kinds.declared(record)]
    return [*names, UNIT] if any(_is_length(one) for one in kinds.declared(record)) else names


def decode_fields(record: type, fields: Fields) -> JsonObject:
    """The values of the given fields, by name, for the record's constructor."""
    found = {one.name: _decode(one, fields) for one in kinds.declared(record) if one.required or one.name in fields}
    spans = [one.name for one in kinds.declared(record) if _is_length(one)]
    if UNIT in fields and not any(name in fields for name in spans):
        needed = " or ".join(map(repr, spans))
        raise RecordError(f"{fields.what} with the field 'unit' needs the field {needed} too")
    return found


def encode_fields(record: object) -> JsonObject:
    """The fields of a record that differ from their default."""
    form: JsonObject = {}
    for one in _in_order(kinds.declared(type(record))):
        value = getattr(record, one.name)
        if one.required or value != one.default:
            form[one.name] = encode_value(value)
            if isinstance(value, Length) and value.unit is Unit.MATCHED:
                form[UNIT] = value.unit.value
    return form


def _in_order(fields: Iterable[kinds.Declared]) -> list[kinds.Declared]:
    return sorted(fields, key=lambda one: (not one.required, not isinstance(one.kind, kinds.Word)))


def _is_length(one: kinds.Declared) -> bool:
    return isinstance(one.kind, kinds.Nested) and one.kind.of is Length


def encode_value(value: object) -> Any:
    """The JSON form of a field's value; None stays None."""
    match value:
        case Length(amount, _):
            return encode_value(amount)
        case timedelta():
            return show_duration(value)
        case datetime():
            return show_time(value)
        case Mapping():
            return {key.value if isinstance(key, Enum) else key: number for key, number in value.items()}
        case tuple():
            return list(value)
        case None | bool() | int() | float() | str():
            return value
        case Enum():
            return value.value
        case Filter():
            return _encode_filter(value)
    return encode_fields(value)


def record_of(row: object, *names: str) -> JsonObject:
    """The JSON form of attributes of a row."""
    return {name: encode_value(getattr(row, name)) for name in names}


def _decode(one: kinds.Declared, fields: Fields) -> Any:
    kind, name = one.kind, one.name
    match kind:
        case kinds.Word(words, functions):
            return fields.choice(name, words, functions=functions or ())
        case kinds.Truth():
            return fields.truth(name)
        case kinds.Whole():
            return fields.whole(name)
        case kinds.Real():
            return fields.number(name)
        case kinds.Name():
            return fields.text(name)
        case kinds.Duration():
            return _placed(fields, name, parse_duration)
        case kinds.Instant():
            return _placed(fields, name, parse_time)
        case kinds.Names():
            return fields.texts(name)
        case kinds.Numbers():
            return _numbers(kind, fields, name)
        case kinds.Nested(of, _) if of is Length:
            return _length(fields, name)
        case kinds.Nested(of, what):
            content = fields.object(name)
            if of is Filter:
                content = _with_rate(content)
            return of(**decode_fields(of, Fields(what, content, json_fields(of))))
    assert_never(kind)


def _placed(fields: Fields, name: str, parse: Callable[[str], Any]) -> Any:
    text = fields.text(name)
    try:
        return parse(text)
    except ModelError as error:
        raise RecordError(f"field {name!r} of {fields.what}: {error}") from None


def _numbers(kind: kinds.Numbers, fields: Fields, name: str) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for key, value in fields.object(name).items():
        number = float(number_of(value, f"the value of {cut(key)} in {name!r}"))
        if isinstance(kind.keys, kinds.Name):
            found[text_of(key, f"a name in {name!r}")] = number
            continue
        known = [word.value for word in kind.keys]
        if key not in known:
            raise RecordError(f"{name!r} has no part {cut(key)}; it has {', '.join(known)}{did_you_mean(key, known)}")
        found[kind.keys(key)] = number
    return found


def _length(fields: Fields, name: str) -> Length:
    amount = fields.value(name)
    unit = fields.choice(UNIT, Unit, None)
    if isinstance(amount, str):
        if unit not in (None, Unit.TIME):
            raise RecordError(f"the {name} {cut(amount)} is a time; with unit {unit.value!r} write a whole number")
        amount, unit = _placed(fields, name, parse_duration), Unit.TIME
    elif isinstance(amount, bool) or not isinstance(amount, int):
        raise fields.wrong(name, 'a whole number of events or a time like "30m"')
    elif unit is Unit.TIME:
        raise RecordError(
            f'the {name} {amount} has no unit of time; write it like "{min(abs(amount), 10**6)}m" or "30m"'
        )
    try:
        return Length(amount, unit or Unit.EVENTS)
    except ModelError as error:
        raise RecordError(str(error).replace("length", name, 1)) from None


def _with_rate(content: JsonObject) -> JsonObject:
    """A filter of kind `minimum` requires a minimum, and lets every event above it through if no rate is given."""
    if content.get("novelty") != FilterKind.MINIMUM.value:
        return content
    if content.get("minimum") is None:
        raise RecordError("a filter needs the field 'minimum'")
    return content if content.get("rate") is not None else {**content, "rate": 1.0}


def _encode_filter(settings: Filter) -> JsonObject:
    form = encode_fields(settings)
    if settings.novelty is FilterKind.MINIMUM:
        form["minimum"] = settings.minimum
        if settings.rate == 1:
            del form["rate"]
    return form
