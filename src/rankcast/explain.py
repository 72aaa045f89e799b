"""Why an event was, or was not, sent to a user."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankcast.choose import Distance, Moment, Step
from rankcast.errors import RankcastError, did_you_mean
from rankcast.language import label, show, show_time
from rankcast.match import Finding, OracleMatcher, explain_match
from rankcast.model import Catalog, Event, Membership, Mode, Part, Policy, Subscription, Term
from rankcast.rank import Explained, recency
from rankcast.subscriber import Subscriber

__all__ = ["Decision", "Explanation", "Interest", "Rival", "explain"]


@dataclass(frozen=True, slots=True)
class Interest:
    """One of the user's subscriptions, and what it makes of the event."""

    subscription: Subscription
    score: float
    matches: bool
    degree: float
    specific: bool
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rival:
    """An event that was chosen in the same decision: its rank, and its distance to the event in question."""

    event: str
    rank: float
    distance: float


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision in which the event was a candidate."""

    window: int
    forwarded: str
    rank: float
    candidates: int
    chosen: bool
    sent: bool
    rivals: tuple[Rival, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that led to an event being sent to a user or not.

    `decision` is the one that sent it, or else the last in which it was a candidate; None if it was in none. `rank`
    and its `parts` are as of that decision, or else of publication: they differ in recency.
    """

    user: str
    event: Event
    policy: Policy
    interests: tuple[Interest, ...]
    rank: float | None
    parts: str
    decisions: int
    decision: Decision | None

    @property
    def verdict(self) -> str:
        """One sentence: sent or not, and the reason."""
        if self.rank is None:
            return f"not sent: none of the {len(self.interests)} subscriptions of {self.user!r} matches"
        if self.decision is None:
            return f"not sent yet: it waits for the end of its period, with rank {self.rank:.3g}"
        top = f"the top {self.policy.k}" if self.policy.k else "everything"
        where = _place(self.policy.mode, self.decision)
        if self.decision.sent:
            return f"sent {where}: rank {self.rank:.3g}, in {top} of {_count(self.decision.candidates)}"
        if self.decision.note and not self.decision.chosen:
            return f"not sent: {self.decision.note}"
        if self.decision.chosen:
            return f"not sent yet: it passed the filter and waits for the end of its period, with rank {self.rank:.3g}"
        better = ", ".join(f"{rival.event} ({rival.rank:.3g})" for rival in self.decision.rivals)
        return f"not sent: rank {self.rank:.3g} was never in {top}; {where} that was {better}"

    def lines(self) -> list[str]:
        """The explanation for people, a line each."""
        lines = [f"{self.event.id} for {self.user}: {self.verdict}", ""]
        for interest in self.interests:
            mark = "*" if interest.specific else "+" if interest.matches else "-"
            said = f"{interest.subscription.id}  score {interest.score:.3g}  {label(interest.subscription.where)}"
            degree = f"  (degree {interest.degree:.3g})" if interest.matches and interest.degree < 1 else ""
            lines.append(f"  {mark} {said}{degree}")
            if not interest.matches:
                lines += [f"      {reason}" for reason in interest.why]
        lines.append("  (* matches and is most specific, + matches, - does not match)")
        if self.parts:
            lines += ["", f"  rank {self.parts}"]
        if self.decision is not None and self.decision.rivals:
            lines += ["", "  chosen beside it:" if self.decision.chosen else "  chosen instead:"]
            lines += [
                f"    {rival.event}  rank {rival.rank:.3g}  distance {rival.distance:.3g}"
                for rival in self.decision.rivals
            ]
        return lines

    def to_json(self) -> dict[str, Any]:
        """The explanation for programs."""
        decision = self.decision
        return {
            "user": self.user,
            "event": self.event.id,
            "sent": bool(decision and decision.sent),
            "verdict": self.verdict,
            "rank": self.rank,
            "parts": self.parts,
            "subscriptions": [
                {
                    "id": interest.subscription.id,
                    "where": show(interest.subscription.where),
                    "score": interest.score,
                    "matches": interest.matches,
                    "degree": interest.degree,
                    "most_specific": interest.specific,
                    "why": list(interest.why),
                }
                for interest in self.interests
            ],
            "decisions": self.decisions,
            "decision": decision
            and {
                "window": decision.window,
                "forwarded": decision.forwarded,
                "candidates": decision.candidates,
                "chosen": decision.chosen,
                "note": decision.note,
                "others": [
                    {"event": rival.event, "rank": rival.rank, "distance": rival.distance} for rival in decision.rivals
                ],
            },
        }


def explain(
    catalog: Catalog, events: Sequence[Event], user: str, event_id: str, *, finished: bool = True
) -> Explanation:
    """Serve the user alone once more, and note every decision about the event.

    `events` are in publication order; `finished` says that the stream has ended, which closes the last period. Costs
    one replay of the events for one user.
    """
    subscriptions = catalog.subscriptions_of(user)
    if not subscriptions:
        raise RankcastError(f"there is no user {user!r} with subscriptions{did_you_mean(user, catalog.users())}")
    event = next((event for event in events if event.id == event_id), None)
    if event is None:
        near = did_you_mean(event_id, [event.id for event in events[:1000]])
        raise RankcastError(f"there is no event {event_id!r} among the {len(events)} events{near}")
    policy = catalog.policy_of(user)
    subscriber = Subscriber(user, catalog)
    matcher = OracleMatcher(
        subscriptions,
        meaning_of=lambda name: lambda attribute, term: catalog.membership(attribute, term, name),
        shared=catalog.membership,
        norm_of=lambda name: policy.norm,
    )
    steps: list[Step] = []
    total = 0
    rank: float | None = None
    combined: Explained | None = None
    matched = list(matcher.match(event))
    for published in events:
        made = subscriber.publish(Moment(published.seq, published.time), published, list(matcher.match(published)))
        if published is event and matched:
            combined = subscriber.explained
            rank = combined.score if combined else subscriber.candidate(event, matched).rank
        for step in (step for step in made if _concerns(step, event)):
            total += 1
            steps = _kept(steps, step, event)
    if finished:
        for step in (step for step in subscriber.close() if _concerns(step, event)):
            total += 1
            steps = _kept(steps, step, event)
    specific = subscriber.candidate(event, matched).specific if matched else ()
    decision = _decision(steps[0], event, Distance(policy.weights, policy.attributes)) if steps else None
    if decision is not None:
        rank = decision.rank
    if combined is not None and steps:
        combined = combined.with_value(Part.RECENCY, recency(steps[0].forwarded - event.time, policy.half_life))
    return Explanation(
        user=user,
        event=event,
        policy=policy,
        interests=_interests(catalog, subscriber, subscriptions, event, matched, specific),
        rank=rank,
        parts=combined.label() if combined else "",
        decisions=total,
        decision=decision,
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
) -> tuple[Interest, ...]:
    degrees = {subscription.id: degree for subscription, degree in matched}

    def why(subscription: Subscription) -> Finding:
        def meaning(attribute: str, term: Term) -> Membership:
            return catalog.membership(attribute, term, subscription.user)

        return explain_match(subscription.where, event, meaning, shared=catalog.membership)

    return tuple(
        Interest(
            subscription=subscription,
            score=subscriber.score(subscription.id),
            matches=subscription.id in degrees,
            degree=degrees.get(subscription.id, 0.0),
            specific=subscription.id in specific,
            why=tuple(why(subscription).lines()),
        )
        for subscription in subscriptions
    )


def _place(mode: Mode, decision: Decision) -> str:
    match mode:
        case Mode.PERIODIC:
            return f"at the end of period {decision.window}"
        case Mode.SLIDING:
            return f"in the window at event {decision.window}"
        case _:
            return f"at event {decision.window}"


def _count(candidates: int) -> str:
    return "1 candidate" if candidates == 1 else f"{candidates} candidates"
