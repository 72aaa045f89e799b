"""A running tree beside one broker that knows everything: random users, subscriptions and publications."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from broker_processes import RunningTree, SingleBroker, pick

from rankcast.model import Advertisement, And, Between, Event, Predicate, Ranking, ScorerName, Subscription
from rankcast.overlay import PLAIN, STRATEGIES

__all__ = ["CHAIN", "CUT", "KILL", "STAR", "World", "run"]

KILL, CUT = "kill", "cut"

CHAIN = [("b0", "b1"), ("b1", "b2"), ("b2", "b3"), ("b3", "b4")]
STAR = [("b0", "b1"), ("b0", "b2"), ("b0", "b3"), ("b0", "b4")]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOP_K = [name for name, strategy in STRATEGIES.items() if strategy.is_top_k]
RANKED = [(Ranking.RELEVANCE, score) for score in ScorerName] + [
    (rank, list(ScorerName)[at]) for at, rank in enumerate(Ranking) if rank is not Ranking.RELEVANCE
]
"""Relevance by each scorer, and the other rankings."""
OF_AD = {
    f"{strategy} {rank.value} {score.value}": (strategy, rank, score) for strategy in TOP_K for rank, score in RANKED
}


class World:
    """A running tree beside one broker; everything random comes from a seed."""

    def __init__(self, folder: Path, links: list[tuple[str, str]], seed: int, delay: float = 0.0) -> None:
        strategies = {name: strategy for name, (strategy, _, _) in OF_AD.items()}
        self.random = Random(seed)
        self.tree = RunningTree(folder, links, [f"{name}={one}" for name, one in strategies.items()], delay)
        self.single = SingleBroker(links, strategies)
        self.expected: set[tuple[str, str, str]] = set()
        self._events = self._subscriptions = 0
        self._users = {f"u{number}": pick(self.random, self.tree.names) for number in range(10)}

    def advertise(self) -> None:
        space = And((Predicate("a", Between(0, 9)), Predicate("b", Between(0, 9))))
        placed: dict[str, list[Advertisement]] = {}
        for name, (_, rank, score) in OF_AD.items():
            made = Advertisement(name, "shop", space, self.random.randint(1, 3), rank, score)
            at = pick(self.random, self.tree.names)
            self.single.advertise(made, at)
            placed.setdefault(at, []).append(made)
        for at, some in placed.items():
            self.tree.stores[at].change(put=some)

    def change(self, changes: int) -> None:
        """Users subscribe, unsubscribe, and move with all their subscriptions."""
        for _ in range(changes):
            kind, known = self.random.random(), sorted(self.single.places)
            if kind < 0.2 and known:
                name = pick(self.random, known)
                at = self.single.places[name]
                self.tree.stores[at].change(remove=[self.single.unsubscribe(name)])
            elif kind < 0.4 and known:
                user = self.single.catalog.subscriptions[pick(self.random, known)].user
                old, new = self._users[user], pick(self.random, self.tree.names)
                moved = [self.single.unsubscribe(one.id) for one in self.single.catalog.subscriptions_of(user)]
                self.tree.stores[old].change(remove=moved)
                self.tree.stores[new].change(put=moved)
                self._users[user] = new
                for one in moved:
                    self.single.subscribe(one, new)
            else:
                self._subscribe()

    def _subscribe(self) -> None:
        user = pick(self.random, sorted(self._users))
        sides = []
        for name in ("a", "b")[: self.random.randint(1, 2)]:
            low = self.random.randint(0, 5)
            sides.append(Predicate(name, Between(low, self.random.randint(low, 9))))
        where = sides[0] if len(sides) == 1 else And(tuple(sides))
        self._subscriptions += 1
        weight = self.random.randint(1, 3)
        made = Subscription(f"s{self._subscriptions}", user, where, self.random.choice([None, 0.5, 1.0]), weight)
        self.single.subscribe(made, self._users[user])
        self.tree.stores[self._users[user]].change(put=[made])

    def events(self, count: int) -> list[tuple[str, Event]]:
        """Publications and where they are made: half of them under advertisements."""
        made = []
        for _ in range(count):
            self._events += 1
            values = {name: (self.random.randint(0, 9),) for name in ("a", "b")}
            event = Event(f"e{self._events}", NOW, values)
            at = pick(self.random, self.tree.names)
            if self.random.random() < 0.5:
                name = pick(self.random, sorted(OF_AD))
                event, at = replace(event, advertisement=name), self.single.homes[name]
            self.expected |= self.single.recipients(event)
            made.append((at, event))
        return made

    def check(self) -> None:
        self.tree.settle()
        found = self.tree.delivered()
        assert sorted(found - self.expected) == []
        assert sorted(self.expected - found) == []

    def check_forwarding(self) -> None:
        """Neighbours forwarded what the simulation forwards."""
        for name, at in self.single.homes.items():
            known = set(self.single.simulated.known(name, at))
            own = {one for one, place in self.single.places.items() if place == at}
            assert self.tree.known_from_neighbours(at, f"{at}/{name}") == known - own, name
        for at in self.tree.names:
            known = set(self.single.simulated.known(f"plain {at}", at))
            own = {one for one, place in self.single.places.items() if place == at}
            assert self.tree.known_from_neighbours(at, PLAIN) == known - own, at

    def disturb(self, kind: str) -> str:
        """Kill a broker or cut a link, one of them at random; returns what has to be undone."""
        if kind == KILL:
            name = pick(self.random, self.tree.names)
            self.tree.kill(name)
            return f"start {name}"
        name = pick(self.random, sorted(self.tree.edges))
        self.tree.network.cut(name)
        return f"mend {name}"

    def undo(self, what: str) -> None:
        kind, name = what.split()
        if kind == "start":
            self.tree.start(name)
        else:
            self.tree.network.mend(name)


def run(
    world: World, rounds: int, disturbances: Sequence[str], told: Callable[[str], None] = lambda what: None
) -> None:
    """Rounds of changes and publications; then publications while brokers are killed and links cut (`KILL`, `CUT`)."""
    world.tree.settle()
    world.advertise()
    world.change(25)
    for _ in range(rounds):
        world.change(8)
        world.tree.settle()
        for at, event in world.events(20):
            world.tree.publish(at, [event])
        world.check()
    world.check_forwarding()
    for kind in disturbances:
        events = world.events(12)
        when = world.random.randint(0, len(events) - 2)
        until = world.random.randint(when + 1, len(events) - 1)
        undone = ""
        later: list[tuple[str, Event]] = []
        for number, (at, event) in enumerate(events):
            if number == when:
                undone = world.disturb(kind)
                told(undone)
            if number == until:
                world.undo(undone)
            if number in range(when, until) and undone == f"start {at}":
                later.append((at, event))  # its publisher waits
            else:
                world.tree.publish(at, [event])
        for at, event in later:
            world.tree.publish(at, [event])
    world.check()
