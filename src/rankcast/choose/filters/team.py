"""A threshold filter over nodes that each know a part of one user's subscriptions: a team inbox (thesis 3.4).

The stream is cut into rounds of published events, which all nodes see, so that they agree on where a round ends without
talking. After each round they tell a coordinator which events matched them, which they delivered, and their best scores; it
merges these and answers with the threshold, a quota for each node, and what the others delivered. Between two such talks a
node knows nothing of the others: it estimates how many events matched the team, and takes no more than its quota.
"""

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Scoring, Update

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
    """What a node tells after a round: the `seq` of all events that matched it and of those that it delivered, and its
    scores, the best first, each with its `seq`."""

    matched: list[int]
    delivered: list[int]
    best: list[tuple[float, int]]


class RoundSummary(NamedTuple):
    """What all nodes know at the beginning of a round.

    `matched` events matched the team before it, `share` is how much of the last round matched. A node delivers what scores
    at least `threshold`, at most its quota; the quotas sum up to k = rate * (events that matched in the last round), and what was
    left of the last round's, at most k again. So the team never gets more than the sum of all k. `delivered` is all that was
    delivered in the last round.
    """

    threshold: float
    quotas: list[int]
    matched: int
    share: float
    delivered: list[int]


def check_team_filter(settings: Filter | None) -> Filter:
    """The filter, if it is one that nodes can do together: a lazy threshold by rate or interval, without aging."""
    if settings is None or settings.novelty is not FilterKind.THRESHOLD or settings.update is not Update.LAZY:
        raise ModelError("a team needs a policy with a lazy threshold filter")
    if settings.scoring not in (Scoring.RATE, Scoring.INTERVAL) or settings.aging != 1:
        raise ModelError("a team's filter scores by rate or interval, without aging")
    return settings


def first_round(settings: Filter, nodes: int, length: int) -> RoundSummary:
    """Before anything is known: no threshold, everything is taken to match, and the budget is divided evenly."""
    k = math.floor(settings.rate * length + 1e-9)
    return RoundSummary(0.0, _shares(k, nodes), 0, 1.0, [])


def merge(summaries: Sequence[NodeSummary], before: RoundSummary, rate: float, length: int) -> RoundSummary:
    """The merged top-k of a round of `length` published events; an event that matched several nodes counts once.

    Each node gets as many as it has among the k best scores; of equal scores the earlier event goes first. What some nodes
    left of their quotas goes to those that used theirs up.

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
    """One node: the deliveries of its own subscriptions, as far as it heard of them."""

    def __init__(self, number: int, settings: Filter) -> None:
        self._number = number
        self._settings = check_team_filter(settings)
        self._delivered: dict[str, int] = {}
        self._last: dict[str, float] = {}
        self._round: list[tuple[int, Sequence[str]]] = []
        self._own: set[int] = set()
        self._start = 0

    def advance(self, events: Sequence[tuple[int, Sequence[str]]], start: int, known: RoundSummary) -> NodeSummary:
        """Serve a round: the events that match this node, as `seq` and subscriptions; the round follows event `start`."""
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

    def state(self) -> dict[str, Any]:
        """Plain data that `restore` takes back."""
        return {
            "delivered": self._delivered,
            "last": self._last,
            "round": [[seq, list(matching)] for seq, matching in self._round],
            "own": sorted(self._own),
            "start": self._start,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was taken."""
        self._delivered = dict(state["delivered"])
        self._last = dict(state["last"])
        self._round = [(seq, tuple(matching)) for seq, matching in state["round"]]
        self._own = set(state["own"])
        self._start = state["start"]

    def _learn(self, known: RoundSummary) -> None:
        """Hear of what others delivered in the last round that matches here, too."""
        others = set(known.delivered) - self._own
        for seq, matching in self._round:
            if seq in others:
                self._count(matching, float(known.matched))

    def _count(self, matching: Sequence[str], t: float) -> None:
        for name in matching:
            self._delivered[name] = self._delivered.get(name, 0) + 1
            self._last[name] = max(t, self._last.get(name, 0.0))

    def _estimate(self, seq: int, known: RoundSummary) -> float:
        """How many events have matched the team, this one included: what is known, and what the share makes likely."""
        return max(1.0, known.matched + known.share * (seq - self._start))

    def _score(self, name: str, t: float) -> float:
        if self._settings.scoring is Scoring.INTERVAL:
            return t - self._last.get(name, 0.0)
        return 1.0 - self._delivered.get(name, 0) / (t - 1) if t > 1 else 1.0


def round_bounds(published: int, number: int, rounds: int) -> tuple[int, int]:
    """A round, from 0: it has the events after the first number, up to the second."""
    return published * number // rounds, published * (number + 1) // rounds


def serve_together(
    matches: Sequence[Sequence[tuple[int, Sequence[str]]]], published: int, settings: Filter, rounds: int
) -> list[int]:
    """All rounds in one process: the `seq` of what the team gets. `matches` are those of each node, by `seq`."""
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
