"""Strict reading and writing of JSON objects as text."""

import json
from typing import NoReturn

import msgspec

from rankcast.errors import ModelError, RecordError
from rankcast.plain import JsonObject

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def dumps(obj: object) -> str:
    """An object as one line of JSON.

    >>> dumps({"id": "e1", "k": 5})
    '{"id":"e1","k":5}'
    """
    return _encode(obj).decode()


def read_object(raw: str | bytes | JsonObject, is_trusted: bool = False) -> JsonObject:
    """The JSON object in a text. An object that has already been read is returned unchanged.

    Refused, besides invalid JSON: duplicate names in one object, NaN and Infinity, text that is not valid Unicode,
    numbers out of range, and nesting that is too deep. A text that we wrote (`is_trusted`) has no duplicate names.
    """
    if isinstance(raw, dict):
        return raw
    data = raw if isinstance(raw, bytes) else _as_bytes(raw)
    try:
        value = _decode(data)
        # A duplicate name, with its quotes, is lost in decoding, so counting quotes reveals it. Only the escape
        # \u0022 can hide that, so the slow, careful reading is rarely needed.
        if not is_trusted and (data.count(b'"') != _encode(value).count(b'"') or b"\\u0022" in data):
            _read_carefully(data)
    except RecursionError:
        raise RecordError("JSON nested too deeply") from None
    except (ValueError, msgspec.MsgspecError) as error:
        if isinstance(error, RecordError):
            raise
        _read_carefully(data)
        raise RecordError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise RecordError(f"found {_KINDS.get(type(value), 'something else')}, where a JSON object {{…}} should be")
    return value


_KINDS = {list: "a list", str: "a string", int: "a number", float: "a number", bool: "a boolean", type(None): "null"}


def _as_bytes(raw: str) -> bytes:
    try:
        return raw.encode()
    except UnicodeEncodeError as error:
        raise RecordError(f"text that is not valid Unicode at character {error.start + 1}") from None


def _read_carefully(data: bytes) -> None:
    """Raise a readable error for invalid text."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"not valid UTF-8: byte {error.start + 1} is 0x{data[error.start]:02x}") from None
    if not text.strip():
        raise RecordError("an empty text, where a JSON object {…} should be")
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        place = f"character {error.pos + 1}"
        raise RecordError(f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]} at {place}") from None
    except RecursionError:
        raise RecordError("JSON nested too deeply") from None
    except UnicodeEncodeError:
        raise RecordError("text that is not valid Unicode (half of a surrogate pair)") from None
    except ModelError:
        raise
    except ValueError:
        raise RecordError("a number that is out of range") from None


def _without_repeats(pairs: list[tuple[str, object]]) -> JsonObject:
    seen: JsonObject = {}
    for name, value in pairs:
        if name in seen:
            raise RecordError(f"an object names {name[:60]!r} twice")
        seen[name] = value
    return seen


def _no_constant(word: str) -> NoReturn:
    raise RecordError(f"not valid JSON: {word} is not a number that can be compared")
