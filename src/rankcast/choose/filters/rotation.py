"""The paced threshold filter by interval, in which the subscriptions take turns (semantics: Paced filters)."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.filters.pacing import Pacing
from rankcast.choose.state import DeclaredState
from rankcast.model import Credit
from rankcast.plain import State
from rankcast.rank.novelty import MatchedEvent


class TurnsOwed(DeclaredState):
    """The turns in which each subscription of a user still may be delivered.

    Each turn owes one event to each subscription that ever matched. It owes it as long as turns for a whole period's
    budget have not begun since. So a rare subscription, which matches in few turns, makes up for the others later, and
    all debts together never exceed the budget of a period. A subscription that joins is owed nothing of the past.
    `turn` is the number of the current turn. `served` is the last turn of which each subscription got its event.
    """

    saved: ClassVar = {"turn": "turn", "served": "served"}

    def __init__(self, budget: int, credit: Credit = Credit.ALL) -> None:
        self._budget = budget
        self._credit = credit
        self.turn = 0
        self.served: dict[str, int] = {}

    @property
    def active(self) -> int:
        """The number of subscriptions that ever matched."""
        return len(self.served)

    def of(self, matching: Sequence[str], active: int) -> int:
        """The most turns that one of these subscriptions is owed, of `active` ones."""
        for subscription in matching:
            self.served.setdefault(subscription, self.turn - 1)
        longest = max(1, self._budget // max(1, active))
        return min(longest, self.turn - min(self.served[subscription] for subscription in matching))

    def delivered(self, event: MatchedEvent, active: int) -> None:
        """Record that the event was delivered, which the credited subscriptions are owed no longer."""
        longest = max(1, self._budget // max(1, active))
        credited: Collection[str] = event.matching
        if self._credit is Credit.MOST_NOVEL:
            least = min(self.served[subscription] for subscription in event.matching)
            equal = [subscription for subscription in event.matching if self.served[subscription] == least]
            credited = [min([one for one in equal if one in event.specific] or equal)]
        for subscription in credited:
            self.served[subscription] = min(self.turn, max(self.served[subscription], self.turn - longest) + 1)


class Rotation(DeclaredState):
    """Passes a candidate iff one of its subscriptions is owed an event, and some of the budget is unspent.

    A turn begins when as many events are unspent as subscriptions have ever matched, or the slack, if that is less. This
    reserve is enough for the subscriptions that match early in the turn, and leaves something for the rare ones, which
    match late. A constant threshold is less even: a subscription that matches every c events passes every threshold + c.
    O(matching subscriptions) per event; keeps one number per subscription.

    >>> from rankcast.model import EPOCH, Event
    >>> rotation = Rotation(rate=0.5, period=20)
    >>> names = "aaabaaaabaaa"
    >>> events = [Candidate(Event(f"e{n}", EPOCH, {}, seq=n), 0.5, (s,), (s,)) for n, s in enumerate(names, 1)]
    >>> "".join(name if rotation.admit(event).passed else "-" for name, event in zip(names, events))
    'a--ba--ab--a'
    """

    saved: ClassVar = {"budget": "_pacing", "turns": "_owed"}

    def __init__(self, rate: float, period: int, credit: Credit = Credit.ALL) -> None:
        self._pacing = Pacing(rate, period)
        self._owed = TurnsOwed(self._pacing.budget, credit)

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        active = self._owed.active
        self._pacing.begin()
        self._owed.turn += self._pacing.begins_turn(active)
        verdict = self._decide(self._owed.of(candidate.matching, active))
        if verdict.passed:
            self._owed.delivered(candidate, active)
            self._pacing.passed += 1
        return verdict

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these."""
        for subscription in self._owed.served.keys() - ids:
            del self._owed.served[subscription]

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, also from one of an earlier version."""
        super().restore({**state, "turns": turns_of(state)})

    def _decide(self, owed: int) -> Verdict:
        if self._pacing.unspent <= 0:
            return Verdict(False, f"stopped by the paced filter: {self._pacing.spent}", StopCause.BUDGET)
        if owed < 1:
            reason = f"stopped by the paced filter: nothing is owed to its subscriptions in turn {self._owed.turn}"
            return Verdict(False, reason, StopCause.SCORE)
        events = "1 event is" if owed == 1 else f"{owed} events are"
        return Verdict(True, f"passed the paced filter: {events} owed to its subscription in turn {self._owed.turn}")


def turns_of(state: State) -> State:
    """The turns in a saved state. Earlier versions saved intervals, and where a turn began; so nothing older is owed."""
    if "turns" in state:
        return dict(state["turns"])
    began = state["bar"].get("began", state["budget"]["t"] + 1)
    return {"turn": 1, "served": {name: int(last >= began) for name, last in state["score"]["last"].items()}}
