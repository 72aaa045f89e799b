"""``rankcast overlay``: the tree of running brokers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output, TableColumn, amounts, table
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rich.tree import Tree as Drawn

_Address = Annotated[str, typer.Option("--url", metavar="URL", help="URL of the service.")]
_Token = Annotated[
    str | None,
    typer.Option("--token", metavar="TOKEN", envvar="RANKCAST_TOKEN", help="Token of an administrator of it."),
]
_COLUMNS = (
    TableColumn("from", style="bold"),
    TableColumn("to", style="bold"),
    TableColumn("state"),
    *amounts("known", "forwarded", "hidden", "sent", "saved", "lag"),
)


def show_brokers(url: _Address = "http://127.0.0.1:8765", token: _Token = None, json: Json = False) -> None:
    """Show the tree of brokers that a running service belongs to.

    The table has a row for each direction of a link. It shows how many subscriptions the sender knows, and how many of
    them it forwards or hides; how many events it sent, and how many it did not send because nobody there wants them
    (saved); and how many events the other end has not acknowledged yet (lag).

    Example:

      rankcast overlay status
      rankcast overlay status --url https://rankcast.example.org --json
    """
    from rankcast.client import Client

    out = Output(json)
    with Client(url, token) as client:
        found = client.brokers()
    if out.as_lines:
        for one in found["brokers"]:
            out.record({**one, "here": one["name"] == found["broker"]})
    elif found["brokers"]:
        out.show(_drawn(found))
        out.show(table(_COLUMNS, list(_rows(found)), title="links"))
    if not found["brokers"]:
        out.say("the service belongs to no tree of brokers; start an edge with: rankcast serve --upstream URL")
    if found["error"] is not None:
        out.say(f"{found['broker'] or 'the service'}: {found['error']}")
        raise typer.Exit(1)


def forget_broker(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the edge.")],
    url: _Address = "http://127.0.0.1:8765",
    token: _Token = None,
    json: Json = False,
) -> None:
    """Remove an edge that will not come back. Until then, events are kept for it, and its users count as subscribers.

    Example:

      rankcast overlay forget edge1
    """
    from rankcast.client import Client

    with Client(url, token) as client:
        client.forget_broker(name)
    Output(json).done(f"removed the edge {name}", {"removed": name})


def rejoin_brokers(store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Let a broker start afresh after its store was restored from an older copy. Stop its service first.

    Its neighbours then treat it as a new broker, and send again what they still have. Before it can join, its upstream
    must forget the old broker (rankcast overlay forget).

    Example:

      rankcast overlay rejoin --store edge.db
    """
    from rankcast.store import BrokerLog, Store

    with Store.open(store) as opened:
        made = BrokerLog(opened.database).rejoin()
    Output(json).done(f"the broker {made.name} starts afresh", {"broker": made.name, "lineage": made.lineage})


def _rows(found: JsonObject) -> Iterator[list[str]]:
    for broker in found["brokers"]:
        for link in broker["links"]:
            numbers = [f"{link[column.name]:,}" for column in _COLUMNS[3:]]
            yield [broker["name"], link["to"], "connected" if link["connected"] else "away", *numbers]


def _drawn(found: JsonObject) -> "Drawn":
    from rich.text import Text
    from rich.tree import Tree as Drawn

    brokers: JsonObject = {one["name"]: one for one in found["brokers"]}

    def label(name: str) -> Text:
        one = brokers[name]
        text = Text(name, style="bold")
        text.append(f"  {one['subscriptions']:,} subscriptions of {one['users']:,} users", style="green")
        text.append(f", {one['events']:,} events", style="cyan")
        return text.append("  (this one)", style="dim") if name == found["broker"] else text

    def grow(at: "Drawn", name: str) -> "Drawn":
        for below in sorted(other for other, one in brokers.items() if one["upstream"] == name):
            grow(at.add(label(below)), below)
        return at

    root = next((name for name, one in brokers.items() if one["upstream"] not in brokers), found["broker"])
    return grow(Drawn(label(root), guide_style="dim"), root)
