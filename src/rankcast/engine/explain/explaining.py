"""Explaining why an event was, or was not, sent to a user."""

from collections.abc import Sequence
from datetime import datetime
from itertools import repeat

from rankcast.choose import Distance, Step
from rankcast.engine.explain.explanation import Decision, Explanation, MatchedSubscription, Rival
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.engine.trace import UserReplay
from rankcast.errors import RankcastError, did_you_mean
from rankcast.language import show_time
from rankcast.matching import MatchFinding, explain_match
from rankcast.model import Catalog, Event, ScorePart, Subscription
from rankcast.overlay import Matched
from rankcast.rank import ScoreExplanation, recency

__all__ = ["explain"]


def explain(
    catalog: Catalog,
    events: Sequence[Event],
    user: str,
    event_id: str,
    *,
    finished: bool = True,
    clocks: Sequence[datetime] | None = None,
    until: datetime | None = None,
) -> Explanation:
    """Replay the user alone and record every decision about the event.

    `events` are in publication order; `finished` means that the stream has ended, which closes the last period. Costs
    one replay of the events for one user; events under an advertisement are matched for all users. For events served
    by a live pipeline, `clocks` gives the time at which it received each event, and `until` the current time, because
    periods of time end by the clock.
    """
    subscriptions = catalog.subscriptions_of(user)
    if not subscriptions:
        raise RankcastError(f"there is no user {user!r} with subscriptions{did_you_mean(user, catalog.users())}")
    event = next((event for event in events if event.id == event_id), None)
    if event is None:
        near = did_you_mean(event_id, [event.id for event in events[:1000]])
        raise RankcastError(f"there is no event {event_id!r} among the {len(events)} events{near}")
    policy = catalog.policy_of(user)
    replay = UserReplay(catalog, user)
    subscriber = replay.subscriber
    steps: list[Step] = []
    total = 0
    rank: float | None = None
    combined: ScoreExplanation | None = None
    matched: list[Matched] = []
    admitted: list[Matched] = []
    received = repeat(None) if clocks is None else clocks
    for published, clock in zip(events, received, strict=clocks is not None):
        point = replay.publish(published, clock)
        if published is event:
            matched, admitted = point.matched, point.admitted
            if admitted:
                combined = subscriber.explained
                rank = combined.score if combined else subscriber.candidate(event, admitted).rank
        concerned = [step for step in point.steps if _concerns(step, event)]
        total += len(concerned)
        for step in concerned:
            steps = _kept(steps, step, event)
    ended = replay.close() if finished else [] if until is None else replay.advance(until)
    for step in (step for step in ended if _concerns(step, event)):
        total += 1
        steps = _kept(steps, step, event)
    specific = subscriber.candidate(event, admitted).specific if admitted else ()
    decision = _decision(steps[0], event, Distance(policy.weights, policy.attributes)) if steps else None
    if decision is not None:
        rank = decision.rank
    if combined is not None and steps:
        combined = combined.with_value(ScorePart.RECENCY, recency(steps[0].forwarded - event.time, policy.half_life))
    return Explanation(
        user=user,
        event=event,
        policy=policy,
        interests=_interests(catalog, subscriber, subscriptions, event, matched, specific),
        rank=rank,
        parts=combined.label() if combined else "",
        decisions=total,
        decision=decision,
        withheld=_withheld(replay, event) if matched and not admitted else "",
    )


def _withheld(replay: UserReplay, event: Event) -> str:
    """Why a matching event does not reach the user."""
    advertisement = replay.catalog.advertisements[event.advertisement or ""]
    k, competing = event.k or advertisement.k, len(replay.competing(event))
    reached = "1 subscription" if k == 1 else f"{k} subscriptions"
    return (
        f"{advertisement.publisher!r} reaches only {reached} with advertisement {advertisement.id!r} "
        f"({advertisement.rank.value}), and chose others of the {competing} that match"
    )


def _concerns(step: Step, event: Event) -> bool:
    return any(candidate.seq == event.seq for candidate in step.candidates)


def _kept(steps: list[Step], step: Step, event: Event) -> list[Step]:
    """The step that sent the event, or else the latest."""
    if steps and any(candidate.seq == event.seq for candidate in steps[0].sent):
        return steps
    return [step]


def _decision(step: Step, event: Event, distance: Distance) -> Decision:
    return Decision(
        window=step.window,
        forwarded=show_time(step.forwarded),
        rank=next(candidate.rank for candidate in step.candidates if candidate.seq == event.seq),
        candidates=len(step.candidates),
        chosen=any(candidate.seq == event.seq for candidate in step.chosen),
        sent=any(candidate.seq == event.seq for candidate in step.sent),
        rivals=tuple(
            Rival(chosen.event.id, chosen.rank, distance(event, chosen.event))
            for chosen in step.chosen
            if chosen.seq != event.seq
        ),
        note=step.note,
    )


def _interests(
    catalog: Catalog,
    subscriber: Subscriber,
    subscriptions: Sequence[Subscription],
    event: Event,
    matched: Sequence[tuple[Subscription, float]],
    specific: tuple[str, ...],
) -> tuple[MatchedSubscription, ...]:
    degrees = {subscription.id: degree for subscription, degree in matched}

    def why(subscription: Subscription) -> MatchFinding:
        meaning = catalog.meaning_of(subscription.user)
        return explain_match(subscription.where, event, meaning, shared=catalog.membership)

    return tuple(
        MatchedSubscription(
            subscription=subscription,
            score=subscriber.score(subscription.id),
            matches=subscription.id in degrees,
            degree=degrees.get(subscription.id, 0.0),
            specific=subscription.id in specific,
            why=tuple(why(subscription).lines()),
        )
        for subscription in subscriptions
    )
