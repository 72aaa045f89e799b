"""Trials on recent history: what an expression would have matched, and what a policy would have delivered."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rankcast.engine.reference.shard import replay
from rankcast.engine.trace import trace
from rankcast.errors import RankcastError
from rankcast.model import Catalog, Delivery, Event, Policy


@dataclass(frozen=True, slots=True)
class ExpressionTrial:
    """The result of an expression: it matched `count` of `of` recent events. `matched` lists them, newest first.

    `by_thresholds` says of a vague expression how many it matches with the thresholds of each attitude, and crisply.
    `error` says why the expression cannot be tried.
    """

    count: int
    of: int
    matched: list[Event]
    error: RankcastError | None = None
    by_thresholds: dict[str, int] = field(default_factory=dict)


class Funnel(NamedTuple):
    """How many recent events were published, matched a user, were ranked, and were delivered.

    An event is ranked if its publisher and the novelty filter let it through.
    """

    published: int
    matched: int
    ranked: int
    delivered: int


def backtest(user: str, policy: Policy, catalog: Catalog, events: Sequence[Event]) -> list[Delivery]:
    """What the user would have received from the events (in publication order) under the policy, from a fresh start.

    Serves only this user. The last, unfinished period is closed, as in a replay.
    """
    return replay(catalog.alone(user, policy), events)


def funnel(user: str, catalog: Catalog, events: Sequence[Event], delivered: int) -> Funnel:
    """The funnel of the events (in publication order) for a user. `delivered` is the number in the delivery log."""
    if not catalog.subscriptions_of(user):
        return Funnel(len(events), 0, 0, delivered)
    matched = admitted = 0
    stopped: set[int] = set()
    for point in trace(catalog, user, events):
        matched += bool(point.matched)
        admitted += bool(point.admitted)
        for step in point.steps:
            if step.note and not step.chosen:
                stopped |= {candidate.seq for candidate in step.candidates}
    return Funnel(len(events), matched, admitted - len(stopped), delivered)
