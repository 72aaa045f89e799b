"""What a replay of one user decides about one event."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from rankcast.choose import Distance, Step
from rankcast.engine.explain.explanation import Decision, EventOutcome, Explanation, MatchedSubscription, Rival
from rankcast.engine.explain.reasons import why
from rankcast.engine.trace import UserReplay
from rankcast.language import show_time
from rankcast.matching import MatchFinding, explain_match
from rankcast.model import Catalog, Event, Mode, Policy, ScorePart, Subscription
from rankcast.overlay import Matched
from rankcast.rank import ScoreExplanation, recency


class EventTrace:
    """Collects the decisions of a replay about one event, and stops collecting when its fate is decided.

    The user must have subscriptions when the event is published. Catalog and policy are those of that moment.
    """

    def __init__(self, event: Event) -> None:
        self.event = event
        self._step: Step | None = None
        self._total = 0
        self._published: UserReplay | None = None
        self._catalog = Catalog()
        self._rank: float | None = None
        self._combined: ScoreExplanation | None = None
        self._interests: tuple[MatchedSubscription, ...] = ()
        self._withheld = ""
        self._gone = False

    @property
    def step(self) -> Step | None:
        """The decision that sent the event, or else the last that deferred it, or else the last one about it."""
        return self._step

    @property
    def is_sent(self) -> bool:
        """Whether a decision sent the event."""
        return self._step is not None and self._is_in(self._step.sent)

    @property
    def is_decided(self) -> bool:
        """Whether no later event can change what happens to this event."""
        if self._published is None:
            return False
        if self._rank is None or self._gone or self.is_sent:
            return True
        match self.policy.mode:
            case Mode.ALL | Mode.HISTORY:
                return True
            case Mode.PERIODIC | Mode.SLIDING:
                # A filter has stopped it, or its period has ended. A window can still choose it while it holds it.
                is_stopped = self._step is not None and bool(self._step.note) and not self._step.chosen
                return is_stopped or (self.policy.mode is Mode.PERIODIC and self._step is not None and not self._waits)

    @property
    def policy(self) -> Policy:
        """The policy of the user when the event was published."""
        assert self._published is not None
        return self._catalog.policy_of(self._published.user)

    def publish(self, replay: UserReplay, event: Event, clock: datetime | None) -> None:
        """Serve the next event of the replay."""
        point = replay.publish(event, clock)
        self.take(point.steps)
        if event.seq == self.event.seq:
            self._note(replay, point.matched, point.admitted)

    def take(self, steps: Iterable[Step]) -> None:
        """Note the decisions about the event among the next decisions of the replay."""
        for step in steps:
            if self._is_in(step.candidates):
                self._total += 1
                if not self.is_sent and (
                    self._is_in(step.sent) or not self._is_deferred or step.defers(self.event.seq)
                ):
                    self._step = step
            elif self._published is not None and not step.note:
                self._gone = True  # its window has moved on, or its period has ended

    def lose(self) -> None:
        """Note that the user is not served any more, so that nothing is decided about the event from here on."""
        self._gone = True

    def explanation(self, outcome: EventOutcome | None = None) -> Explanation:
        """The explanation; `outcome` is what the log of a store says."""
        replay, step = self._published, self._step
        assert replay is not None, "the event was not published"
        policy = self.policy
        distance = Distance.of(policy)
        rank, combined = self._rank, self._combined
        if step is not None:
            own = next(candidate for candidate in step.candidates if candidate.seq == self.event.seq)
            rank = own.rank
            if combined is not None:
                value = recency(step.forwarded - self.event.time, policy.half_life)
                combined = combined.with_value(ScorePart.RECENCY, value)
            is_chosen = self._is_in(step.chosen)
            decision = Decision(
                window=step.window,
                forwarded=show_time(step.forwarded),
                rank=rank,
                candidates=len(step.candidates),
                chosen=is_chosen,
                sent=self._is_in(step.sent),
                rivals=tuple(
                    Rival(chosen.event.id, chosen.rank, distance(self.event, chosen.event))
                    for chosen in step.chosen
                    if chosen.seq != self.event.seq
                ),
                note=step.note,
                cause=None if is_chosen else why(step, own, policy),
            )
        return Explanation(
            user=replay.user,
            event=self.event,
            policy=policy,
            interests=self._interests,
            rank=rank,
            parts=combined.label() if combined else "",
            decisions=self._total,
            decision=None if step is None else decision,
            withheld=self._withheld,
            outcome=outcome,
        )

    @property
    def _is_deferred(self) -> bool:
        """Whether a calm window would have taken the event, had the set been better by more."""
        return self._step is not None and self._step.defers(self.event.seq)

    @property
    def _waits(self) -> bool:
        """Whether a filter has let the event through, and its period has not ended."""
        return self._step is not None and bool(self._step.note) and bool(self._step.chosen)

    def _is_in(self, candidates: Iterable[object]) -> bool:
        return any(getattr(candidate, "seq", None) == self.event.seq for candidate in candidates)

    def _note(self, replay: UserReplay, matched: list[Matched], admitted: list[Matched]) -> None:
        self._published, self._catalog = replay, replay.catalog
        specific: tuple[str, ...] = ()
        if admitted:
            candidate = replay.subscriber.candidate(self.event, admitted)
            specific = candidate.specific
            self._combined = replay.subscriber.explained
            self._rank = self._combined.score if self._combined else candidate.rank
        self._interests = _interests(replay, self.event, matched, specific)
        if matched and not admitted:
            self._withheld = _withheld(replay, self.event)


def _withheld(replay: UserReplay, event: Event) -> str:
    """Why a matching event does not reach the user."""
    advertisement = replay.catalog.advertisements.get(event.advertisement or "")
    if advertisement is None:  # it was made at another broker
        return f"it was published at another broker, under advertisement {event.advertisement!r}, which chose others"
    k, competing = event.k or advertisement.k, len(replay.competing(event))
    reached = "1 subscription" if k == 1 else f"{k} subscriptions"
    return (
        f"{advertisement.publisher!r} reaches only {reached} with advertisement {advertisement.id!r} "
        f"({advertisement.rank.value}), and chose others of the {competing} that match"
    )


def _interests(
    replay: UserReplay, event: Event, matched: Sequence[Matched], specific: tuple[str, ...]
) -> tuple[MatchedSubscription, ...]:
    catalog = replay.catalog
    degrees = {subscription.id: degree for subscription, degree in matched}

    def find(subscription: Subscription) -> MatchFinding:
        meaning = catalog.meaning_of(subscription.user)
        return explain_match(subscription.where, event, meaning, shared=catalog.membership)

    return tuple(
        MatchedSubscription(
            subscription=subscription,
            score=replay.subscriber.score(subscription.id),
            matches=subscription.id in degrees,
            degree=degrees.get(subscription.id, 0.0),
            specific=subscription.id in specific,
            why=tuple(find(subscription).lines()),
        )
        for subscription in catalog.subscriptions_of(replay.user)
    )
