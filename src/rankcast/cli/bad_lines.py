"""How a line that cannot be used becomes a reject."""

from datetime import datetime
from os import PathLike, fspath

from rankcast.errors import RankcastError
from rankcast.language import decode_event
from rankcast.language.event_limits import EventLimits
from rankcast.language.files import MAX_LINE, MAX_RAW
from rankcast.model import Event, Reject

__all__ = ["checked", "read_event", "reject_of"]


def checked(line: bytes) -> bytes:
    """The line, unless it is so long that `numbered_lines` had to cut it."""
    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line


def read_event(line: bytes, now: datetime, limits: EventLimits) -> Event:
    """The event of a line that is to be published; `now` stands in for a missing time."""
    limits.check_size(checked(line))
    event = decode_event(line, now)
    limits.check_time(event, now)
    return event


def reject_of(path: str | PathLike[str], number: int, line: bytes, error: Exception) -> Reject:
    """A line with the reason why it cannot be used; of a very long line only the beginning is kept."""
    raw = line[: 4 * MAX_RAW].decode("utf-8", "replace")[:MAX_RAW]
    cut = f"… (cut; the line has {len(line):,} bytes)" if len(line) > 4 * MAX_RAW or len(raw) == MAX_RAW else ""
    return Reject(fspath(path), number, " ".join(str(error).split()), raw + cut)
