"""The rank of an event for a user: F of the scores of its most specific subscriptions, or a combined score.

A combined score weighs preference, novelty, degree, authority and recency. See semantics: Preference; semantics:
Novelty, combined criteria; DEBS'09, Def. 5.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from rankcast.errors import ModelError
from rankcast.model import AGGREGATES, Aggregate, ScorePart
from rankcast.plain import State
from rankcast.rank.novelty import MatchedEvent, Novelty, NoveltyState


class RankedEvent(MatchedEvent, Protocol):
    """A matched event with its rank by preference and its degree of match."""

    @property
    def rank(self) -> float:
        """The event rank (semantics: Preference)."""

    @property
    def degree(self) -> float:
        """The degree of the match (semantics: Approximate matching)."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One part of a score: its value and its share of all weights, both in 0..1."""

    part: ScorePart
    value: float
    weight: float

    @property
    def amount(self) -> float:
        """The amount that the part adds to the score."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """A score and its parts."""

    parts: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """The weighted mean of the parts."""
        return round(math.fsum(part.amount for part in self.parts), 12)

    def with_value(self, part: ScorePart, value: float) -> "ScoreExplanation":
        """A copy with another value for one part, if the score has that part."""
        return ScoreExplanation(tuple(replace(each, value=value) if each.part is part else each for each in self.parts))

    def label(self) -> str:
        """The score and the contribution of each part, for people."""
        sums = " + ".join(f"{part.weight:.4g} * {part.part.value} {part.value:.4g}" for part in self.parts)
        return f"{self.score:.4g} = {sums}"


def combine(values: Mapping[ScorePart, float], weights: Mapping[ScorePart, float]) -> ScoreExplanation:
    """The weighted mean of the values with a weight above 0.

    >>> values = {ScorePart.PREFERENCE: 0.9, ScorePart.NOVELTY: 0.4}
    >>> explained = combine(values, {ScorePart.PREFERENCE: 7, ScorePart.NOVELTY: 3})
    >>> explained.score
    0.75
    >>> explained.label()
    '0.75 = 0.7 * preference 0.9 + 0.3 * novelty 0.4'
    """
    total = math.fsum(weights.values())
    parts = []
    for part in ScorePart:
        if weights.get(part, 0) > 0:
            value = values[part]
            if not 0 <= value <= 1:
                raise ModelError(f"the {part.value} of an event is {value}; it must lie in 0..1")
            parts.append(Contribution(part, value, weights[part] / total))
    return ScoreExplanation(tuple(parts))


def recency(age: timedelta, half_life: timedelta) -> float:
    """1 for an event published now (or by a clock ahead of ours), halved with every half-life.

    >>> recency(timedelta(hours=2), half_life=timedelta(hours=1))
    0.25
    """
    return round(math.exp2(-max(age, timedelta(0)) / half_life), 12)


class CombinedScore:
    """One user's score by several criteria. The explained parts add up to the score.

    Parameters
    ----------
    weights
        The weight of each part (`Policy.score`); parts without a weight cost nothing.
    novelty
        The novelty for the novelty part; by default the delivery rate. It learns from `delivered`, so it must be told
        of each event that the delivery mode sent.
    authority
        The worth of each source, in 0..1; 1 for a source not named here or an event without a source.
    half_life
        The age at which an event is worth half as much as a new one.
    """

    def __init__(
        self,
        weights: Mapping[ScorePart, float],
        novelty: Novelty | None = None,
        authority: Mapping[str, float] | None = None,
        half_life: timedelta = timedelta(days=1),
    ) -> None:
        for source, worth in (authority or {}).items():
            if not 0 <= worth <= 1:
                raise ModelError(f"the authority of {source!r} is {worth}; it must lie in 0..1")
        if half_life <= timedelta(0):
            raise ModelError(f"the half-life is {half_life}; it must be above 0")
        self.weights = dict(weights)
        self._novelty: Novelty | None = None
        if self.weights.get(ScorePart.NOVELTY, 0) > 0:
            self._novelty = novelty or NoveltyState()
        self._authority = dict(authority or {})
        self._half_life = half_life

    def score(self, candidate: RankedEvent, now: datetime) -> ScoreExplanation:
        """The score of the next event that matches the user, at time `now`; its `rank` is the preference part."""
        values = {
            ScorePart.PREFERENCE: candidate.rank,
            ScorePart.DEGREE: candidate.degree,
            ScorePart.AUTHORITY: self._authority.get(candidate.event.source or "", 1.0),
            ScorePart.RECENCY: recency(now - candidate.event.time, self._half_life),
        }
        if self._novelty is not None:
            values[ScorePart.NOVELTY] = self._novelty.normalise(self._novelty.score(candidate))
        return combine(values, self.weights)

    def delivered(self, candidate: MatchedEvent) -> None:
        """Record that the event was delivered to the user."""
        if self._novelty is not None:
            self._novelty.delivered(candidate)

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other subscriptions."""
        if self._novelty is not None:
            self._novelty.keep(ids)

    def state(self) -> State:
        """Plain data for `restore`."""
        return {} if self._novelty is None else {"novelty": self._novelty.state()}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a new instance with the same settings."""
        if self._novelty is not None:
            self._novelty.restore(state["novelty"])


def event_rank(scores: Sequence[float], weights: Sequence[float], aggregate: Aggregate | str = Aggregate.MAX) -> float:
    """Combine `scores` into one rank. `weights`, one per score, are used by the weighted mean and registered functions.

    `aggregate` is a built-in function, or the name of a registered one (`rankcast.model.AGGREGATES`).

    The result does not depend on the order of the scores, to the last bit.

    >>> event_rank([0.5, 1.0], [3.0, 1.0], Aggregate.MAX), event_rank([0.5, 1.0], [3.0, 1.0], Aggregate.MEAN)
    (1.0, 0.75)
    >>> event_rank([0.5, 1.0], [3.0, 1.0], Aggregate.WEIGHTED)
    0.625
    """
    if not scores:
        raise ModelError("an event that no subscription matches has no rank")
    if len(scores) != len(weights):
        raise ModelError(f"{len(scores)} scores with {len(weights)} weights; each score needs one")
    match aggregate:
        case Aggregate.MAX:
            return max(scores)
        case Aggregate.MIN:
            return min(scores)
        case Aggregate.MEAN:
            return math.fsum(scores) / len(scores)
        case Aggregate.WEIGHTED:
            largest = max(weights)  # used as the unit, so that sums of huge weights stay finite
            shares = [weight / largest for weight in weights]
            return math.fsum(s * share for s, share in zip(scores, shares, strict=True)) / math.fsum(shares)
        case str():
            rank = AGGREGATES[aggregate](scores, weights)
            if not 0 <= rank <= 1:
                raise ModelError(f"aggregate {aggregate!r} of the scores {list(scores)} is {rank}; it must lie in 0..1")
            return rank
