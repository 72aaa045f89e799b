"""Sampling by score: an event passes more often the more its score exceeds the mean (semantics: Novelty)."""

from collections import deque
from collections.abc import Collection
from typing import ClassVar

from rankcast.choose.candidates import Candidate
from rankcast.choose.filters.budget import Budget, draw
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.filters.threshold import CandidateScore
from rankcast.choose.state import DeclaredState
from rankcast.model import Filter, Update
from rankcast.plain import State

_GRID = 10**12


class ScoreSampling(DeclaredState):
    """Passes a candidate with probability ``rate * score / mean score``, at most 1, while the budget has room.

    The mean covers the previous period (lazy) or the last `period` candidates before this one (eager). Until there is
    a mean, every candidate passes while there is room. A score below 0 counts as 0. If the mean is 0, each candidate
    passes with probability `rate`. So about the share `rate` passes, whatever the scores are. Scores are summed in
    integer steps of 1e-12, so the sum stays exact. O(1) per event; the eager form keeps a window of scores.
    """

    saved: ClassVar = {"score": "_score", "budget": "_budget", "steps": "_steps"}

    def __init__(self, user: str, score: CandidateScore, settings: Filter) -> None:
        self._user = user
        self._score = score
        self._settings = settings
        self._budget = Budget(settings.rate, settings.period, settings.update)
        self._steps: deque[int] = deque()
        self._sum = 0
        self._mean: float | None = None

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        score = max(0.0, self._score.score(candidate))
        verdict = draw(self._settings.seed, self._user, candidate, self._probability(score), self._budget)
        if verdict.passed:
            self._score.delivered(candidate)
        self._budget.count(verdict.passed)
        self._learn(round(score * _GRID))
        return verdict

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these; past scores still count in the mean."""
        self._score.keep(ids)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return super().state() | {"mean": self._mean}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a fresh instance with the same settings."""
        super().restore(state)
        self._sum = sum(self._steps)
        self._mean = state["mean"]

    def _probability(self, score: float) -> float:
        if self._mean is None:
            return 1.0
        return min(1.0, self._settings.rate * score / self._mean) if self._mean > 0 else self._settings.rate

    def _learn(self, steps: int) -> None:
        self._steps.append(steps)
        self._sum += steps
        if self._settings.update is not Update.LAZY:
            if len(self._steps) > self._settings.period:
                self._sum -= self._steps.popleft()
            self._mean = float(self._sum) / float(_GRID * len(self._steps))
        elif self._budget.ends_period:
            self._mean = float(self._sum) / float(_GRID * len(self._steps))
            self._steps.clear()
            self._sum = 0
