"""How a line that cannot be used becomes a reject."""

from os import PathLike, fspath

from rankcast.errors import RankcastError
from rankcast.language.files import MAX_LINE, MAX_RAW
from rankcast.model import Reject

__all__ = ["checked", "reject_of"]


def checked(line: bytes) -> bytes:
    """The line, unless it is so long that `numbered_lines` had to cut it."""
    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line


def reject_of(path: str | PathLike[str], number: int, line: bytes, error: Exception) -> Reject:
    """A line with the reason why it cannot be used; of a very long line only the beginning is kept."""
    raw = line[: 4 * MAX_RAW].decode("utf-8", "replace")[:MAX_RAW]
    cut = f"… (cut; the line has {len(line):,} bytes)" if len(line) > 4 * MAX_RAW or len(raw) == MAX_RAW else ""
    return Reject(fspath(path), number, " ".join(str(error).split()), raw + cut)
