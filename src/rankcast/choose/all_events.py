"""Plain publish/subscribe: every matching event is sent at once (semantics: Delivery modes)."""

from rankcast.choose.candidates import Candidate, DrivenByEvents, Moment, Step


class AllEvents(DrivenByEvents):
    """Sends each matching event when it is published. Has no state."""

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Send the event if it matches."""
        if candidate is None:
            return []
        only = (candidate,)
        return [Step(moment.seq, moment.time, only, only, only)]
