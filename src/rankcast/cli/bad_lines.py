"""Turns an unusable line into a reject."""

from datetime import datetime
from os import PathLike, fspath

from rankcast.errors import RankcastError
from rankcast.language import decode_event
from rankcast.language.event_files import EventIds
from rankcast.language.event_limits import EventLimits
from rankcast.language.files import MAX_LINE, MAX_RAW
from rankcast.language.json_text import read_object
from rankcast.language.plain_events import plain_event
from rankcast.model import Event, Reject


def checked(line: bytes) -> bytes:
    """The line; raises RankcastError if it is so long that `numbered_lines` cut it."""
    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line


def read_event(line: bytes, now: datetime, limits: EventLimits, ids: EventIds) -> Event:
    """The event in a line to publish; an event without a time gets `now`, and one without an id an id from `ids`."""
    limits.check_size(checked(line))
    event = plain_event(line)
    if event is None:
        fields = read_object(line)
        event = decode_event(fields if "id" in fields else {"id": ids.of(line), **fields}, now)
    limits.check_time(event, now)
    return event


def reject_of(path: str | PathLike[str], number: int, line: bytes, error: Exception) -> Reject:
    """A line with the reason why it cannot be used. Only the beginning of a very long line is kept."""
    raw = line[: 4 * MAX_RAW].decode("utf-8", "replace")[:MAX_RAW]
    cut = f"… (cut; the line has {len(line):,} bytes)" if len(line) > 4 * MAX_RAW or len(raw) == MAX_RAW else ""
    return Reject(fspath(path), number, " ".join(str(error).split()), raw + cut)
