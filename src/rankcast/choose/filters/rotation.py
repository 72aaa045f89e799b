"""The paced threshold filter by interval, in which the subscriptions take turns (semantics: Paced filters)."""

from collections.abc import Collection

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.filters.pacing import Pacing
from rankcast.choose.filters.threshold import apart
from rankcast.plain import State
from rankcast.rank.novelty import NoveltyState

__all__ = ["Rotation"]


class Rotation:
    """Passes a candidate iff its interval reaches back before the turn, and some of the budget is unspent.

    So each subscription passes at most once in a turn. A turn begins when as many events are unspent as subscriptions
    were ever delivered, at most the slack. By then the reserve is enough for all that come early in the turn, so that
    the rare ones, which come late, find something unspent. A threshold that stays is less even: a subscription that
    matches once in c events passes once in threshold + c.

    >>> from rankcast.model import EPOCH, Event, Scoring
    >>> rotation = Rotation(NoveltyState(Scoring.INTERVAL), rate=0.5, period=20)
    >>> names = "aaabaaaabaaa"
    >>> events = [Candidate(Event(f"e{n}", EPOCH, {}, seq=n), 0.5, (s,), (s,)) for n, s in enumerate(names, 1)]
    >>> "".join(name if rotation.admit(event).passed else "-" for name, event in zip(names, events))
    'a--ba--ab--a'
    """

    def __init__(self, novelty: NoveltyState, rate: float, period: int) -> None:
        self._novelty = novelty
        self._pacing = Pacing(rate, period)
        self._began = 1

    @property
    def threshold(self) -> float:
        """The lowest interval that may pass next."""
        after = Pacing(self._pacing.rate, self._pacing.period)
        after.restore(self._pacing.state())
        after.begin()
        return after.t - after.turn(self._began, self._novelty.active) + 1.0

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        score = self._novelty.score(candidate)
        self._pacing.begin()
        self._began = self._pacing.turn(self._began, self._novelty.active)
        verdict = self._decide(score)
        if verdict.passed:
            self._novelty.delivered(candidate)
            self._pacing.passed += 1
        return verdict

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these."""
        self._novelty.keep(ids)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {"score": self._novelty.state(), "budget": self._pacing.state(), "bar": {"began": self._began}}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a fresh instance with the same settings.

        A state that a version without turns saved has no beginning; a turn begins with the next event.
        """
        self._novelty.restore(state["score"])
        self._pacing.restore(state["budget"])
        self._began = state["bar"].get("began", self._pacing.t + 1)

    def _decide(self, score: float) -> Verdict:
        if self._pacing.unspent <= 0:
            return Verdict(False, f"stopped by the paced filter: {self._pacing.spent}", StopCause.BUDGET)
        threshold = self._pacing.t - self._began + 1.0
        shown, bar = apart(score, threshold)
        if score < threshold:
            reason = f"stopped by the paced filter: its turn is over, interval {shown} below the threshold {bar}"
            return Verdict(False, reason, StopCause.SCORE)
        return Verdict(True, f"passed the paced filter: interval {shown} reaches the threshold {bar} of this turn")
