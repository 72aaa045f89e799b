"""The random filter: the baseline that ignores novelty (semantics: Novelty, thesis 4.1.3)."""

from collections.abc import Collection

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.filtered import Verdict
from rankcast.plain import State

__all__ = ["Random"]


class Random:
    """Passes each candidate with probability `rate`. It has no budget and no state."""

    def __init__(self, user: str, rate: float, seed: int = 0) -> None:
        self._user = user
        self._rate = rate
        self._seed = seed

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        drawn = chance(self._seed, self._user, candidate.event.id)
        passed = drawn < self._rate
        action = "passed" if passed else "stopped by"
        reason = f"{action} the random filter: drawn {drawn:.4f}, probability {self._rate:.4f}"
        return Verdict(passed, reason, None if passed else StopCause.CHANCE)

    def keep(self, ids: Collection[str]) -> None:
        """There is nothing to forget."""

    def state(self) -> State:
        """Empty: there is no state."""
        return {}

    def restore(self, state: State) -> None:
        """There is nothing to restore."""
