"""What both clients share: problem answers, retries, and server-sent events."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import msgspec

from rankcast.client.answers import ReceivedDelivery, ServiceError, received_of

_LONGEST = 5.0


class SentEvent(NamedTuple):
    """One server-sent event."""

    kind: str
    id: str
    data: Any


class SentEvents:
    """Assembles the lines of a stream into events.

    >>> lines = SentEvents()
    >>> [event for line in ["id: 7", "event: delivery", 'data: {"number": 7}', ""] for event in lines.take(line)]
    [SentEvent(kind='delivery', id='7', data={'number': 7})]
    """

    def __init__(self) -> None:
        self.last_id: str | None = None
        """The id of the last complete event; an event that was cut off must be sent again."""
        self._id: str | None = None
        self._kind = "message"
        self._data: list[str] = []

    def take(self, line: str) -> Iterator[SentEvent]:
        """Take the next line; yield the event that it completes, if any."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line:
            match name:
                case "id":
                    self._id = value
                case "event":
                    self._kind = value
                case "data":
                    self._data.append(value)
            return
        self.last_id = self._id
        if self._data:
            yield SentEvent(self._kind, self.last_id or "", msgspec.json.decode("\n".join(self._data)))
        self._kind, self._data = "message", []


class Missing(NamedTuple):
    """Deliveries that the service no longer streams: those after one number, up to another. Read them from pages."""

    after: int
    up_to: int


class LiveStream:
    """How far a live stream was read, over all of its connections."""

    def __init__(self, after: int | None) -> None:
        self._last = None if after is None else str(after)
        self._failures = 0
        self._lines = SentEvents()

    def begin(self) -> str | None:
        """Begin to read a new connection; returns the id of the last event that was read."""
        self._lines = SentEvents()
        return self._last

    def take(self, line: str) -> Iterator[ReceivedDelivery | Missing]:
        """Take the next line; yield what it completes."""
        for event in self._lines.take(line):
            self._failures = 0
            if event.kind == "delivery":
                yield received_of(event.data)
            elif event.kind == "resync" and self._last is not None and int(self._last) < event.data["last"]:
                yield Missing(int(self._last), event.data["last"])
        self._last = self._lines.last_id or self._last

    def missed(self, received: ReceivedDelivery, missing: Missing) -> bool:
        """Whether a delivery of a page is one of the missing ones; if so, it counts as read."""
        if received.number > missing.up_to:
            return False
        self._last = str(received.number)
        return True

    def pause(self) -> float:
        """The seconds to wait before the next connection."""
        self._failures += 1
        return pause(self._failures)


def checked(response: httpx.Response) -> Any:
    """The content of a response; raises ServiceError if it is a problem."""
    if response.status_code >= 400:
        try:
            problem = msgspec.json.decode(response.content)
        except msgspec.MsgspecError:
            problem = {"detail": response.text[:200]}
        raise ServiceError(response.status_code, problem if isinstance(problem, dict) else {})
    return msgspec.json.decode(response.content) if response.content else None


def is_passing(error: Exception) -> bool:
    """Whether the error is temporary, so that a retry makes sense."""
    return isinstance(error, httpx.TransportError) or (
        isinstance(error, ServiceError) and error.status in (0, 429, 503)
    )


def pause(failures: int) -> float:
    """The seconds to wait after a number of consecutive failures.

    >>> [pause(failures) for failures in (1, 2, 3, 10)]
    [0.1, 0.2, 0.4, 5.0]
    """
    return float(min(_LONGEST, 0.05 * 2**failures))
