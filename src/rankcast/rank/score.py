"""The combined score: preference, novelty, degree, authority and recency in one rank.

See semantics: Novelty, combined criteria.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from rankcast.errors import ModelError
from rankcast.model import ScorePart
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
