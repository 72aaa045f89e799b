"""The rank of a candidate as the score of a filter."""

from collections.abc import Collection

from rankcast.choose.candidates import Candidate
from rankcast.plain import State


class ByRank:
    """Scores a candidate by its rank, so that a threshold works with any score of the policy (semantics: Novelty)."""

    def score(self, candidate: Candidate) -> float:
        """The rank."""
        return round(candidate.rank, 12)

    def delivered(self, candidate: Candidate) -> None:
        """There is nothing to learn."""

    def keep(self, ids: Collection[str]) -> None:
        """There is nothing to forget."""

    def state(self) -> State:
        """Empty: there is no state."""
        return {}

    def restore(self, state: State) -> None:
        """There is nothing to restore."""
