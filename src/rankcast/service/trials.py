"""Trying things on recent history: what an expression would have matched, what a policy would have delivered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rankcast.choose import Moment
from rankcast.engine.reference.shard import replay
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.errors import RankcastError
from rankcast.language import parse
from rankcast.matching import OracleMatcher, matches
from rankcast.model import Catalog, Delivery, Event, Membership, Policy, Term

__all__ = ["ExpressionTrial", "Funnel", "backtest", "funnel", "try_expression"]


@dataclass(frozen=True, slots=True)
class ExpressionTrial:
    """What an expression would have matched: `count` of `of` recent events; `matched` are those, newest first.
    `error` says why it cannot be tried."""

    count: int
    of: int
    matched: list[Event]
    error: RankcastError | None = None


class Funnel(NamedTuple):
    """How many recent events were published, matched a user, were ranked against others (a novelty filter let them
    through), and were delivered."""

    published: int
    matched: int
    ranked: int
    delivered: int


def try_expression(text: str, catalog: Catalog, events: Sequence[Event], user: str | None = None) -> ExpressionTrial:
    """Match an expression against events (newest first), with the concepts as the user means them."""

    def meaning(attribute: str, term: Term) -> Membership:
        return catalog.membership(attribute, term, user)

    try:
        where = parse(text)
        catalog.check_expression(where, user)
    except RankcastError as error:
        return ExpressionTrial(0, len(events), [], error)
    matched = [event for event in events if matches(where, event, meaning)]
    return ExpressionTrial(len(matched), len(events), matched)


def backtest(user: str, policy: Policy, catalog: Catalog, events: Sequence[Event]) -> list[Delivery]:
    """What the user would have got of the events (in publication order) under the policy, from a fresh start.

    Serves this user alone; the last, unfinished period is closed, as in a replay.
    """
    return replay(_alone(user, catalog, policy), events)


def funnel(user: str, catalog: Catalog, events: Sequence[Event], delivered: int) -> Funnel:
    """The funnel of the events (in publication order) for a user; `delivered` is what the log of deliveries says."""
    if not catalog.subscriptions_of(user):
        return Funnel(len(events), 0, 0, delivered)
    subscriber = Subscriber(user, catalog)
    norm = catalog.policy_of(user).norm
    matcher = OracleMatcher(
        catalog.subscriptions_of(user),
        meaning_of=lambda name: lambda attribute, term: catalog.membership(attribute, term, name),
        shared=catalog.membership,
        norm_of=lambda name: norm,
    )
    matched = 0
    stopped: set[int] = set()
    for event in events:
        found = list(matcher.match(event))
        matched += bool(found)
        for step in subscriber.publish(Moment(event.seq, event.time), event, found):
            if step.note and not step.chosen:
                stopped |= {candidate.seq for candidate in step.candidates}
    return Funnel(len(events), matched, matched - len(stopped), delivered)


def _alone(user: str, catalog: Catalog, policy: Policy) -> Catalog:
    """The part of the catalog that bears on one user, with that policy."""
    made = Catalog()
    for concept in catalog.concepts.values():
        if concept.user in (None, user):
            made.put(concept)
    for subscription in catalog.subscriptions_of(user):
        made.put(subscription)
    for preference in catalog.preferences_of(user):
        made.put(preference)
    made.put(replace(policy, user=user))
    for advertisement in catalog.advertisements.values():
        made.put(advertisement)
    return made
