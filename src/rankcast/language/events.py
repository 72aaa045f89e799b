"""The JSON form of events (semantics: Files)."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from rankcast.errors import ModelError, RecordError, did_you_mean
from rankcast.language.fields import cut, text_of, what_is
from rankcast.language.json_text import read_object
from rankcast.language.membership_json import FORMS, membership_of_json, membership_to_json
from rankcast.language.parsing import parse_term
from rankcast.language.plain_events import plain_event
from rankcast.language.printing import show_term
from rankcast.language.times import parse_time, show_time
from rankcast.model import AttributeValue, Event, Scalar, Term
from rankcast.plain import JsonObject

MAX_NESTED = 20
"""Maximum number of levels of nested attributes."""

MAX_EVENT_BYTES = 256 * 1024
"""Default limit for the bytes of one event as JSON."""

_FIELDS = frozenset(("id", "time", "source", "attributes", "advertisement", "k"))
_CRISP = frozenset((str, int, float, bool))
_OBJECTS = ("time", "is", *FORMS)
_LISTED = tuple(form for form in FORMS if form not in ("bell", "table"))


def check_event_size(raw: bytes, most: int = MAX_EVENT_BYTES) -> bytes:
    """Return the JSON of an event, or raise if it is too large to be published.

    For use where events enter the system. Events in a log are read whatever their size.
    """
    if len(raw) > most:
        raise RecordError(f"an event of {len(raw):,} bytes; it must have at most {most:,}")
    return raw


def decode_event(raw: str | bytes | JsonObject, now: datetime | None = None, seq: int = 0) -> Event:
    """The event that a JSON object describes, at position `seq`; `now` replaces a missing ``"time"``.

    An event with a position was already accepted by a log, so today's limits do not apply to it.

    >>> decode_event('{"id": "e1", "time": "2004-02-13", "attributes": {"genre": ["drama", "comedy"]}}').attributes
    {'genre': ('drama', 'comedy')}
    >>> decode_event('{"id": "e2", "time": "2004-02-13", "attributes": {"size": {"width": 3, "heights": [1, 2]}}}').attributes
    {'size.width': (3,), 'size.heights': (1, 2)}
    """
    if not isinstance(raw, dict):
        plain = plain_event(raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass"), seq)
        if plain is not None:
            return plain
    fields = read_object(raw, is_trusted=seq > 0)
    if not fields.keys() <= _FIELDS:
        raise _unknown_field(fields)
    id_ = fields.get("id")
    if type(id_) is not str:
        raise _wrong_text("id", id_)
    source, advertisement, k = fields.get("source"), fields.get("advertisement"), fields.get("k")
    if source is not None and type(source) is not str:
        raise _wrong_text("source", source)
    if advertisement is not None and type(advertisement) is not str:
        raise _wrong_text("advertisement", advertisement)
    if k is not None and type(k) is not int:
        raise RecordError(f"field 'k' of an event must be a whole number, not {what_is(k)}")
    given = fields.get("attributes")
    if type(given) is not dict:
        if given is None:
            raise RecordError("an event needs the field 'attributes'")
        raise RecordError(f"field 'attributes' of an event must be an object {{…}}, not {what_is(given)}")
    attributes: dict[str, AttributeValue] = {}
    for name, value in given.items():
        if type(name) is not str:
            raise RecordError(f"the name of an attribute must be a string, not {what_is(name)}")
        if type(value) in _CRISP:
            attributes[name] = (value,)
        elif type(value) is dict and _is_nested(value):
            _flatten(name, value, attributes, given, 1)
        elif value is not None and value != []:
            attributes[name] = _value(name, value)
    try:
        made = Event.kept if seq else Event
        return made(id_, _time(fields.get("time"), now), attributes, source, advertisement, k, seq)
    except ModelError as error:
        raise error if isinstance(error, RecordError) else RecordError(str(error)) from None


class WrittenAttributes(Mapping[str, AttributeValue]):
    """The attributes of a valid event, which are read from its text when they are first asked for."""

    __slots__ = ("_known", "_text")

    def __init__(self, text: str | bytes) -> None:
        self._text: str | bytes = text
        self._known: Mapping[str, AttributeValue] | None = None

    @property
    def unread(self) -> bytes | None:
        """The text of the event, if its attributes have not been read yet."""
        if self._known is not None:
            return None
        return self._text if isinstance(self._text, bytes) else self._text.encode("utf-8", "surrogatepass")

    def _read(self) -> Mapping[str, AttributeValue]:
        if self._known is None:
            self._known = decode_event(self._text, seq=1).attributes
        return self._known

    def __getitem__(self, name: str) -> AttributeValue:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


def written_event(text: str, time: datetime, seq: int) -> Event:
    """The event that a log has at a position, with its known time: `decode_event(text, seq=seq)`, but later.

    Most shards need only the id. So the attributes are read when they are first asked for.

    >>> from rankcast.model import EPOCH
    >>> event = written_event('{"id":"e1","time":"2004-02-13T00:00:00Z","attributes":{"year":2004}}', EPOCH, 7)
    >>> event.id, event.attributes["year"]
    ('e1', (2004,))
    """
    end = text.find('"', len(_FIRST))
    name = text[len(_FIRST) : end]
    if not text.startswith(_FIRST) or "\\" in name or '"source":' in text or '"advertisement":' in text:
        return decode_event(text, seq=seq)
    return Event.kept(name, time, WrittenAttributes(text), None, None, None, seq)


_FIRST = '{"id":"'
"""How `encode_event` begins."""


def encode_event(event: Event) -> JsonObject:
    """The event as a JSON object, without its position: ``decode_event(encode_event(e), seq=e.seq) == e``."""
    form: JsonObject = {"id": event.id, "time": show_time(event.time)}
    if event.source is not None:
        form["source"] = event.source
    form["attributes"] = {name: _value_to_json(value) for name, value in event.attributes.items()}
    if event.advertisement is not None:
        form["advertisement"] = event.advertisement
    if event.k is not None:
        form["k"] = event.k
    return form


def _time(value: object, now: datetime | None) -> datetime:
    if value is None:
        if now is None:
            raise RecordError("an event needs the field 'time'")
        return now
    if type(value) is not str:
        raise RecordError(
            f"field 'time' of an event must be a string like '2004-02-13T20:05:00Z', not {what_is(value)}"
        )
    try:
        return parse_time(value)
    except ModelError as error:
        raise RecordError(f"field 'time' of an event: {error}") from None


def _is_nested(value: JsonObject) -> bool:
    """Whether an object holds attributes, and is not a value itself: a time, or an imprecise value."""
    if len(value) != 1:
        return not value or not value.keys() <= set(_OBJECTS)
    ((name, content),) = value.items()
    # A list under a misspelt form of an imprecise value is an error, not an attribute.
    return name not in _OBJECTS and not (type(content) is list and did_you_mean(str(name), _LISTED))


def _flatten(
    prefix: str, nested: JsonObject, attributes: dict[str, AttributeValue], given: JsonObject, depth: int
) -> None:
    """Add the fields of a nested object as attributes with dotted names."""
    if depth > MAX_NESTED:
        raise RecordError(f"attribute {cut(prefix)} is nested in more than {MAX_NESTED} levels")
    for field, value in nested.items():
        name = f"{prefix}.{field}"
        if type(value) is dict and _is_nested(value):
            _flatten(name, value, attributes, given, depth + 1)
        elif value is not None and value != []:
            if name in given or name in attributes:
                raise RecordError(f"attribute {cut(name)} is given twice, nested and by its dotted name")
            attributes[name] = (value,) if type(value) in _CRISP else _value(name, value)


def _value(name: str, value: object) -> AttributeValue:
    place = f"attribute {cut(name)}"
    try:
        if type(value) is list:
            return tuple(_scalar(item, place, number) for number, item in enumerate(value, 1))
        if type(value) is dict:
            return _of_object(value, place)
    except RecordError:
        raise
    except ModelError as error:
        raise RecordError(f"{place}: {error}") from None
    raise RecordError(f"{place} must be a string, number, boolean, list or object, not {what_is(value)}")


def _scalar(value: Any, place: str, number: int) -> Scalar:
    if type(value) in _CRISP:
        return value  # type: ignore[no-any-return]
    if type(value) is dict and len(value) == 1 and "time" in value:
        return parse_time(text_of(value["time"], f"{place}: 'time'"))
    hint = "; give each object an event of its own, or lists of its fields" if type(value) is dict else ""
    raise RecordError(
        f"{place}: element {number} is {what_is(value)}; a list must hold strings, booleans, numbers or times{hint}"
    )


def _of_object(value: JsonObject, place: str) -> AttributeValue:
    if len(value) == 1:
        ((form, content),) = value.items()
        match form:
            case "time":
                return (parse_time(text_of(content, f"{place}: 'time'")),)
            case "is":
                return parse_term(text_of(content, f"{place}: 'is'"))
        if form in FORMS:
            return membership_of_json(form, content, place)
    unknown = next((name for name in value if name not in _OBJECTS), "")
    names = ", ".join(map(cut, list(value)[:5])) or "nothing"
    near = did_you_mean(str(unknown), _OBJECTS)
    raise RecordError(f"{place} is an object with {names}; it must have just one of {', '.join(_OBJECTS)}{near}")


def _value_to_json(value: AttributeValue) -> Any:
    if isinstance(value, Term):
        return {"is": show_term(value)}
    if isinstance(value, tuple):
        written = [{"time": show_time(item)} if isinstance(item, datetime) else item for item in value]
        return written[0] if len(written) == 1 else written
    return membership_to_json(value)


def _unknown_field(fields: JsonObject) -> RecordError:
    name = next(name for name in fields if name not in _FIELDS)
    meant = did_you_mean(str(name), _FIELDS) if "attributes" in fields else ""
    near = meant or "; what describes the event goes into 'attributes'"
    return RecordError(f"an event has no field {cut(name)}{near}")


def _wrong_text(name: str, value: object) -> RecordError:
    if value is None:
        return RecordError(f"an event needs the field {name!r}")
    hint = f'; write "{value}" in quotes' if isinstance(value, int | float) and len(str(value)) < 40 else ""
    return RecordError(f"field {name!r} of an event must be a string, not {what_is(value)}{hint}")
