"""Sliding-window delivery sends what is new in the top-k of the window after each event.

See semantics: Delivery modes; DEBS'09, 5.2.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rankcast.choose.candidates import Candidate, Deferral, DrivenByEvents, Moment, Step
from rankcast.choose.fading import NOTHING_FADES, Fading
from rankcast.choose.greedy import GREEDY, Greedy
from rankcast.choose.objective import Objective
from rankcast.choose.positions import Window
from rankcast.choose.selection import Optimizer, Selection, select
from rankcast.choose.ties import on_grid
from rankcast.model import Length
from rankcast.plain import State


class CalmSet:
    """The set that a window last chose, by `seq`; it stays unless a new set is better by more than `calm`.

    A choice costs k^2 / 2 distances for the value of each set, and k distances per candidate if members have left.
    """

    def __init__(self, k: int, objective: Objective, calm: float) -> None:
        self._k = k
        self._objective = objective
        self._calm = on_grid(calm)
        self.seqs: frozenset[int] = frozenset()

    def choose(self, candidates: Sequence[Candidate], new: Selection) -> tuple[tuple[Candidate, ...], Deferral | None]:
        """Choose between the last set, less what left and filled up with the best of the rest, and the new one."""
        chosen, deferral = self._choose(candidates, new)
        self.seqs = frozenset(member.seq for member in chosen)
        return chosen, deferral

    def _choose(self, candidates: Sequence[Candidate], new: Selection) -> tuple[tuple[Candidate, ...], Deferral | None]:
        held = [candidate for candidate in candidates if candidate.seq in self.seqs]
        if not 0 < len(held) <= self._k:  # nothing is left, or k has been lowered
            return new.chosen, None
        rest = [candidate for candidate in candidates if candidate.seq not in self.seqs]
        filled = Greedy.fill_up(held, rest, self._k, self._objective)
        last = tuple(sorted(filled, key=lambda member: member.seq))
        gain = on_grid(on_grid(new.value) - on_grid(self._objective.value(last)))
        if gain > self._calm:
            return new.chosen, None
        stay = {member.seq for member in last}
        deferred = tuple(member for member in new.chosen if member.seq not in stay)
        return last, Deferral(deferred, gain) if gain > 0 else None

    def restore(self, seqs: Iterable[int]) -> None:
        """Continue with the set that a state saved."""
        self.seqs = frozenset(seqs)


class Sliding(DrivenByEvents):
    """Sends each event that enters the best `k` of the window of `length` and was not sent before.

    An event that does not match moves the window too: when a candidate leaves the window, an older one may enter the
    best k. So `publish` must be called for every published event. Each event that changes the window costs one
    selection; others cost none. If ranks fade, they are computed at the time of that event. The mode holds the
    candidates of the window.

    With `calm` above 0 the window keeps the set it last chose, less what left and filled up with the best of the
    rest, unless the newly selected set is worth more by more than `calm`.
    """

    saved: ClassVar = {"window": "_window", "sent": "_sent"}

    def __init__(
        self,
        k: int,
        length: Length,
        objective: Objective,
        optimizer: Optimizer = GREEDY,
        fading: Fading = NOTHING_FADES,
        calm: float = 0.0,
    ) -> None:
        self._k = k
        self._objective = objective
        self._optimizer = optimizer
        self._fading = fading
        self._window = Window(length)
        self._sent: set[int] = set()
        self._calm = CalmSet(k, objective, calm) if calm > 0 else None

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Move the window to the next event, and send what is new in its top-k."""
        if not self.hold(moment, candidate):
            return []
        candidates = self._fading.as_of(self._window.candidates, moment.time)
        new = select(candidates, self._k, self._objective, self._optimizer)
        chosen, deferral = (new.chosen, None) if self._calm is None else self._calm.choose(candidates, new)
        sent = tuple(each for each in chosen if each.seq not in self._sent)
        self._sent.update(each.seq for each in sent)
        return [Step(moment.seq, moment.time, candidates, chosen, sent, deferral=deferral)]

    def hold(self, moment: Moment, candidate: Candidate | None) -> bool:
        """Move the window to the next event without a choice. Returns whether this changes the window.

        A replay that needs only the content of a later window calls this instead of `publish`, which saves the
        selections.
        """
        left = self._window.advance(moment, candidate is not None)
        for gone in left:
            self._sent.discard(gone.seq)
            self._objective.forget(gone)
        if candidate is not None:
            self._window.add(candidate)
        return candidate is not None or bool(left)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        calm = {} if self._calm is None else {"kept": sorted(self._calm.seqs)}
        return super().state() | calm

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        super().restore(state)
        if self._calm is not None:
            self._calm.restore(state.get("kept", ()))
