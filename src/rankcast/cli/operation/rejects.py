"""``rankcast rejects``: lists the input that could not be used. Other commands report it at once with `tell`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, MOST_ROWS, Json, StorePath, bounded, user_option
from rankcast.cli.output import Output, TableColumn, at_second
from rankcast.wording import counted

if TYPE_CHECKING:
    from rankcast.model import Reject
    from rankcast.store import KeptSetAside

SHOWN = 10
"""How many rejects a command shows; the rest is counted."""

_COLUMNS = (
    TableColumn("when", at_second, style="dim"),
    TableColumn("where", lambda reject: f"{reject['file']}:{reject['line']}"),
    TableColumn("reason", folds=True),
    TableColumn("raw", lambda reject: reject["raw"][:60], folds=True),
)

_ASIDE_COLUMNS = (
    TableColumn("when", at_second, style="dim"),
    TableColumn("user", lambda row: row["user"] or "all users"),
    TableColumn("event", lambda row: row["event"] or f"all from {row['seq']:,} on"),
    TableColumn("version"),
    TableColumn("error", folds=True),
)


def tell(out: Output, found: "Sequence[Reject]") -> None:
    """Print ``file:line: reason`` for the first rejects, and the number of others, on stderr."""
    for reject in found[:SHOWN]:
        out.say(f"{reject.file}:{reject.line}: {reject.reason}")
    if len(found) > SHOWN:
        out.say(f"… and {len(found) - SHOWN:,} more")


def exit_if_any(count: int) -> None:
    """Exit with code 1 if something was rejected."""
    if count:
        raise typer.Exit(NEGATIVE)


def rejects(
    context: typer.Context,
    set_aside: Annotated[
        bool,
        typer.Option("--set-aside", help="List the events and users that could not be served, instead of rejects."),
    ] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="With --set-aside: include what has been served again since.")
    ] = False,
    user: Annotated[
        str | None,
        user_option("With --set-aside: show only this user."),
    ] = None,
    limit: Annotated[int | None, bounded(1, MOST_ROWS, metavar="N", help="Show only the last N.")] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """List input that could not be used, with file, line number and reason; or what could not be served.

    Rejects are lines of files, requests and topics that are not valid events or records. With --set-aside, the command
    lists what could not be served: single events for a user, or a user as a whole. All other users were served.

    Example:

      rankcast rejects --limit 20
      rankcast rejects --set-aside
      rankcast rejects serve-again --user ann
    """
    if context.invoked_subcommand is not None:
        return
    if not set_aside and (all_ or user is not None):
        raise typer.BadParameter("--all and --user need --set-aside")
    from rankcast.language import encode_reject, show_time
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        if set_aside:
            _list_set_aside(opened.set_aside(user, limit, pending=not all_), out)
            return
        found = opened.rejects(limit)
    listed = [{**encode_reject(reject), "when": show_time(reject.when)} for reject in found]
    out.records(listed, _COLUMNS, "no rejects")


def serve_again(
    user: Annotated[str | None, user_option("Serve only what was set aside for this user.")] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Serve again what was set aside, for example after a fix, and deliver the results.

    Replays the event log for the users concerned, with the catalog as it was when each event was published. While a
    pipeline is running, the command delivers what is missing, but users who are set aside as a whole stay set aside. To
    serve them in future too, stop the pipeline first.

    Example:

      rankcast rejects serve-again
    """
    from rankcast.language.declared_json import record_of
    from rankcast.pipeline.serve_again import serve_again as serve
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        done = serve(opened, user)
    if out.json:
        out.record(record_of(done, "done", "failed", "delivered", "goes_on"))
    out.say(
        f"{done.done:,} served again, {done.failed:,} failed again; {counted(done.delivered, 'delivery')}"
        + ("" if done.goes_on else "; a pipeline is running, so users who are set aside as a whole stay set aside")
    )
    exit_if_any(done.failed)


def _list_set_aside(rows: "Sequence[KeptSetAside]", out: Output) -> None:
    from rankcast.language.declared_json import record_of

    names = ("number", "user", "event", "seq", "version", "error", "when", "served")
    listed = [record_of(row, *names) for row in rows]
    out.records(listed, _ASIDE_COLUMNS, "nothing is set aside")
