"""A filter over nodes that each hold a part of one user's subscriptions: a team inbox (semantics: Teams; thesis 3.4).

The stream is divided into rounds of published events. All nodes see all events, so they agree on where a round ends
without communicating. After each round every node reports to a coordinator, which merges the reports and answers with
the threshold, a quota for each node, and the deliveries of the others (`rankcast.choose.filters.team_rounds`). During a
round a node knows nothing of the others: it estimates how many events matched the team, and delivers no more than its
quota.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.pacing import Pacing, takes_turns
from rankcast.choose.filters.rotation import TurnsOwed
from rankcast.choose.filters.sampling import Sampling
from rankcast.choose.filters.score_sketch import sketch
from rankcast.choose.filters.team_rounds import (
    NodeReport,
    RoundOrders,
    TeamState,
    check_team_filter,
    first_orders,
    merge,
    seqs_of,
)
from rankcast.model import EPOCH, Credit, Event, Filter, FilterKind, Update
from rankcast.plain import State
from rankcast.rank.novelty import NoveltyState
from rankcast.rank.of_policy import novelty_of_filter


class TeamMatch(NamedTuple):
    """An event that matches a node, with the node's subscriptions that it matches, and the most specific of them."""

    seq: int
    id: str
    matching: Sequence[str]
    specific: Sequence[str] = ()

    @property
    def event(self) -> Event:
        """The event, without its attributes."""
        return Event(self.id, EPOCH, {}, seq=self.seq)


class TeamNode:
    """One node, with what it knows of its own subscriptions."""

    def __init__(self, team: str, settings: Filter) -> None:
        self._settings = check_team_filter(settings)
        self._judge: _Judge
        if settings.novelty is FilterKind.SAMPLING:
            self._judge = _ByChance(team, settings)
        else:
            self._judge = _ByTurn(settings) if takes_turns(settings) else _ByScore(settings)
        self._t = 0
        self._round: list[TeamMatch] = []
        self._own: set[int] = set()
        self._start = 0

    def advance(self, matches: Sequence[TeamMatch], start: int, length: int, orders: RoundOrders) -> NodeReport:
        """Serve the round of the `length` events after event `start`; `matches` are those that match this node."""
        self._learn(orders)
        self._judge.begin(orders)
        self._round, self._own, self._start = list(matches), set(), start
        wanted = 0
        for own, match in enumerate(matches, 1):
            estimate = orders.matched + own + int(orders.others * (match.seq - start))
            skipped = max(0, estimate - self._t - 1)
            self._t += skipped + 1
            if self._judge.wants(match, skipped, orders.threshold):
                wanted += 1
                if len(self._own) < orders.quota:
                    self._own.add(match.seq)
                    self._judge.delivered(match)
            self._judge.count(match)
        matched = [match.seq for match in matches]
        border = int(self._settings.rate * len(matches) + 1e-9)
        return NodeReport(
            _bits(matched, start, length),
            _bits(sorted(self._own), start, length),
            wanted,
            sketch(self._judge.scores, border),
            self._judge.active,
        )

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {
            "judge": self._judge.state(),
            "t": self._t,
            "round": [[one.seq, one.id, list(one.matching), list(one.specific)] for one in self._round],
            "own": sorted(self._own),
            "start": self._start,
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._judge.restore(state["judge"])
        self._t = state["t"]
        self._round = [TeamMatch(seq, name, tuple(all_), tuple(some)) for seq, name, all_, some in state["round"]]
        self._own = set(state["own"])
        self._start = state["start"]

    def _learn(self, orders: RoundOrders) -> None:
        """Take into account what other nodes delivered in the last round that also matches here."""
        others = set(seqs_of(orders.delivered, self._start)) - self._own
        if self._settings.credit is Credit.ALL:
            for match in self._round:
                if match.seq in others:
                    self._judge.delivered(match)


class _Judge:
    """Decides which of a node's matches are worth delivering, by what it has learned of them."""

    def __init__(self, learned: NoveltyState | Sampling) -> None:
        self.scores: list[float] = []
        self._learned = learned

    @property
    def active(self) -> int:
        return 0  # only some filters need it

    def begin(self, orders: RoundOrders) -> None:
        self.scores = []

    def wants(self, match: TeamMatch, skipped: int, threshold: float) -> bool:
        raise NotImplementedError

    def delivered(self, match: TeamMatch) -> None:
        pass

    def count(self, match: TeamMatch) -> None:
        pass

    def state(self) -> State:
        return self._learned.state()

    def restore(self, state: State) -> None:
        self._learned.restore(state)


class _ByScore(_Judge):
    """Threshold: what scores at least the threshold of the round."""

    _learned: NoveltyState

    def __init__(self, settings: Filter) -> None:
        novelty = novelty_of_filter(settings)
        assert isinstance(novelty, NoveltyState)
        super().__init__(novelty)

    def wants(self, match: TeamMatch, skipped: int, threshold: float) -> bool:
        self._learned.skip(skipped)
        score = self._learned.score(match)
        self.scores.append(score)
        return score >= threshold

    def delivered(self, match: TeamMatch) -> None:
        self._learned.delivered(match)


class _ByTurn(_ByScore):
    """Threshold: what is owed in the turn, or, without a turn, what scores at least the threshold of the round."""

    def __init__(self, settings: Filter) -> None:
        super().__init__(settings)
        self._owed = TurnsOwed(Pacing(settings.rate, settings.period).budget, settings.credit)
        self._in_turns = False
        self._team = 0

    @property
    def active(self) -> int:
        return self._owed.active

    def begin(self, orders: RoundOrders) -> None:
        super().begin(orders)
        self._in_turns = orders.turn is not None
        self._owed.turn = self._owed.turn if orders.turn is None else orders.turn
        self._team = orders.elsewhere + self._owed.active

    def wants(self, match: TeamMatch, skipped: int, threshold: float) -> bool:
        reaches = super().wants(match, skipped, threshold)
        owed = self._owed.of(match.matching, self._team)
        return owed > 0 if self._in_turns else reaches

    def delivered(self, match: TeamMatch) -> None:
        super().delivered(match)
        self._owed.delivered(match, self._team)

    def state(self) -> State:
        return {**super().state(), "turns": self._owed.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        if "turns" in state:
            self._owed.restore(state["turns"])


class _ByChance(_Judge):
    """Sampling, which goes by matches: what a draw lets through. All nodes draw the same number for an event."""

    _learned: Sampling

    def __init__(self, team: str, settings: Filter) -> None:
        super().__init__(Sampling(team, settings))
        self._team = team
        self._settings = settings

    @property
    def active(self) -> int:
        return self._learned.active

    def begin(self, orders: RoundOrders) -> None:
        self._learned.elsewhere = orders.elsewhere
        if self._settings.update is Update.LAZY and orders.matched:
            self._learned.learn()

    def wants(self, match: TeamMatch, skipped: int, threshold: float) -> bool:
        self._learned.skip(skipped)
        probability = self._learned.consider(match.matching)
        return chance(self._settings.seed, self._team, match.id) < probability

    def count(self, match: TeamMatch) -> None:
        self._learned.count(match.matching)


class Team:
    """Nodes with their coordination, fed round by round: as a stream comes, or from files.

    Parameters
    ----------
    nodes
        The number of nodes of the team.
    own
        The numbers of the nodes that live in this process; by default all.
    exchange
        Sends the reports of the own nodes to the other processes, and returns those of all nodes. Each process merges
        all reports, so all know the same.

    `published` is the number of events in the rounds so far, and `traffic` the number of bytes that the nodes and the
    coordinator sent each other.
    """

    def __init__(
        self,
        team: str,
        settings: Filter,
        nodes: int,
        own: Sequence[int] | None = None,
        exchange: Callable[[dict[int, NodeReport]], dict[int, NodeReport]] = dict,
    ) -> None:
        self._settings = check_team_filter(settings)
        self._count = nodes
        self._nodes = {number: TeamNode(team, settings) for number in (range(nodes) if own is None else own)}
        self._exchange = exchange
        self._state: TeamState | None = None
        self._orders: list[RoundOrders] = []
        self.published = 0
        self.traffic = 0

    def advance(self, matches: Sequence[Sequence[TeamMatch]], length: int) -> list[int]:
        """Serve a round of `length` events, given each own node's matches; returns the `seq` of what is delivered."""
        if self._state is None:
            self._state, self._orders = first_orders(self._settings, self._count, length)
        start, self.published = self.published, self.published + length
        told = zip(self._nodes.items(), matches, strict=True)
        own = {at: node.advance(matched, start, length, self._orders[at]) for (at, node), matched in told}
        found = self._exchange(own)
        reports = [found[number] for number in range(self._count)]
        self._state, self._orders = merge(reports, self._state, self._settings, length)
        self.traffic += sum(len(msgspec.msgpack.encode(message)) for message in (*reports, *self._orders))
        return seqs_of(self._orders[0].delivered, start)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {
            "nodes": [node.state() for node in self._nodes.values()],
            "team": msgspec.to_builtins(self._state, builtin_types=(bytes,)),
            "orders": msgspec.to_builtins(self._orders, builtin_types=(bytes,)),
            "published": self.published,
            "traffic": self.traffic,
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a team of the same size and settings."""
        for node, known in zip(self._nodes.values(), state["nodes"], strict=True):
            node.restore(known)
        self._state = msgspec.convert(state["team"], TeamState | None)
        self._orders = msgspec.convert(state["orders"], list[RoundOrders])
        self.published, self.traffic = state["published"], state["traffic"]


def node_of(subscription: str, nodes: int) -> int:
    """The node of a subscription: a hash of its id."""
    return int.from_bytes(blake2b(subscription.encode(), digest_size=8).digest()) % nodes


def round_bounds(published: int, number: int, rounds: int) -> tuple[int, int]:
    """The bounds of a round, numbered from 0: it has the events after the first bound, up to the second."""
    return published * number // rounds, published * (number + 1) // rounds


def serve_together(
    matches: Sequence[Sequence[TeamMatch]], published: int, settings: Filter, rounds: int, team: str = "team"
) -> list[int]:
    """Serve all rounds in one process; return the `seq` of all deliveries. `matches` are each node's, by `seq`."""
    together = Team(team, settings, len(matches))
    delivered: list[int] = []
    for number in range(rounds):
        start, end = round_bounds(published, number, rounds)
        parts = [[match for match in own if start < match.seq <= end] for own in matches]
        delivered += together.advance(parts, end - start)
    return delivered


def _bits(seqs: Sequence[int], start: int, length: int) -> bytes:
    found = bytearray(-(-length // 8))
    for seq in seqs:
        place = seq - start - 1
        found[place // 8] |= 1 << place % 8
    return bytes(found)
