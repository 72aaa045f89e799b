"""``rankcast team``: what a user receives whose subscriptions are spread over nodes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.files.engines import match_all, on_spark
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OutFile, bounded
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.engine.choice import Engine
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.model import Catalog, Event, Match

_COLUMNS = (
    amount("round", form="", style="dim"),
    amount("seq", form="", style="dim"),
    TableColumn("event"),
    TableColumn("subscriptions", lambda row: ", ".join(row["subscriptions"]), folds=True),
)


def team(
    name: Annotated[str, typer.Argument(help="User whose policy has a threshold or sampling filter.")],
    catalog_file: CatalogFile,
    events_file: EventsFile,
    rounds: Annotated[int, bounded(1, 1_000_000, help="Number of rounds; nodes exchange messages after each.")],
    nodes: Annotated[int, bounded(1, 1_000_000, help="Number of nodes that share the subscriptions.")] = 2,
    engine: Annotated[
        Engine | None, typer.Option(help="Engine that matches; with spark, the nodes are tasks of Spark.")
    ] = None,
    out_file: OutFile = None,
    json: Json = False,
) -> None:
    """Compute what a user receives whose subscriptions are spread over nodes.

    Each node filters alone for one round. Then the nodes exchange short messages, and agree on a threshold and on a
    quota for each node (thesis, section 3.4). All engines give the same output.

    Example:

      rankcast team desk --catalog c.jsonl --events e.jsonl --rounds 30 --nodes 4
    """
    from rankcast.choose.filters.team_rounds import check_team_filter

    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out)
    check_team_filter(catalog.policy_of(name).filter)
    if engine is Engine.SPARK:
        from rankcast.pipeline.spark import deliver_to_team

        options = {"rounds": rounds, "nodes": nodes}
        rows = on_spark(lambda frame: deliver_to_team(frame, catalog, name, json="event", **options), events, out)
    else:
        own = catalog.alone(name)
        rows = _served(own, name, events, list(match_all(engine, own, events, out)), rounds, nodes)
    rows.sort(key=lambda row: int(row["seq"]))
    out.records(rows, _COLUMNS, "no deliveries", out_file)
    exit_if_any(rejected)


def _served(
    catalog: "Catalog", name: str, events: "Sequence[Event]", found: "Sequence[Match]", rounds: int, nodes: int
) -> list[JsonObject]:
    from rankcast.lab.teams import serve_as_team

    return [
        {
            "user": name,
            "event": one.event,
            "seq": one.seq,
            "subscriptions": list(one.subscriptions),
            "round": one.round,
        }
        for one in serve_as_team(catalog, name, events, found, rounds, nodes).deliveries
    ]
