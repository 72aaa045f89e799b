"""A simulation of an overlay with a generated workload: the traffic on each link under a strategy."""

from collections import Counter
from dataclasses import dataclass

from rankcast.lab.overlay_runs import Route, random_workload, simulate
from rankcast.model import Ranking
from rankcast.overlay import STRATEGIES, BrokerMessage, Tree, parse_topology


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
    workload = random_workload(ranking, setup.k, setup.subscribers, setup.publications)
    made = simulate(tree, at, strategy, workload, advertises_first=True)
    upstream = tuple(tree.towards(at).items())
    links = made.overlay.traffic.links()
    about = (BrokerMessage.SUBSCRIBE, BrokerMessage.UNSUBSCRIBE, BrokerMessage.REWEIGH)
    return SimulationRun(
        tree=tree,
        upstream=upstream,
        up={link: sum(links.get(link, Counter())[kind] for kind in about) for link in upstream},
        down={link: links.get(link[::-1], Counter())[BrokerMessage.PUBLICATION] for link in upstream},
        known=made.known,
        local=dict(made.local),
        routes=made.routes,
        delivered=made.delivered,
        wrong=made.wrong,
        is_exact=strategy.is_exact(ranking) or not strategy.is_top_k,
    )
