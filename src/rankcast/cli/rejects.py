"""The lines that could not be used: told at once, listed later by ``rankcast rejects``."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Column, Output
from rankcast.errors import RankcastError

if TYPE_CHECKING:
    from rankcast.model import Reject

__all__ = ["SHOWN", "checked", "exit_if_any", "reject_of", "rejects", "tell"]

SHOWN = 10
"""How many rejects are shown at once; the rest is counted."""

_LONGEST_RAW = 10_000
_COLUMNS = (Column("when", style="dim"), Column("where"), Column("reason", folds=True), Column("raw", folds=True))


def checked(line: bytes) -> bytes:
    """The line, unless `numbered_lines` had to cut it."""
    from rankcast.language.files import MAX_LINE

    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line


def reject_of(path: str | PathLike[str], number: int, line: bytes, error: Exception) -> "Reject":
    """A line with the reason why it cannot be used; of a very long line only the beginning is kept."""
    from rankcast.model import Reject

    raw = line[: 4 * _LONGEST_RAW].decode("utf-8", "replace")[:_LONGEST_RAW]
    cut = f"… (cut; the line has {len(line):,} bytes)" if len(line) > len(raw.encode()) else ""
    return Reject(fspath(path), number, " ".join(str(error).split()), raw + cut)


def tell(out: Output, found: "Sequence[Reject]") -> None:
    """``file:line: reason`` for the first ones, and how many more there are, on stderr."""
    for reject in found[:SHOWN]:
        out.say(f"{reject.file}:{reject.line}: {reject.reason}")
    if len(found) > SHOWN:
        out.say(f"… and {len(found) - SHOWN:,} more")


def exit_if_any(count: int) -> None:
    """The exit code that tells a script that something was rejected."""
    if count:
        raise typer.Exit(NEGATIVE)


def rejects(
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the last N.")] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """List the lines that could not be used, with file, line number and reason.

    Example:

      rankcast rejects --limit 20
    """
    from rankcast.language import encode_reject, show_time
    from rankcast.store import Store

    with Store.open(store) as opened:
        found = opened.rejects(limit)

    def cells(reject: Mapping[str, Any]) -> Sequence[str]:
        when = reject["when"].replace("T", " ")[:19]
        return when, f"{reject['file']}:{reject['line']}", reject["reason"], reject["raw"][:60]

    listed = [{**encode_reject(reject), "when": show_time(reject.when)} for reject in found]
    Output(json).records(listed, _COLUMNS, cells, "nothing was rejected")
