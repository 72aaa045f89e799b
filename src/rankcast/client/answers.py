"""The answers of a service as values."""

from typing import NamedTuple

from rankcast.errors import RankcastError
from rankcast.language import decode_delivery, decode_event
from rankcast.model import Delivery, Event
from rankcast.plain import JsonObject


class ServiceError(RankcastError):
    """The service refused a request: HTTP `status`, `kind` of the problem, and the whole `problem` document."""

    def __init__(self, status: int, problem: JsonObject) -> None:
        super().__init__(str(problem.get("detail") or f"the service answered with {status}"))
        self.status = status
        self.kind = str(problem.get("type", "")).rsplit(":", 1)[-1]
        self.problem = problem

    def pointed(self) -> str:
        """The message; for a bad expression also the line, with a caret under the wrong character."""
        if "caret" not in self.problem:
            return str(self)
        return f"{self}\n  {self.problem['line']}\n  {self.problem['caret']}"


class Acknowledgement(NamedTuple):
    """The event is on disk at `offset`; `duplicate` means that it was there before.

    A rejected event has a `reason` instead of an offset.
    """

    id: str | None
    offset: int | None
    duplicate: bool = False
    reason: str | None = None


class ReceivedDelivery(NamedTuple):
    """A delivery with its number in the log, and the event if the client asked for events."""

    number: int
    delivery: Delivery
    event: Event | None = None


class DeliveryPage(NamedTuple):
    """A page of deliveries, and the cursor of the next page."""

    deliveries: list[ReceivedDelivery]
    next: str | None


class TrialResult(NamedTuple):
    """How many of the last events an expression would have matched, and the newest of them.

    If something is vague, `by_thresholds` has the number for each attitude, and for crisp matching.
    """

    matches: int
    of: int
    newest: list[Event]
    by_thresholds: dict[str, int] | None = None


def received_of(form: JsonObject) -> ReceivedDelivery:
    """Read a delivery from its JSON form."""
    fields = {name: value for name, value in form.items() if name not in ("number", "content")}
    content = form.get("content")
    return ReceivedDelivery(form["number"], decode_delivery(fields), decode_event(content) if content else None)


def trial_of(form: JsonObject) -> TrialResult:
    """Read a trial from its JSON form."""
    newest = [decode_event(event) for event in form["matched"]]
    return TrialResult(form["count"], form["of"], newest, form.get("by_thresholds"))
