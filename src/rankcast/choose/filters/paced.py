"""The paced threshold filter, which spends its budget (semantics: Paced filters)."""

import math
from collections.abc import Collection
from typing import ClassVar

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.filters.kth_highest import KthOfWindow
from rankcast.choose.filters.pacing import Pacing
from rankcast.choose.filters.threshold import CandidateScore, apart
from rankcast.choose.state import DeclaredState


class Paced(DeclaredState):
    """Passes a candidate iff its score reaches a threshold that moves with the unspent budget, and some is unspent.

    The threshold is the n-th highest of the last `period` scores, where n is the level of the `Pacing` times their
    number, at least 1. Everything passes at level 1. The thesis's threshold stays out of reach when all scores fall,
    as after a new subscription; this one goes down until the budget is spent. Costs what `KthOfWindow` costs per event.

    >>> from rankcast.choose.filters.threshold import ByRank
    >>> from rankcast.model import EPOCH, Event
    >>> paced = Paced(ByRank(), rate=0.5, period=10)
    >>> events = [Candidate(Event(f"e{n}", EPOCH, {}, seq=n), 0.5, ("a",), ("a",)) for n in range(1, 9)]
    >>> "".join("x" if paced.admit(event).passed else "-" for event in events)
    'x-x-x-x-'
    """

    saved: ClassVar = {"score": "_score", "budget": "_pacing", "bar": "_window"}

    def __init__(self, score: CandidateScore, rate: float, period: int) -> None:
        self._score = score
        self._pacing = Pacing(rate, period)
        self._window = KthOfWindow(1, period)

    @property
    def threshold(self) -> float:
        """The lowest score that may pass now; 0 if every event may."""
        bar = self._bar()
        return 0.0 if bar is None else bar

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        score = self._score.score(candidate)
        self._pacing.begin()
        verdict = self._decide(score)
        if verdict.passed:
            self._score.delivered(candidate)
            self._pacing.passed += 1
        self._window.add(score)
        return verdict

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these; past scores still count for the threshold."""
        self._score.keep(ids)

    def _decide(self, score: float) -> Verdict:
        if self._pacing.unspent <= 0:
            return Verdict(False, f"stopped by the paced filter: {self._pacing.spent}", StopCause.BUDGET)
        threshold = self._bar()
        if threshold is None:
            return Verdict(True, "passed the paced filter: so much of its budget is unspent that every event passes")
        shown, bar = apart(score, threshold)
        if score < threshold:
            reason = f"stopped by the paced filter: score {shown} below the threshold {bar}"
            return Verdict(False, reason, StopCause.SCORE)
        return Verdict(True, f"passed the paced filter: score {shown} reaches the threshold {bar}")

    def _bar(self) -> float | None:
        """The threshold; None if every event may pass."""
        level, size = self._pacing.level, len(self._window)
        place = max(1, math.floor(level * size))
        if level >= 1 or place >= size:
            return None
        self._window.k = place
        return self._window.value
