"""A simulation of an overlay with a generated workload: the traffic on each link under a strategy."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import EPOCH, Advertisement, Between, Event, Predicate, Ranking, Subscription
from rankcast.overlay import STRATEGIES, Area, BrokerMessage, Overlay, Tree, lot, parse_topology, recipients

SPACE = 100.0


@dataclass(frozen=True, slots=True)
class SimulationSetup:
    """The parameters of a simulation: brokers, strategy, ranking and workload.

    Subscribers sit at the edge brokers, and ask for random intervals of 30 to 60 % of the value range.
    """

    topology: str = "tree:2x3"
    strategy: str = "ancestor-cover"
    ranking: str = "relevance"
    k: int = 5
    subscribers: int = 150
    publications: int = 100

    @property
    def publisher(self) -> str:
        """The broker to which the publisher is connected."""
        return parse_topology(self.topology).brokers[0]


@dataclass(frozen=True, slots=True)
class Route:
    """The route of one publication: its value, the brokers in the order visited, and the recipients at each."""

    value: float
    visited: tuple[str, ...]
    received: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """The result of a simulation. Links are (lower, upper), with the publisher at the top.

    Subscriptions go up, and publications go down.
    """

    tree: Tree
    upstream: tuple[tuple[str, str], ...]
    up: dict[tuple[str, str], int]
    down: dict[tuple[str, str], int]
    known: dict[str, int]
    local: dict[str, int]
    routes: tuple[Route, ...]
    delivered: int
    wrong: int
    is_exact: bool

    @property
    def subscribes(self) -> int:
        """The total number of subscription messages."""
        return sum(self.up.values())

    @property
    def publishes(self) -> int:
        """The total number of publication messages."""
        return sum(self.down.values())


def run(setup: SimulationSetup) -> SimulationRun:
    """Run a simulation. The same set-up gives the same result. Takes some tenths of a second."""
    tree = parse_topology(setup.topology)
    at, strategy, ranking = setup.publisher, STRATEGIES[setup.strategy], Ranking(setup.ranking)
    overlay = Overlay(tree)
    advertisement = Advertisement("a1", "publisher", parse(f"x between 0 and {SPACE:g}"), setup.k, ranking)
    overlay.advertise(advertisement, at, strategy)
    edges = [name for name in tree.leaves if name != at] or [at]
    wanted = {one.id: one for one in _subscriptions(setup.subscribers)}
    home = {name: edges[number % len(edges)] for number, name in enumerate(wanted)}
    overlay.subscribe_all((wanted[name], broker) for name, broker in home.items())
    scorer = Area(advertisement)
    routes, delivered, wrong = [], 0, 0
    for event in _publications(setup.publications):
        found = overlay.publish(event)
        matching = [(one, 1.0) for one in wanted.values() if matches(one.where, event, NO_CONCEPTS)]
        best = recipients(advertisement, event, matching, scorer) if strategy.is_top_k else matching
        delivered += len(found.recipients)
        wrong += set(found.recipients) != {one.id for one, _ in best}
        received = Counter(home[name] for name in found.recipients)
        routes.append(Route(float(event.attributes["x"][0]), found.visited, tuple(sorted(received.items()))))  # type: ignore[arg-type, index]
    upstream = tuple(tree.towards(at).items())
    links = overlay.traffic.links()
    about = (BrokerMessage.SUBSCRIBE, BrokerMessage.UNSUBSCRIBE, BrokerMessage.REWEIGH)
    return SimulationRun(
        tree=tree,
        upstream=upstream,
        up={link: sum(links.get(link, Counter())[kind] for kind in about) for link in upstream},
        down={link: links.get(link[::-1], Counter())[BrokerMessage.PUBLICATION] for link in upstream},
        known={name: len(overlay.known("a1", name)) for name in tree.brokers},
        local=dict(Counter(home.values())),
        routes=tuple(routes),
        delivered=delivered,
        wrong=wrong,
        is_exact=strategy.is_exact(ranking) or not strategy.is_top_k,
    )


def _subscriptions(count: int) -> Iterator[Subscription]:
    for number in range(count):
        length = SPACE * (0.3 + 0.3 * lot("length", str(number)))
        low = lot("place", str(number)) * (SPACE - length)
        yield Subscription(f"s{number}", f"u{number}", Predicate("x", Between(low, low + length)))


def _publications(count: int) -> Iterator[Event]:
    for number in range(count):
        yield Event(f"e{number}", EPOCH, {"x": (SPACE * lot("publication", str(number)),)}, advertisement="a1")
