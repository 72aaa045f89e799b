"""``rankcast deliveries``: list what was sent to whom, and why."""

import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, MOST_ROWS, Json, OneUser, StorePath, bounded, check_user
from rankcast.cli.output import Output, TableColumn, amount

if TYPE_CHECKING:
    from rankcast.model import Catalog, Delivery
    from rankcast.store import Store

_COLUMNS = (
    amount("window", form="", style="dim"),
    TableColumn("forwarded", lambda one: one["forwarded"].replace("T", " ").removesuffix("Z"), style="dim"),
    TableColumn("user", style="bold"),
    TableColumn("event"),
    amount("rank", form=".3f"),
)
SHOWN = 50
"""How many deliveries are shown on a terminal by default."""
_POLL = 0.5


def deliveries(
    user: OneUser = None,
    after: Annotated[int | None, bounded(0, MOST_ROWS, metavar="N", help="Show deliveries after number N.")] = None,
    limit: Annotated[
        int | None, bounded(1, MOST_ROWS, metavar="N", help="Show at most N: the newest, or with --after the first.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for new deliveries until Ctrl-C.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """List deliveries in the order they were sent. On a terminal, the default is the last 50.

    Example:

      rankcast deliveries --user addison
      rankcast deliveries --follow --json | jq .event
    """
    from rankcast.language import encode_delivery
    from rankcast.store import Store

    out = Output(json)
    if limit is None and after is None and not out.as_lines:
        limit = SHOWN
    with Store.open(store) as opened:
        found = _chosen(opened, user, after, limit)
        if user is not None and not found and not follow:
            check_user(opened.catalog(), user)
        columns = delivery_columns(opened.catalog())
        out.records((encode_delivery(one) for _, one in found), columns, _nothing(opened, user, after))
        out.flush()
        if follow:
            _follow(opened, user, found[-1][0] if found else after or 0, out)
        elif limit is not None and len(found) == limit and found[-1][0] < opened.last_delivery():
            out.say(f"more deliveries follow; continue with --after {found[-1][0]}")


def _nothing(store: "Store", user: str | None, after: int | None) -> str:
    """That there are no deliveries, and what to do."""
    none = f"no deliveries after {after} yet" if after else "no deliveries yet"
    last = store.last_offset()
    if last == 0:
        return f"{none}; publish events with: rankcast publish FILE"
    if store.reached() < last:
        return f"{none}; serve events with: rankcast run"
    return f"{none}; ask for the reason with: rankcast explain {user or 'USER'} EVENT"


def _chosen(store: "Store", user: str | None, after: int | None, limit: int | None) -> "list[tuple[int, Delivery]]":
    """The newest deliveries, or the first ones after a number."""
    if after is not None or limit is None:
        return list(store.deliveries(user, after or 0, limit))
    start = max(0, store.last_delivery() - limit) if user is None else 0
    return list(deque(store.deliveries(user, start), limit))


def _follow(store: "Store", user: str | None, after: int, out: Output) -> None:
    """Print each new delivery as a line, until Ctrl-C."""
    from rankcast.language import encode_delivery

    try:
        while True:
            columns = None
            for number, delivery in store.deliveries(user, after):
                after = number
                record = encode_delivery(delivery)
                if out.as_lines:
                    out.record(record)
                else:
                    columns = columns or delivery_columns(store.catalog())
                    out.line("  ".join(column.cell(record) for column in columns).replace("\n", "; "))
            out.flush()
            time.sleep(_POLL)
    except KeyboardInterrupt:
        return


def delivery_columns(catalog: "Catalog") -> Sequence[TableColumn]:
    """The columns of a table of deliveries, with the subscriptions of this catalog as the reasons."""
    from rankcast.language import label

    def why(name: str) -> str:
        subscription = catalog.subscriptions.get(name)
        return f"{name}: {label(subscription.where)}" if subscription else name

    return *_COLUMNS, TableColumn("why", lambda one: "\n".join(map(why, one["subscriptions"])), folds=True)
