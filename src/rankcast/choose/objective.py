"""What a selection maximises: rank and diversity together (semantics: Diversity; DEBS'09, Def. 8 and 10)."""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rankcast.choose.candidates import Candidate
from rankcast.choose.distance import Distance
from rankcast.choose.ties import FEW
from rankcast.errors import ModelError


class Objective(Protocol):
    """The worth of a set of candidates, in the forms that optimizers need.

    `value` is the worth itself. The greedy heuristic maximises `pair` and `gain`; an exact search uses `bound`.
    """

    @property
    def by_rank_alone(self) -> bool:
        """Whether the best k are simply the k of highest rank, so that no distance is needed."""

    def value(self, chosen: Sequence[Candidate]) -> float:
        """The worth of a set."""

    def bound(self, chosen: Sequence[Candidate], rest: Sequence[Candidate], k: int) -> float:
        """An upper bound on the worth of any set that adds members of `rest` to `chosen` until it has k or all."""

    def pair(self, a: Candidate, b: Candidate) -> float:
        """The worth of two candidates as a first pair."""

    def gain(self, candidate: Candidate, nearest: float) -> float:
        """The worth of adding a candidate whose nearest member of the set is at distance `nearest`."""

    def apart(self, a: Candidate, b: Candidate) -> float:
        """The distance of two candidates."""

    def forget(self, candidate: Candidate) -> None:
        """Drop cached data of a candidate that will not come again."""


def _top_ranks(candidates: Sequence[Candidate], count: int) -> float:
    return math.fsum(sorted((candidate.rank for candidate in candidates), reverse=True)[:count])


@dataclass(frozen=True, slots=True)
class Blend(ABC):
    """sigma * mean rank + (1 - sigma) * diversity of the set, as `div` defines it.

    With `sigma` 1 only rank counts, with 0 only diversity.
    """

    sigma: float = 1.0
    distance: Distance = field(default_factory=Distance)

    def __post_init__(self) -> None:
        if not 0 <= self.sigma <= 1:
            raise ModelError(f"sigma is {self.sigma}; it must lie in 0..1")

    @property
    def by_rank_alone(self) -> bool:
        """Whether distances do not count."""
        return self.sigma == 1

    @abstractmethod
    def div(self, chosen: Sequence[Candidate]) -> float:
        """How diverse a set is, in 0..1; 0 for fewer than two candidates."""

    def value(self, chosen: Sequence[Candidate]) -> float:
        """The worth of a set; 0 for the empty one."""
        if not chosen:
            return 0.0
        rank = math.fsum(candidate.rank for candidate in chosen) / len(chosen)
        return rank if self.by_rank_alone else self.sigma * rank + (1 - self.sigma) * self.div(chosen)

    def pair(self, a: Candidate, b: Candidate) -> float:
        """The worth of the two: sigma * (r_a + r_b) / 2 + (1 - sigma) * d(a, b)."""
        rank = (a.rank + b.rank) / 2
        return rank if self.by_rank_alone else self.sigma * rank + (1 - self.sigma) * self.apart(a, b)

    def most(self, a: Candidate, b: Candidate) -> float:
        """An upper bound on `pair` from the ranks alone: no distance is above 1."""
        return self.sigma * ((a.rank + b.rank) / 2) + (1 - self.sigma)

    def gain(self, candidate: Candidate, nearest: float) -> float:
        """What the heuristic maximises: sigma * r + (1 - sigma) * nearest."""
        return self.sigma * candidate.rank + (1 - self.sigma) * nearest

    def apart(self, a: Candidate, b: Candidate) -> float:
        """The distance of the two events."""
        return self.distance(a.event, b.event)

    def pair_sums(self, chosen: Sequence[Candidate]) -> tuple[float, float] | None:
        """The sum of the distances of all pairs, rounded as by `math.fsum`, and the smallest distance.

        None for few candidates: computing their distances one by one is fast enough.
        """
        if len(chosen) <= FEW:
            return None
        from rankcast.choose import compiled

        return compiled.pair_sums(chosen, self)

    def forget(self, candidate: Candidate) -> None:
        """Drop the cached distances of a candidate."""
        self.distance.forget(candidate.seq)


@dataclass(frozen=True, slots=True)
class DivRank(Blend):
    """The paper's objective: diversity is the mean distance over all pairs.

    One value costs O(k^2) distances; none with `sigma` 1.
    """

    def div(self, chosen: Sequence[Candidate]) -> float:
        """Set diversity: the mean distance over all pairs; 0 for fewer than two candidates."""
        if len(chosen) < 2:
            return 0.0
        if (sums := self.pair_sums(chosen)) is not None:
            return sums[0] / (len(chosen) * (len(chosen) - 1) // 2)
        distances = [self.apart(a, b) for a, b in itertools.combinations(chosen, 2)]
        return math.fsum(distances) / len(distances)

    def bound(self, chosen: Sequence[Candidate], rest: Sequence[Candidate], k: int) -> float:
        """The best ranks, with all new pairs at distance 1. `Exact` uses a tighter bound of its own."""
        rank = math.fsum(candidate.rank for candidate in chosen) + _top_ranks(rest, k - len(chosen))
        pairs = max(k * (k - 1) // 2, 1)
        known = [self.apart(a, b) for a, b in itertools.combinations(chosen, 2)]
        diversity = (math.fsum(known) + pairs - len(known)) / pairs if k > 1 else 0.0
        return self.sigma * rank / k + (1 - self.sigma) * diversity


@dataclass(frozen=True, slots=True)
class MaxMin(Blend):
    """sigma * mean rank + (1 - sigma) * distance of the nearest two members.

    `DivRank` tolerates two similar members in a set that is diverse on average; this objective does not. The greedy
    heuristic suits it: it adds the candidate that is farthest from its nearest member. In a set of one only the rank
    counts. One value costs O(k^2) distances.

    >>> from rankcast.choose import Exact, select
    >>> from rankcast.model import EPOCH, Event
    >>> movies = [("comedy", "Allen"), ("comedy", "Allen"), ("drama", "Lean"), ("horror", "Lean")]
    >>> candidates = [
    ...     Candidate(Event(f"e{seq}", EPOCH, {"genre": (genre,), "director": (director,)}, seq=seq), 1.0)
    ...     for seq, (genre, director) in enumerate(movies, 1)
    ... ]
    >>> selection = select(candidates, 3, MaxMin(sigma=0), Exact())
    >>> [candidate.event.id for candidate in selection.chosen], selection.value
    (['e2', 'e3', 'e4'], 0.5)
    """

    sigma: float = 0.5

    def div(self, chosen: Sequence[Candidate]) -> float:
        """The distance of the nearest two; 0 for fewer than two candidates."""
        if (sums := self.pair_sums(chosen)) is not None:
            return sums[1]
        return min((self.apart(a, b) for a, b in itertools.combinations(chosen, 2)), default=0.0)

    def bound(self, chosen: Sequence[Candidate], rest: Sequence[Candidate], k: int) -> float:
        """The best ranks and the distance of the nearest pair so far, which further members can only reduce."""
        missing = k - len(chosen)
        ranks = sorted((candidate.rank for candidate in rest), reverse=True)[:missing]
        rank = math.fsum([*(candidate.rank for candidate in chosen), *ranks]) / k
        least = self.div(chosen) if len(chosen) > 1 else 1.0
        if chosen and missing:
            # The nearest of `missing` new members is at most as far away as the missing-th farthest candidate.
            nearest = sorted((min(self.apart(each, member) for member in chosen) for each in rest), reverse=True)
            least = min(least, nearest[min(missing, len(nearest)) - 1])
        return self.sigma * rank + (1 - self.sigma) * (least if k > 1 else 0.0)
