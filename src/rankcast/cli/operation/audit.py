"""``rankcast audit``: who changed what in a store."""

from datetime import datetime
from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, MOST_ROWS, Json, StorePath, bounded, user_option
from rankcast.cli.output import Output, TableColumn, at_second

_COLUMNS = (
    TableColumn("when", at_second, style="dim"),
    TableColumn("who"),
    TableColumn("action", style="bold"),
    TableColumn("user"),
    TableColumn("detail", folds=True),
)


def audit(
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME|AGE", help="Show only entries from this time on, or of the last 30m, 12h or 7d."),
    ] = None,
    who: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Show only entries whose actor contains this text, such as a token id."),
    ] = None,
    user: Annotated[str | None, user_option("Show only entries about this user or publisher.")] = None,
    limit: Annotated[int, bounded(1, MOST_ROWS, metavar="N", help="Show only the last N.")] = 1_000,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """List the audit trail: who changed tokens, other users' records, retention or the store as a whole.

    The actor is an administrator (shown as the id of the token), a user who deleted their own data, or the operator who
    ran a command on this store. Changes that users make to their own records are not listed.

    Example:

      rankcast audit --since 7d
      rankcast audit --who operator --json
    """
    from rankcast.language.declared_json import record_of
    from rankcast.store import AuditLog, Store

    out = Output(json)
    with Store.open(store) as opened:
        from_time = None if since is None else _moment(since, opened.database.clock())
        found = AuditLog(opened.database).entries(limit, None, from_time, who, user)[::-1]
    names = ("number", "when", "who", "action")
    listed = [{**record_of(one, *names), "user": one.subject, "detail": one.detail} for one in found]
    is_filtered = since is not None or who is not None or user is not None
    out.records(listed, _COLUMNS, "no entries match" if is_filtered else "the audit trail is empty")


def _moment(text: str, now: datetime) -> datetime:
    """A time, or that long ago."""
    from rankcast.errors import ModelError
    from rankcast.language import parse_duration, parse_time

    try:
        return parse_time(text)
    except ModelError:
        pass
    try:
        return now - parse_duration(text)
    except (ModelError, OverflowError):
        raise typer.BadParameter(
            f"{text[:40]!r} is neither a time like 2026-05-04T12:30:00Z nor an age like 7d", param_hint="--since"
        ) from None
