"""Ranks at the moment of choosing: waiting candidates lose recency (semantics: Novelty, recency)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from rankcast.choose.candidates import Candidate
from rankcast.model import Policy, ScorePart
from rankcast.rank import recency


@dataclass(frozen=True, slots=True)
class Fading:
    """Subtracts from each rank the recency lost since publication, when recency was 1.

    `share` is the weight of recency divided by the sum of all weights of the score. The other parts keep their values
    from publication. With `share` 0 nothing fades, and nothing is computed.
    """

    share: float = 0.0
    half_life: timedelta = timedelta(days=1)

    def as_of(self, candidates: Sequence[Candidate], now: datetime) -> tuple[Candidate, ...]:
        """The candidates with their ranks at `now`."""
        if not self.share:
            return tuple(candidates)
        return tuple(replace(candidate, rank=self._rank(candidate, now)) for candidate in candidates)

    def _rank(self, candidate: Candidate, now: datetime) -> float:
        lost = 1 - recency(now - candidate.event.time, self.half_life)
        return round(max(0.0, candidate.rank - self.share * lost), 12)


NOTHING_FADES = Fading()


def fading_of(policy: Policy) -> Fading:
    """How the ranks of a policy fade."""
    return Fading(policy.score.get(ScorePart.RECENCY, 0.0) / sum(policy.score.values()), policy.half_life)
