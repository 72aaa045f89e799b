"""OpenAPI schemas of fields, and the parts that larger schemas are made of."""

from typing import assert_never

from rankcast.model import Length, Unit
from rankcast.model import declared as kinds
from rankcast.model.policies import EVENTS, TIME
from rankcast.plain import JsonObject

TEXT: JsonObject = {"type": "string"}
INSTANT: JsonObject = {"type": "string", "format": "date-time"}
MAYBE_TEXT: JsonObject = {"type": ["string", "null"]}
MAYBE_TIME: JsonObject = {"type": ["string", "null"], "format": "date-time"}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
FLAG: JsonObject = {"type": "boolean"}
OPEN: JsonObject = {"type": "object", "additionalProperties": True}

_NO_CONTROL = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"


def object_of(properties: JsonObject, required: tuple[str, ...] | None = None, **more: object) -> JsonObject:
    """The schema of an object. All properties are required, unless the required ones are named."""
    names = list(properties if required is None else required)
    return {"type": "object", "properties": properties, "required": names, **more}


def array_of(items: JsonObject) -> JsonObject:
    """The schema of an array."""
    return {"type": "array", "items": items}


def or_null(schema: JsonObject) -> JsonObject:
    """The schema of a field that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def reference(name: str) -> JsonObject:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def properties_of(record: type) -> JsonObject:
    """The schema of each declared field of a record, by name. A length has a second field for its unit."""
    found: JsonObject = {}
    for one in kinds.declared(record):
        found[one.name] = {**schema_of(one.kind), "description": one.help}
        if isinstance(one.kind, kinds.Nested) and one.kind.of is Length:
            found["unit"] = {**schema_of(kinds.Word(Unit)), "description": "what a length counts"}
    return found


def schema_of(kind: kinds.FieldKind) -> JsonObject:
    """The schema of a field kind, with its bounds."""
    match kind:
        case kinds.Word():
            return {"enum": kind.names}
        case kinds.Truth():
            return {"type": "boolean"}
        case kinds.Whole(low, high):
            return {"type": "integer", "minimum": low, "maximum": high}
        case kinds.Real(low, high, above):
            return {"type": "number", "exclusiveMinimum" if above else "minimum": low, "maximum": high}
        case kinds.Name(shortest, longest):
            return {"type": "string", "minLength": shortest, "maxLength": longest, "pattern": _NO_CONTROL}
        case kinds.Duration() | kinds.Instant():
            return {"type": "string", "title": kind.bounds}
        case kinds.Names(of, most):
            return {"type": "array", "items": schema_of(of), "minItems": 1, "maxItems": most}
        case kinds.Numbers(of, kinds.Name(), most):
            return {"type": "object", "additionalProperties": schema_of(of), "maxProperties": most}
        case kinds.Numbers(of, words):
            each = {word.value: schema_of(of) for word in words}  # type: ignore[union-attr]  # no Name, so words
            return {"type": "object", "properties": each, "additionalProperties": False}
        case kinds.Nested(of, _) if of is Length:
            return {
                "type": ["integer", "string"],
                "minimum": EVENTS.low,
                "maximum": EVENTS.high,
                "title": f"{EVENTS.bounds} events, or a time like '30m' of {TIME.bounds}",
            }
        case kinds.Nested(of, _):
            return {"type": "object", "properties": properties_of(of), "additionalProperties": False}
    assert_never(kind)
