"""Sliding-window delivery sends what is new in the top-k of the window after each event.

See semantics: Delivery modes; DEBS'09, 5.2.
"""

from datetime import datetime

from rankcast.choose.candidates import Candidate, Moment, Step
from rankcast.choose.fading import Fading
from rankcast.choose.greedy import Greedy
from rankcast.choose.objective import Objective
from rankcast.choose.selection import Optimizer, select
from rankcast.choose.windows import Window
from rankcast.model import Length
from rankcast.plain import State

__all__ = ["Sliding"]

_GREEDY = Greedy()
_NOTHING_FADES = Fading()


class Sliding:
    """Sends each event that enters the best `k` of the window of `length` and was not sent before.

    An event that does not match moves the window too: when a candidate leaves the window, an older one may enter the
    best k. So `publish` must be called for every published event. Each event that changes the window costs one
    selection; others cost none. If ranks fade, they are computed at the time of that event. The mode holds the
    candidates of the window.
    """

    def __init__(
        self,
        k: int,
        length: Length,
        objective: Objective,
        optimizer: Optimizer = _GREEDY,
        fading: Fading = _NOTHING_FADES,
    ) -> None:
        self._k = k
        self._objective = objective
        self._optimizer = optimizer
        self._fading = fading
        self._window = Window(length)
        self._sent: set[int] = set()

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Move the window to the next event, and send what is new in its top-k."""
        left = self._window.advance(moment, candidate is not None)
        for gone in left:
            self._sent.discard(gone.seq)
            self._objective.forget(gone)
        if candidate is not None:
            self._window.add(candidate)
        elif not left:
            return []
        candidates = self._fading.as_of(self._window.candidates, moment.time)
        chosen = select(candidates, self._k, self._objective, self._optimizer).chosen
        sent = tuple(each for each in chosen if each.seq not in self._sent)
        self._sent.update(each.seq for each in sent)
        return [Step(moment.seq, moment.time, candidates, chosen, sent)]

    due = None

    def advance(self, clock: datetime) -> list[Step]:
        """Do nothing: only events change this mode."""
        return []

    def close(self) -> list[Step]:
        """Nothing is pending at the end of the stream."""
        return []

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {"window": self._window.state(), "sent": sorted(self._sent)}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._window.restore(state["window"])
        self._sent = set(state["sent"])
