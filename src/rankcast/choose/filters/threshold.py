"""The threshold filter passes what scores as high as the recent k best (semantics: Novelty, thesis algorithm 1)."""

import math
from collections.abc import Collection
from typing import ClassVar, Protocol

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.budget import Budget
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.filters.kth_highest import KthOfPeriod, KthOfWindow, ScoreThreshold
from rankcast.choose.state import DeclaredState, StateKeeper
from rankcast.model import Update


class CandidateScore(StateKeeper, Protocol):
    """A score of one user's candidates that learns from deliveries; every kind of novelty is one."""

    def score(self, candidate: Candidate) -> float:
        """The score of the next candidate."""

    def delivered(self, candidate: Candidate) -> None:
        """Note that the candidate passed."""

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these."""


class Threshold(DeclaredState):
    """Passes a candidate iff its score reaches the threshold and the budget k = rate * period has room.

    The threshold is the k-th highest score of the previous period of matching events (lazy), or of the last `period`
    before this one (eager). It starts at 0, and is 0 while the window has fewer than k events. If `minimum` is set,
    the threshold is always `minimum`. For `score`, an event that passes counts as delivered. O(log period) per event in
    the lazy form; `KthOfWindow` says what the eager one costs.
    """

    saved: ClassVar = {"score": "_score", "budget": "_budget", "bar": "_bar"}

    def __init__(
        self,
        score: CandidateScore,
        rate: float,
        period: int,
        update: Update = Update.LAZY,
        minimum: float | None = None,
    ) -> None:
        self._score = score
        self._budget = Budget(rate, period, update)
        kth_highest = KthOfPeriod if update is Update.LAZY else KthOfWindow
        self._bar: ScoreThreshold = kth_highest(self._budget.k, period) if minimum is None else ScoreThreshold(minimum)

    @property
    def threshold(self) -> float:
        """The lowest score with which the next candidate may pass."""
        return self._bar.value

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        score = self._score.score(candidate)
        verdict = self._decide(score)
        if verdict.passed:
            self._score.delivered(candidate)
        self._bar.add(score)
        self._budget.count(verdict.passed)
        return verdict

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these; past scores still count for the threshold."""
        self._score.keep(ids)

    def _decide(self, score: float) -> Verdict:
        shown, bar = apart(score, self.threshold)
        if score < self.threshold:
            reason = f"stopped by the threshold filter: score {shown} below the threshold {bar}"
            return Verdict(False, reason, StopCause.SCORE)
        if not self._budget.has_room:
            reason = f"stopped by the threshold filter: {self._budget.label()} passed already"
            return Verdict(False, reason, StopCause.BUDGET)
        return Verdict(True, f"passed the threshold filter: score {shown} reaches the threshold {bar}")


def apart(score: float, threshold: float) -> tuple[str, str]:
    """Both numbers as text, with just enough digits to show their difference."""
    difference = abs(score - threshold)
    digits = max(2, -math.floor(math.log10(difference))) if difference else 2
    return f"{round(score, digits):.12g}", f"{round(threshold, digits):.12g}"


class ByRank(DeclaredState):
    """Scores a candidate by its rank, so that a threshold works with any score of the policy (semantics: Novelty)."""

    def score(self, candidate: Candidate) -> float:
        """The rank."""
        return round(candidate.rank, 12)

    def delivered(self, candidate: Candidate) -> None:
        """There is nothing to learn."""

    def keep(self, ids: Collection[str]) -> None:
        """There is nothing to forget."""
