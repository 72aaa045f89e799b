"""``rankcast overlay simulate``: simulate a tree of brokers and count the messages on its links."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.files.forward import StrategyName
from rankcast.cli.files.overlay_workload import workload_of_files
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import Json, bounded, input_file
from rankcast.cli.output import Output, TableColumn, amounts, table
from rankcast.model.advertisements import K, Ranking
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rich.tree import Tree as Drawn

    from rankcast.lab.overlay_runs import OverlayRun
    from rankcast.overlay import Overlay, Tree

_COLUMNS = (
    TableColumn("link", style="bold"),
    *amounts("subscribe ↑", "unsubscribe ↑", "reweigh ↑", "publication ↓"),
)


def simulate_overlay(
    topology: Annotated[
        str, typer.Option(metavar="TREE", help="Topology: chain:10x5, star:8, tree:2x3, or links such as b1-b2,b2-b3.")
    ] = "chain:3x2",
    publisher: Annotated[
        str | None, typer.Option(metavar="BROKER", help="Broker of the publisher; by default the first.")
    ] = None,
    strategy: Annotated[
        StrategyName, typer.Option(help="Forwarding strategy of the brokers.")
    ] = StrategyName.ANCESTOR_COVER,
    rank: Annotated[Ranking, typer.Option(help="Ranking of the advertisement.")] = Ranking.RELEVANCE,
    subscribers: Annotated[
        int, bounded(1, 1_000_000, help="Number of subscribers, spread over the edge brokers.")
    ] = 200,
    publications: Annotated[int, bounded(0, 1_000_000, help="Number of publications.")] = 100,
    changes: Annotated[int, bounded(0, 1_000_000, help="Number of subscribers that unsubscribe halfway through.")] = 0,
    k: Annotated[
        int, bounded(K.low, K.high, "-k", "--k", help="Number of subscriptions that each publication goes to.")
    ] = 3,
    seed: Annotated[int, bounded(-(2**63), 2**63 - 1, help="Seed for the random workload.")] = 0,
    catalog_file: Annotated[
        Path | None,
        input_file(
            "--catalog", "Catalog file with your own subscriptions and advertisement; otherwise a random workload."
        ),
    ] = None,
    events_file: Annotated[
        Path | None,
        input_file("--events", "Event file with the publications; only with --catalog."),
    ] = None,
    advertisement: Annotated[
        str | None,
        typer.Option(
            "--advertisement", "-a", metavar="ID", help="Advertisement of the catalog; by default the only one."
        ),
    ] = None,
    weights_travel: Annotated[
        bool,
        typer.Option(
            "--weights-travel", help="Weights travel with subscriptions only, and are stale until the next one passes."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Simulate a tree of brokers and count the messages on each link.

    Subscriptions travel towards the publisher, publications travel back. Subscribers ask for random intervals of 30
    to 60 % of the space. The recipients of each publication are compared with those that a single broker would
    choose. On a terminal, the command draws the tree with the number of subscriptions that each broker knows.

    With --catalog, the subscriptions are those of the file. All subscriptions of a user are at one edge broker. The
    advertisement decides k and ranking, and --events gives the publications.

    Example:

      rankcast overlay simulate --topology chain:10x5 --subscribers 1000 -k 10
      rankcast overlay simulate --topology tree:3x2 --strategy ancestor-fair --rank fair
      rankcast overlay simulate --catalog catalog.jsonl --events events.jsonl --advertisement a1
    """
    from rankcast.lab.overlay_runs import random_workload, simulate
    from rankcast.overlay import STRATEGIES, parse_topology

    out = Output(json)
    tree = parse_topology(topology)
    at = publisher or tree.brokers[0]
    tree.towards(at)
    chosen = STRATEGIES[strategy.value]
    if catalog_file is not None:
        workload = workload_of_files(catalog_file, events_file, advertisement, out)
    elif events_file is not None or advertisement is not None:
        raise typer.BadParameter("--events and --advertisement go with --catalog")
    else:
        workload = random_workload(rank, k, subscribers, publications, str(seed))
    with out.progress("publishing", len(workload.publications)) as advance:
        outcome = simulate(tree, at, chosen, workload, changes=changes, weights_travel=weights_travel, advance=advance)
    made = outcome.overlay
    if out.as_lines:
        for row in _messages(made, at):
            out.record(row)
    else:
        out.show(_drawn(tree, at, outcome))
        out.show(table(_COLUMNS, _links(made, at), title="messages"))
    exact = chosen.is_exact(workload.advertisement.rank) or not chosen.is_top_k
    out.say(
        f"{outcome.known[at]:,} of {outcome.left:,} subscriptions are known at the publisher; "
        f"{outcome.delivered:,} deliveries of {len(workload.publications):,} publications, "
        + (
            f"{outcome.wrong:,} publications differ from a single broker"
            if exact or outcome.wrong == 0
            else "with ties drawn at each broker"
        )
    )
    if workload.left_out:
        out.say(
            f"{workload.left_out:,} events were left out: outside the advertised space, under another advertisement, "
            "or with imprecise values"
        )
    exit_if_any(workload.rejected)


def _messages(made: "Overlay", at: str) -> Iterator[JsonObject]:
    """The messages on each link in each direction; links near the publisher come first."""
    sent = made.traffic.links()
    for below, above in made.tree.towards(at).items():
        for sender, receiver in ((below, above), (above, below)):
            counts = {kind.value: count for kind, count in sent.get((sender, receiver), Counter()).items()}
            counts.pop("advertisement", None)
            if counts:
                yield {"from": sender, "to": receiver, **counts}


def _links(made: "Overlay", at: str) -> Iterator[list[str]]:
    """The same as one row per link: subscriptions go up, publications down."""
    both: dict[tuple[str, str], dict[str, int]] = {}
    for row in _messages(made, at):
        ends = row.pop("from"), row.pop("to")
        both.setdefault(min(ends, ends[::-1]), {}).update(row)
    for below, above in made.tree.towards(at).items():
        counts = both.get(min((below, above), (above, below)), {})
        cells = [counts.get(column.name.split()[0]) for column in _COLUMNS[1:]]
        yield [f"{below} – {above}", *("" if count is None else f"{count:,}" for count in cells)]


def _drawn(tree: "Tree", at: str, outcome: "OverlayRun") -> "Drawn":
    from rich.text import Text
    from rich.tree import Tree as Drawn

    following, received = tree.towards(at), outcome.received

    def label(name: str) -> Text:
        text = Text(name, style="bold")
        text.append(f"  knows {outcome.known[name]:,}", style="cyan")
        if outcome.local[name]:
            text.append(f", {outcome.local[name]:,} local with {received[name]:,} deliveries", style="green")
        return text

    branches = {at: Drawn(label(at), guide_style="dim")}
    for below, above in following.items():
        branches[below] = branches[above].add(label(below))
    return branches[at]
