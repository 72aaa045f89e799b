"""The rank of a candidate as the score of a filter."""

from collections.abc import Collection
from typing import Any

from rankcast.choose.candidates import Candidate

__all__ = ["ByRank"]


class ByRank:
    """Scores a candidate by its rank, so that a threshold can work on any score that made the rank (semantics: Novelty)."""

    def score(self, candidate: Candidate) -> float:
        """The rank."""
        return round(candidate.rank, 12)

    def delivered(self, candidate: Candidate) -> None:
        """Nothing to learn."""

    def keep(self, ids: Collection[str]) -> None:
        """Nothing to forget."""

    def state(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""
