"""Trials on recent history: what an expression would have matched, and what a policy would have delivered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rankcast.engine.reference.shard import replay
from rankcast.engine.trace import trace
from rankcast.errors import RankcastError
from rankcast.language import parse
from rankcast.matching import matches
from rankcast.model import Catalog, Delivery, Event, Policy

__all__ = ["ExpressionTrial", "Funnel", "backtest", "funnel", "try_expression"]


@dataclass(frozen=True, slots=True)
class ExpressionTrial:
    """The result of an expression: it matched `count` of `of` recent events. `matched` lists them, newest first.

    `error` says why the expression cannot be tried.
    """

    count: int
    of: int
    matched: list[Event]
    error: RankcastError | None = None


class Funnel(NamedTuple):
    """How many recent events were published, matched a user, were ranked, and were delivered.

    An event is ranked if its publisher and the novelty filter let it through.
    """

    published: int
    matched: int
    ranked: int
    delivered: int


def try_expression(text: str, catalog: Catalog, events: Sequence[Event], user: str | None = None) -> ExpressionTrial:
    """Match an expression against events (newest first), with the concepts as the user defines them."""
    meaning = catalog.meaning_of(user)
    try:
        where = parse(text)
        catalog.check_expression(where, user)
    except RankcastError as error:
        return ExpressionTrial(0, len(events), [], error)
    matched = [event for event in events if matches(where, event, meaning)]
    return ExpressionTrial(len(matched), len(events), matched)


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
