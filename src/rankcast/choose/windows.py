"""A window over the candidates of one user: those not older than a length (semantics: Delivery modes)."""

from typing import Any

from rankcast.choose.candidates import Candidate, Moment
from rankcast.choose.positions import Positions, span
from rankcast.model import Length

__all__ = ["Window"]


class Window:
    """Candidates, oldest first, each until the stream has moved on by `length` since it was published.

    So it holds what lies among the last w events, the last w matching ones, or in (now - w, now].
    """

    def __init__(self, length: Length) -> None:
        self._span = span(length)
        self._positions = Positions(length.unit)
        self._now = 0
        self._entries: list[tuple[int, Candidate]] = []

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What the window holds, in order of `seq`."""
        return tuple(candidate for _, candidate in self._entries)

    def advance(self, moment: Moment, matches: bool) -> list[Candidate]:
        """Move on to the next published event; those that drop out of the window."""
        self._now = self._positions.advance(moment, matches)
        oldest = self._now - self._span
        left = [candidate for position, candidate in self._entries if position <= oldest]
        self._entries = [entry for entry in self._entries if entry[0] > oldest]
        return left

    def add(self, candidate: Candidate) -> None:
        """Let in the candidate to whose event the window has just moved on."""
        self._entries.append((self._now, candidate))

    def remove(self, candidate: Candidate) -> None:
        """Take a candidate out before its time."""
        self._entries = [entry for entry in self._entries if entry[1].seq != candidate.seq]

    def state(self) -> dict[str, Any]:
        """Plain data for `restore`."""
        return {
            "matched": self._positions.matched,
            "entries": [[position, candidate.state()] for position, candidate in self._entries],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        self._positions.matched = state["matched"]
        self._entries = [(position, Candidate.of_state(entry)) for position, entry in state["entries"]]
