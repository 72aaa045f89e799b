"""The text form of records and events in the store."""

from collections.abc import Iterator
from contextlib import contextmanager

from rankcast.errors import ModelError, StoreError
from rankcast.language import RecordTexts, decode_event, decode_record, dumps, encode_event
from rankcast.model import Event, Record

MAX_ID = 1000
"""Maximum length of an event id in bytes. PostgreSQL indexes at most 2,700 bytes for a user and an event together."""


def record_text(record: Record, texts: RecordTexts | None = None) -> str:
    """The JSON form of a catalog record (semantics: Files). With `texts`, many records share equal expressions.

    A record that could not be decoded again, for example because an expression exceeds the size limits, is refused. It
    would block every reader of the log.
    """
    return dumps((texts or RecordTexts()).encode(record))


def record_of(text: str) -> Record:
    """Decode a stored record."""
    with readable("a record of the catalog"):
        return decode_record(text)


def event_text(event: Event) -> str:
    """The JSON form of an event without its position (semantics: Files).

    It is decoded again before it is stored, as records are, unless it has only plain values, which the event itself
    has checked.
    """
    check_id(event.id)
    text = dumps(encode_event(event))
    if event.advertisement is not None or not all(isinstance(value, tuple) for value in event.attributes.values()):
        decode_event(text)
    return text


def check_id(name: str) -> None:
    """Refuse an id that some database could not store or index.

    >>> check_id("a" * 2000)
    Traceback (most recent call last):
    rankcast.errors.ModelError: the id of an event has 2,000 bytes; at most 1,000 can be kept
    """
    if "\0" in name:
        raise ModelError(f"the id {name!r} of an event has a NUL character, which cannot be kept")
    size = len(name.encode("utf-8", "surrogatepass"))
    if size > MAX_ID:
        raise ModelError(f"the id of an event has {size:,} bytes; at most {MAX_ID:,} can be kept")


def event_of(text: str, offset: int) -> Event:
    """Decode the event stored at an offset."""
    with readable(f"event {offset} of the log"):
        return decode_event(text, seq=offset)


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Report a damaged store if stored data can no longer be decoded."""
    try:
        yield
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise StoreError(f"the store is damaged: {what} cannot be read ({error}); restore it from a backup") from error


def escaped(text: str) -> str:
    """The text with everything that no database can store (lone surrogates, NUL) written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
