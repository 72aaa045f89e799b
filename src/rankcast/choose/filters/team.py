"""A threshold filter over nodes that each hold a part of one user's subscriptions: a team inbox (thesis 3.4).

The stream is divided into rounds of published events. All nodes see all events, so they agree on where a round ends
without communicating. After each round every node reports to a coordinator: the events that matched it, the events
that it delivered, and its best scores. The coordinator merges the reports and answers with the threshold, a quota for
each node, and the deliveries of the others. During a round a node knows nothing of the others: it estimates how many
events matched the team, and delivers no more than its quota.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Scoring, Update
from rankcast.plain import State

__all__ = [
    "NodeSummary",
    "RoundSummary",
    "TeamNode",
    "check_team_filter",
    "first_round",
    "merge",
    "round_bounds",
    "serve_together",
]


class NodeSummary(NamedTuple):
    """A node's report after a round.

    It has the `seq` of all events that matched the node and of those that it delivered, and its scores, best first,
    each with its `seq`.
    """

    matched: list[int]
    delivered: list[int]
    best: list[tuple[float, int]]


class RoundSummary(NamedTuple):
    """What all nodes know at the start of a round.

    `matched` is the number of events that matched the team before the round, `share` the share of the last round's
    events that matched. A node delivers events that score at least `threshold`, up to its quota. The quotas sum to k
    = rate * (events that matched in the last round), plus the unused quota of the last round, at most k again. So the
    team never gets more than the sum of all k. `delivered` lists the deliveries of the last round.
    """

    threshold: float
    quotas: list[int]
    matched: int
    share: float
    delivered: list[int]


def check_team_filter(settings: Filter | None) -> Filter:
    """Return the filter if nodes can share it: a lazy threshold by rate or interval, without aging. Else raise."""
    if settings is None or settings.novelty is not FilterKind.THRESHOLD or settings.update is not Update.LAZY:
        raise ModelError("a team needs a policy with a lazy threshold filter")
    if settings.scoring not in (Scoring.RATE, Scoring.INTERVAL) or settings.aging != 1:
        raise ModelError("a team's filter scores by rate or interval, without aging")
    return settings


def first_round(settings: Filter, nodes: int, length: int) -> RoundSummary:
    """The summary before the first round: no threshold, every event is assumed to match, equal quotas."""
    k = math.floor(settings.rate * length + 1e-9)
    return RoundSummary(0.0, _shares(k, nodes), 0, 1.0, [])


def merge(summaries: Sequence[NodeSummary], before: RoundSummary, rate: float, length: int) -> RoundSummary:
    """Merge the reports of a round of `length` published events; an event that matched several nodes counts once.

    A node's quota is the number of its events among the k best scores; at equal scores the earlier event goes first.
    Unused quota goes to the nodes that used up theirs.

    >>> nodes = [NodeSummary([1, 2], [1], [(1.0, 1), (0.9, 2)]), NodeSummary([3, 4], [3], [(1.0, 3), (0.2, 4)])]
    >>> merge(nodes, RoundSummary(0.0, [1, 1], 0, 1.0, []), rate=0.75, length=4)
    RoundSummary(threshold=0.9, quotas=[2, 1], matched=4, share=1.0, delivered=[1, 3])
    """
    matched = len({seq for summary in summaries for seq in summary.matched})
    k = math.floor(rate * matched + 1e-9)
    scored = [(score, -seq, -number) for number, summary in enumerate(summaries) for score, seq in summary.best]
    best = heapq.nlargest(k, scored)
    quotas = [0] * len(summaries)
    for _, _, number in best:
        quotas[-number] += 1
    left = [quota - len(summary.delivered) for quota, summary in zip(before.quotas, summaries, strict=True)]
    short = [number for number, unspent in enumerate(left) if not unspent]
    for number, extra in zip(short, _shares(min(k, sum(left)), len(short)), strict=True):
        quotas[number] += extra
    return RoundSummary(
        threshold=best[-1][0] if best else 0.0,
        quotas=quotas,
        matched=before.matched + matched,
        share=matched / length if length else before.share,
        delivered=sorted({seq for summary in summaries for seq in summary.delivered}),
    )


def _shares(amount: int, among: int) -> list[int]:
    return [amount // among + (number < amount % among) for number in range(among)]


class TeamNode:
    """One node, with the deliveries of its own subscriptions that it knows of."""

    def __init__(self, number: int, settings: Filter) -> None:
        self._number = number
        self._settings = check_team_filter(settings)
        self._delivered: dict[str, int] = {}
        self._last: dict[str, float] = {}
        self._round: list[tuple[int, Sequence[str]]] = []
        self._own: set[int] = set()
        self._start = 0

    def advance(self, events: Sequence[tuple[int, Sequence[str]]], start: int, known: RoundSummary) -> NodeSummary:
        """Serve the round after event `start`; `events` are this node's matches, as `seq` and subscriptions."""
        self._learn(known)
        quota = known.quotas[self._number]
        self._round, self._own, self._start = list(events), set(), start
        scores: list[tuple[float, int]] = []
        delivered: list[int] = []
        for seq, matching in events:
            t = self._estimate(seq, known)
            score = max(self._score(name, t) for name in matching)
            scores.append((score, seq))
            if score >= known.threshold and len(delivered) < quota:
                delivered.append(seq)
                self._own.add(seq)
                self._count(matching, t)
        scores.sort(key=lambda scored: (-scored[0], scored[1]))
        return NodeSummary([seq for seq, _ in events], delivered, scores)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {
            "delivered": self._delivered,
            "last": self._last,
            "round": [[seq, list(matching)] for seq, matching in self._round],
            "own": sorted(self._own),
            "start": self._start,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved `state`."""
        self._delivered = dict(state["delivered"])
        self._last = dict(state["last"])
        self._round = [(seq, tuple(matching)) for seq, matching in state["round"]]
        self._own = set(state["own"])
        self._start = state["start"]

    def _learn(self, known: RoundSummary) -> None:
        """Take into account what other nodes delivered in the last round that also matches here."""
        others = set(known.delivered) - self._own
        for seq, matching in self._round:
            if seq in others:
                self._count(matching, float(known.matched))

    def _count(self, matching: Sequence[str], t: float) -> None:
        for name in matching:
            self._delivered[name] = self._delivered.get(name, 0) + 1
            self._last[name] = max(t, self._last.get(name, 0.0))

    def _estimate(self, seq: int, known: RoundSummary) -> float:
        """Estimate how many events have matched the team, this one included, from the last summary and its share."""
        return max(1.0, known.matched + known.share * (seq - self._start))

    def _score(self, name: str, t: float) -> float:
        if self._settings.scoring is Scoring.INTERVAL:
            return t - self._last.get(name, 0.0)
        return 1.0 - self._delivered.get(name, 0) / (t - 1) if t > 1 else 1.0


def round_bounds(published: int, number: int, rounds: int) -> tuple[int, int]:
    """The bounds of a round, numbered from 0: it has the events after the first bound, up to the second."""
    return published * number // rounds, published * (number + 1) // rounds


def serve_together(
    matches: Sequence[Sequence[tuple[int, Sequence[str]]]], published: int, settings: Filter, rounds: int
) -> list[int]:
    """Serve all rounds in one process; return the `seq` of all deliveries. `matches` are each node's, by `seq`."""
    nodes = [TeamNode(number, settings) for number in range(len(matches))]
    known: RoundSummary | None = None
    delivered: set[int] = set()
    for number in range(rounds):
        start, end = round_bounds(published, number, rounds)
        known = known or first_round(settings, len(nodes), end - start)
        parts = [[match for match in own if start < match[0] <= end] for own in matches]
        summaries = [node.advance(part, start, known) for node, part in zip(nodes, parts, strict=True)]
        known = merge(summaries, known, settings.rate, end - start)
        delivered.update(known.delivered)
    return sorted(delivered)
