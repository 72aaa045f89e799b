"""Plain publish/subscribe: every matching event, at once (semantics: Delivery modes)."""

from datetime import datetime
from typing import Any

from rankcast.choose.candidates import Candidate, Moment, Step

__all__ = ["AllEvents"]


class AllEvents:
    """Sends each matching event when it is published. Keeps nothing."""

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Send the event if it matches."""
        if candidate is None:
            return []
        only = (candidate,)
        return [Step(moment.seq, moment.time, only, only, only)]

    due = None

    def advance(self, clock: datetime) -> list[Step]:
        """Nothing happens without an event."""
        return []

    def close(self) -> list[Step]:
        """Nothing is owed."""
        return []

    def state(self) -> dict[str, Any]:
        """Nothing to remember."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to take back."""
