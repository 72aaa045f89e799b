"""The JSON form of deliveries, matches and rejects (semantics: Files)."""

from collections.abc import Callable
from typing import Any

from rankcast.errors import ModelError, RecordError
from rankcast.language.columns import ColumnKind, columns_of
from rankcast.language.fields import Fields, text_of
from rankcast.language.times import parse_time, show_time
from rankcast.model import Delivery, Match, Reject
from rankcast.plain import JsonObject

_DELIVERY = [column for column in columns_of(Delivery) if not column.by_clock]
_DELIVERY_NAMES = [column.name for column in _DELIVERY]
_MATCH_NAMES = [column.name for column in columns_of(Match)]


def encode_delivery(delivery: Delivery) -> JsonObject:
    """A delivery as a JSON object."""
    return {column.name: _ENCODERS[column.kind](getattr(delivery, column.name)) for column in _DELIVERY}


def decode_delivery(obj: JsonObject) -> Delivery:
    """The delivery that `encode_delivery` wrote."""
    given = Fields("a delivery", obj, _DELIVERY_NAMES)
    try:
        return Delivery(**{column.name: _DECODERS[column.kind](given, column.name) for column in _DELIVERY})
    except ModelError as error:
        raise error if isinstance(error, RecordError) else RecordError(f"a delivery: {error}") from None


def _texts(given: Fields, name: str) -> tuple[str, ...]:
    value = given.value(name)
    if not isinstance(value, list):
        raise given.wrong(name, "a list of strings")
    return tuple(text_of(one, f"each of {name!r} of {given.what}") for one in value)


_ENCODERS: dict[ColumnKind, Callable[[Any], Any]] = {
    ColumnKind.TEXT: str,
    ColumnKind.WHOLE: int,
    ColumnKind.REAL: float,
    ColumnKind.TEXTS: list,
    ColumnKind.INSTANT: show_time,
}
_DECODERS: dict[ColumnKind, Callable[[Fields, str], Any]] = {
    ColumnKind.TEXT: Fields.text,
    ColumnKind.WHOLE: Fields.whole,
    ColumnKind.REAL: Fields.number,
    ColumnKind.TEXTS: _texts,
    ColumnKind.INSTANT: lambda given, name: parse_time(given.text(name)),
}


def encode_match(match: Match) -> JsonObject:
    """A match as a JSON object."""
    return {name: getattr(match, name) for name in _MATCH_NAMES}


def encode_reject(reject: Reject) -> JsonObject:
    """A reject as a JSON object."""
    return {"file": reject.file, "line": reject.line, "reason": reject.reason, "raw": reject.raw}
