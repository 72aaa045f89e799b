"""OpenAPI schemas of declared fields."""

from typing import assert_never

from rankcast.model import Length, Unit
from rankcast.model.declared import (
    Duration,
    FieldKind,
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
from rankcast.model.policies import EVENTS, TIME
from rankcast.plain import JsonObject

__all__ = ["properties_of", "schema_of"]

_NO_CONTROL = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"


def properties_of(record: type) -> JsonObject:
    """The schema of each declared field of a record, by name. A length has a second field for its unit."""
    found: JsonObject = {}
    for one in declared(record):
        found[one.name] = {**schema_of(one.kind), "description": one.help}
        if isinstance(one.kind, Nested) and one.kind.of is Length:
            found["unit"] = {**schema_of(Word(Unit)), "description": "what a length counts"}
    return found


def schema_of(kind: FieldKind) -> JsonObject:
    """The schema of a field kind, with its bounds."""
    match kind:
        case Word():
            return {"enum": kind.names}
        case Truth():
            return {"type": "boolean"}
        case Whole(low, high):
            return {"type": "integer", "minimum": low, "maximum": high}
        case Real(low, high, above):
            return {"type": "number", "exclusiveMinimum" if above else "minimum": low, "maximum": high}
        case Name(shortest, longest):
            return {"type": "string", "minLength": shortest, "maxLength": longest, "pattern": _NO_CONTROL}
        case Duration() | Instant():
            return {"type": "string", "title": kind.bounds}
        case Names(of, most):
            return {"type": "array", "items": schema_of(of), "minItems": 1, "maxItems": most}
        case Numbers(of, Name(), most):
            return {"type": "object", "additionalProperties": schema_of(of), "maxProperties": most}
        case Numbers(of, words):
            each = {word.value: schema_of(of) for word in words}  # type: ignore[union-attr]  # no Name, so words
            return {"type": "object", "properties": each, "additionalProperties": False}
        case Nested(of, _) if of is Length:
            return {
                "type": ["integer", "string"],
                "minimum": EVENTS.low,
                "maximum": EVENTS.high,
                "title": f"{EVENTS.bounds} events, or a time like '30m' of {TIME.bounds}",
            }
        case Nested(of, _):
            return {"type": "object", "properties": properties_of(of), "additionalProperties": False}
    assert_never(kind)
