"""One user in a shard: scores, most specific subscriptions, delivery mode."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy, deepcopy
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from rankcast.choose import Candidate, DeliveryMode, Moment, Sliding, Step, delivery_mode
from rankcast.choose.filters import Filtered, filtered
from rankcast.model import (
    Catalog,
    Concept,
    Delivery,
    Event,
    Policy,
    Preference,
    RestartedState,
    ScorePart,
    Subscription,
    restarted,
)
from rankcast.plain import State
from rankcast.rank import CombinedScore, ScoreExplanation, Specificity, event_rank, novelty_of, scores, with_starts
from rankcast.rank.differences import difference

MANY_TO_COMPARE = 500
"""Subscriptions of one user from which on the first event that matches all takes more than some 50 ms."""

_MOST_AT_A_CHANGE = 10_000
"""The subscriptions that a change compares with the others of their users. This takes 2 s if they are of one user. What a
larger change brings is compared while nothing is pending, or when an event needs it."""
_LEAST = 100
"""What a user with many subscriptions counts in this, because looking through them takes some milliseconds."""


class Subscriber:
    """Ranks the events that match one user, and passes them to the user's delivery mode."""

    def __init__(self, user: str, catalog: Catalog) -> None:
        self._user = user
        self.explained: ScoreExplanation | None = None
        """The parts of the last event's rank, if the policy combines criteria."""
        self._specificity = Specificity(())
        self._compares_all = False
        """Whether there were few subscriptions to compare before the last update."""
        self._known: UserRecords | None = None
        self._read(catalog)
        self._mode = _mode(self._policy)
        self._combined = _combined(self._policy)

    def is_current(self, catalog: Catalog) -> bool:
        """Whether this catalog contains nothing new about the user."""
        return self._known == records_of(self._user, catalog)

    def update(self, catalog: Catalog) -> list[Step]:
        """Switch to the user's records in another catalog.

        Returns what the old delivery mode still owed if the mode changed.
        """
        if self.is_current(catalog):
            return []
        before, had_many = self._policy, self._has_many_to_compare
        self._read(catalog)
        self._compares_all = not had_many
        owed: list[Step] = []
        if self._policy != before:
            old, self._mode = self._mode, _mode(self._policy)
            if _same_windows(before, self._policy):
                self._mode.restore(old.state())
            else:
                owed = old.close()
            known, self._combined = self._combined, _combined(self._policy)
            if known is not None and self._combined is not None and _same_novelty(before, self._policy):
                self._combined.restore(known.state())
        if isinstance(self._mode, Filtered):
            self._mode.keep(self._scores.keys())
        if self._combined is not None:
            self._combined.keep(self._scores.keys())
        return owed

    def prepare(self, is_over: Callable[[], bool]) -> bool:
        """Compare the user's subscriptions in advance (`Specificity.prepare`). Returns whether all is done."""
        return not self._policy.specific or self._specificity.prepare(is_over)

    def prepare_changes(self, most: int) -> int:
        """Compare at most so many subscriptions that the last update changed, if there are many in all.

        Returns how many were compared (`Specificity.prepare_changes`).
        """
        if not self._has_many_to_compare:
            return 0
        return self._specificity.prepare_changes(most, everything=self._compares_all)

    @property
    def _has_many_to_compare(self) -> bool:
        return self._policy.specific and len(self._scores) >= MANY_TO_COMPARE

    @property
    def mode(self) -> DeliveryMode:
        """The delivery mode, wrapped in its filter if it has one."""
        return self._mode

    def score(self, subscription: str) -> float:
        """The preference score of one of the user's subscriptions."""
        return self._scores[subscription]

    def candidate(self, event: Event, matched: Sequence[tuple[Subscription, float]]) -> Candidate:
        """The event as a candidate: its most specific subscriptions, degree and preference rank.

        If the policy counts all matching subscriptions, all of them are the most specific ones here.
        """
        matching = tuple(subscription.id for subscription, _ in matched)
        specific = self._specificity.most_specific(matching) if self._policy.specific else matching
        rank = event_rank(
            [self._scores[name] for name in specific],
            [self._weights[name] for name in specific],
            self._policy.aggregate,
        )
        speaking = set(specific)
        degree = max(degree for subscription, degree in matched if subscription.id in speaking)
        return Candidate(event, rank, matching, specific, degree)

    def publish(self, moment: Moment, event: Event, matched: Sequence[tuple[Subscription, float]]) -> list[Step]:
        """Serve the next published event; `matched` is empty if it does not match this user."""
        return self._noted(self._mode.publish(moment, self._ranked(moment, event, matched)))

    def hold(self, moment: Moment, event: Event, matched: Sequence[tuple[Subscription, float]]) -> None:
        """Like `publish`, but a sliding window makes no choice. Right only if no earlier choice matters later."""
        candidate = self._ranked(moment, event, matched)
        if isinstance(self._mode, Sliding):
            self._mode.hold(moment, candidate)
        else:
            self._noted(self._mode.publish(moment, candidate))

    def advance(self, clock: datetime) -> list[Step]:
        """Advance the clock to a time; returns the steps of the periods that end."""
        return self._noted(self._mode.advance(clock))

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver; None if there is none."""
        return self._mode.due

    def close(self) -> list[Step]:
        """The steps that the delivery mode still owes at the end of the stream."""
        return self._noted(self._mode.close())

    def renewed(self) -> "Subscriber":
        """A copy of the user as if nothing had been published yet; for `restore`."""
        made = copy(self)
        made._mode, made._combined = _mode(self._policy), _combined(self._policy)
        return made

    def copy(self) -> "Subscriber":
        """A copy of the current state, to return to. Immutable parts and cached distances are shared."""
        made = copy(self)
        inner = self._mode.inner if isinstance(self._mode, Filtered) else self._mode
        shared = (getattr(inner, name, None) for name in ("_objective", "_optimizer", "_fading"))
        made._mode, made._combined = deepcopy((self._mode, self._combined), {id(one): one for one in shared if one})
        return made

    def state(self) -> State:
        """Plain data for `restore`."""
        return {"mode": self._mode.state(), "score": self._combined.state() if self._combined else {}}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._mode.restore(state["mode"])
        if self._combined is not None:
            self._combined.restore(state["score"])

    def _ranked(self, moment: Moment, event: Event, matched: Sequence[tuple[Subscription, float]]) -> Candidate | None:
        """The event as a candidate with its rank by all criteria of the policy; None if it does not match."""
        candidate = self.candidate(event, matched) if matched else None
        if candidate is not None and self._combined is not None:
            self.explained = self._combined.score(candidate, moment.time)
            candidate = replace(candidate, rank=self.explained.score)
        return candidate

    def _noted(self, steps: list[Step]) -> list[Step]:
        if self._combined is not None:
            for step in steps:
                for candidate in step.sent:
                    self._combined.delivered(candidate)
        return steps

    def _read(self, catalog: Catalog) -> None:
        before, self._known = self._known, records_of(self._user, catalog)
        subscriptions, preferences, policy, _ = self._known
        if preferences or policy.decay.preferred or before is None or before.preferences:
            self._scores = scores(subscriptions, preferences, policy.levels)
            self._weights = {one.id: one.weight for one in subscriptions}
        else:
            stretch = difference(before.subscriptions, subscriptions)
            gone, new = before.subscriptions[stretch.before], subscriptions[stretch.now]
            self._scores = _with(self._scores, gone, scores(new, ()))
            self._weights = _with(self._weights, gone, {one.id: one.weight for one in new})
        decay = with_starts(policy.decay, self._scores)
        self._policy = policy if decay is policy.decay else replace(policy, decay=decay)
        self._specificity.update(subscriptions, catalog.meaning_of(self._user))


def prepare_changes(users: Iterable[str], find: Callable[[str], Subscriber | None]) -> None:
    """Compare the changed subscriptions of users who have many, as far as a change may.

    So the change takes that time, and not the next event.
    """
    most = _MOST_AT_A_CHANGE
    for user in users:
        if most <= 0:
            return
        with suppress(Exception):  # the event that needs it reports the failure
            subscriber = find(user)
            most -= max(_LEAST, 0 if subscriber is None else subscriber.prepare_changes(most))


def _with(known: Mapping[str, float], gone: Iterable[Subscription], new: Mapping[str, float]) -> dict[str, float]:
    """Numbers of subscriptions, without those that are gone and with new ones."""
    made = dict(known)
    for one in gone:
        del made[one.id]
    made.update(new)
    return made


class UserRecords(NamedTuple):
    """Everything in a catalog that affects how a user is served."""

    subscriptions: list[Subscription]
    preferences: list[Preference]
    policy: Policy
    concepts: list[Concept]


def records_of(user: str, catalog: Catalog) -> UserRecords:
    """Everything in the catalog that affects how a user is served."""
    return UserRecords(
        catalog.subscriptions_of(user),
        catalog.preferences_of(user),
        catalog.policy_of(user),
        catalog.concepts_of(user),
    )


def _mode(policy: Policy) -> DeliveryMode:
    return filtered(policy, delivery_mode(policy))


def _combined(policy: Policy) -> CombinedScore | None:
    """The combined score, if the policy uses more than preference."""
    if all(part is ScorePart.PREFERENCE for part, weight in policy.score.items() if weight > 0):
        return None
    novelty = novelty_of(policy.novelty.scoring, policy.novelty.aging, policy.decay, policy.origin)
    return CombinedScore(policy.score, novelty, policy.authority, policy.half_life)


def _same_windows(before: Policy, after: Policy) -> bool:
    """Whether the state of the delivery mode stays valid when the policy changes."""
    return RestartedState.WINDOW not in restarted(before, after)


def _same_novelty(before: Policy, after: Policy) -> bool:
    """Whether the state of the novelty in the score stays valid when the policy changes."""
    parts = (ScorePart.NOVELTY in policy.score and policy.score[ScorePart.NOVELTY] > 0 for policy in (before, after))
    return all(parts) and RestartedState.NOVELTY not in restarted(before, after)


def deliveries_of(user: str, steps: Iterable[Step]) -> list[Delivery]:
    """The deliveries of some steps of a user's delivery mode."""
    return [
        Delivery(
            user,
            candidate.event.id,
            candidate.seq,
            candidate.rank,
            candidate.specific,
            candidate.event.time,
            step.forwarded,
            step.window,
        )
        for step in steps
        for candidate in step.sent
    ]
