"""A window over the candidates of one user (semantics: Delivery modes)."""

from rankcast.choose.candidates import Candidate, Moment
from rankcast.choose.positions import Positions, span
from rankcast.model import Length
from rankcast.plain import State


class Window:
    """Candidates, oldest first. A candidate leaves when the stream has advanced by `length` since its publication.

    The window covers the last w events, the last w matching events, or the time (now - w, now].
    """

    def __init__(self, length: Length) -> None:
        self._span = span(length)
        self._positions = Positions(length.unit)
        self._now = 0
        self._entries: list[tuple[int, Candidate]] = []

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates in the window, in order of `seq`."""
        return tuple(candidate for _, candidate in self._entries)

    def advance(self, moment: Moment, matches: bool) -> list[Candidate]:
        """Move to the next published event; return the candidates that leave the window."""
        self._now = self._positions.advance(moment, matches)
        oldest = self._now - self._span
        left = [candidate for position, candidate in self._entries if position <= oldest]
        self._entries = [entry for entry in self._entries if entry[0] > oldest]
        return left

    def add(self, candidate: Candidate) -> None:
        """Add the candidate of the event to which the window has just moved."""
        self._entries.append((self._now, candidate))

    def remove(self, candidate: Candidate) -> None:
        """Remove a candidate before it leaves the window."""
        self._entries = [entry for entry in self._entries if entry[1].seq != candidate.seq]

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {
            "matched": self._positions.matched,
            "entries": [[position, candidate.state()] for position, candidate in self._entries],
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._positions.matched = state["matched"]
        self._entries = [(position, Candidate.of_state(entry)) for position, entry in state["entries"]]
