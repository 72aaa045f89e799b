"""``rankcast overlay``: simulate a tree of brokers and count the messages on its links."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcast.cli.files.forward import StrategyName
from rankcast.cli.options import Json
from rankcast.cli.output import Output, TableColumn, table
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rich.tree import Tree as Drawn

    from rankcast.model import Event, Subscription
    from rankcast.overlay import Overlay, Strategy, Tree

__all__ = ["overlay"]

_COLUMNS = (
    TableColumn("link", style="bold"),
    TableColumn("subscribe ↑", align="right"),
    TableColumn("unsubscribe ↑", align="right"),
    TableColumn("reweigh ↑", align="right"),
    TableColumn("publication ↓", align="right"),
)


class Action(Enum):
    """The actions of the command."""

    SIMULATE = "simulate"


class RankBy(Enum):
    """The rankings of an advertisement."""

    RELEVANCE = "relevance"
    FAIR = "fair"
    RELEVANCE_FAIR = "relevance-fair"
    DIVERSE = "diverse"


@dataclass(frozen=True)
class _Workload:
    """The subscriptions and publications of a simulation."""

    rank: RankBy
    k: int
    subscribers: int
    publications: int
    changes: int
    seed: int


@dataclass(frozen=True)
class _Outcome:
    """The result of a simulation."""

    delivered: int
    wrong: int
    known: dict[str, int]
    local: Counter[str]
    received: Counter[str]


def overlay(
    action: Annotated[Action, typer.Argument(help="Action to run.", metavar="simulate")],
    topology: Annotated[
        str, typer.Option(metavar="TREE", help="Topology: chain:10x5, star:8, tree:2x3, or links such as b1-b2,b2-b3.")
    ] = "chain:3x2",
    publisher: Annotated[
        str | None, typer.Option(metavar="BROKER", help="Broker of the publisher; by default the first.")
    ] = None,
    strategy: Annotated[
        StrategyName, typer.Option(help="Forwarding strategy of the brokers.")
    ] = StrategyName.ANCESTOR_COVER,
    rank: Annotated[RankBy, typer.Option(help="Ranking of the advertisement.")] = RankBy.RELEVANCE,
    subscribers: Annotated[int, typer.Option(min=1, help="Number of subscribers, spread over the edge brokers.")] = 200,
    publications: Annotated[int, typer.Option(min=0, help="Number of publications.")] = 100,
    changes: Annotated[int, typer.Option(min=0, help="Number of subscribers that unsubscribe halfway through.")] = 0,
    k: Annotated[
        int, typer.Option("-k", "--k", min=1, help="Number of subscriptions that each publication goes to.")
    ] = 3,
    seed: Annotated[int, typer.Option(help="Seed for the random workload.")] = 0,
    json: Json = False,
) -> None:
    """Simulate a tree of brokers and count the messages on each link.

    Subscriptions travel towards the publisher, publications travel back. Subscribers ask for random intervals of 30
    to 60 % of the space. The recipients of each publication are compared with those that a single broker would
    choose. On a terminal, the command draws the tree with the number of subscriptions that each broker knows.

    Example:

      rankcast overlay simulate --topology chain:10x5 --subscribers 1000 -k 10
      rankcast overlay simulate --topology tree:3x2 --strategy ancestor-fair --rank fair
    """
    from rankcast.overlay import STRATEGIES, Overlay, parse_topology

    out = Output(json)
    tree = parse_topology(topology)
    at = publisher or tree.brokers[0]
    tree.towards(at)
    made = Overlay(tree)
    chosen = STRATEGIES[strategy.value]
    workload = _Workload(rank, k, subscribers, publications, min(changes, subscribers), seed)
    outcome = _simulate(made, chosen, at, workload, out)
    if out.as_lines:
        for row in _messages(made, at):
            out.record(row)
    else:
        out.show(_drawn(tree, at, outcome))
        out.show(table(_COLUMNS, _links(made, at), title="messages"))
    exact = chosen.is_exact(_ranking(rank)) or not chosen.is_top_k
    out.say(
        f"{outcome.known[at]:,} of {subscribers - workload.changes:,} subscriptions are known at the publisher; "
        f"{outcome.delivered:,} deliveries of {publications:,} publications, "
        + (
            f"{outcome.wrong:,} publications differ from a single broker"
            if exact or outcome.wrong == 0
            else "with ties drawn at each broker"
        )
    )


def _simulate(made: "Overlay", strategy: "Strategy", at: str, given: _Workload, out: Output) -> _Outcome:
    from rankcast.language import parse
    from rankcast.model import Advertisement
    from rankcast.overlay import Area, recipients

    advertisement = Advertisement("a1", "publisher", parse("x between 0 and 100"), given.k, _ranking(given.rank))
    made.advertise(advertisement, at, strategy)
    scorer = Area(advertisement)
    edges = [name for name in made.tree.leaves if name != at] or [at]
    home = {}
    wanted = {one.id: one for one in _subscriptions(given.subscribers, given.seed)}
    for number, name in enumerate(wanted):
        home[name] = edges[number % len(edges)]
    made.subscribe_all((wanted[name], broker) for name, broker in home.items())
    delivered, wrong = 0, 0
    received: Counter[str] = Counter()
    leaving = iter(list(wanted)[: given.changes])
    with out.progress("publishing", given.publications) as advance:
        for number, event in enumerate(_publications(given.publications, given.seed)):
            if number >= given.publications // 2:
                for name in leaving:
                    made.unsubscribe(name)
                    del wanted[name], home[name]
            found = made.publish(event).recipients
            matches = [(one, 1.0) for one in wanted.values() if _holds(one, event)]
            best = recipients(advertisement, event, matches, scorer) if strategy.is_top_k else matches
            delivered += len(found)
            wrong += set(found) != {one.id for one, _ in best}
            received.update(home[name] for name in found)
            advance(1)
    for name in leaving:
        made.unsubscribe(name)
        del wanted[name], home[name]
    known = {broker: len(made.known("a1", broker)) for broker in made.tree.brokers}
    return _Outcome(delivered, wrong, known, Counter(home.values()), received)


def _subscriptions(count: int, seed: int) -> "Iterator[Subscription]":
    from rankcast.model import Between, Predicate, Subscription
    from rankcast.overlay import lot

    for number in range(count):
        length = 30 + 30 * lot("length", str(seed), str(number))
        low = lot("place", str(seed), str(number)) * (100 - length)
        yield Subscription(f"s{number}", f"u{number}", Predicate("x", Between(low, low + length)))


def _publications(count: int, seed: int) -> "Iterator[Event]":
    from rankcast.model import EPOCH, Event
    from rankcast.overlay import lot

    for number in range(count):
        value = 100 * lot("publication", str(seed), str(number))
        yield Event(f"e{number}", EPOCH, {"x": (value,)}, advertisement="a1")


def _holds(subscription: "Subscription", event: "Event") -> bool:
    from rankcast.matching import NO_CONCEPTS, matches

    return matches(subscription.where, event, NO_CONCEPTS)


def _ranking(rank: RankBy) -> Any:
    from rankcast.model import Ranking

    return Ranking(rank.value)


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


def _drawn(tree: "Tree", at: str, outcome: _Outcome) -> "Drawn":
    from rich.text import Text
    from rich.tree import Tree as Drawn

    following = tree.towards(at)

    def label(name: str) -> Text:
        text = Text(name, style="bold")
        text.append(f"  knows {outcome.known[name]:,}", style="cyan")
        if outcome.local[name]:
            text.append(f", {outcome.local[name]:,} local with {outcome.received[name]:,} deliveries", style="green")
        return text

    branches = {at: Drawn(label(at), guide_style="dim")}
    for below, above in following.items():
        branches[below] = branches[above].add(label(below))
    return branches[at]
