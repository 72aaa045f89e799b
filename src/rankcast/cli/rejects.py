"""The lines that could not be used: told at once, listed later by ``rankcast rejects``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Column, Output

if TYPE_CHECKING:
    from rankcast.model import Reject

__all__ = ["SHOWN", "exit_if_any", "rejects", "tell"]

SHOWN = 10
"""How many rejects are shown at once; the rest is counted."""

_COLUMNS = (Column("when", style="dim"), Column("where"), Column("reason", folds=True), Column("raw", folds=True))


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
