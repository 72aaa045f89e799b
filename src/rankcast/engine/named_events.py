"""The events that saved states name by `seq`."""

from collections.abc import Mapping
from typing import TypeAlias

from rankcast.language import dumps, encode_event
from rankcast.model import Event
from rankcast.plain import JsonObject

EventSource: TypeAlias = Mapping[int, Event]
"""Events by `seq`, for restoring states that name them."""


class NamedEvents:
    """Collects the events that states name, each once.

    Events before `since` are kept here, to be saved with the states. The caller already has the others, so only the
    `seq` of the first of them is noted.
    """

    def __init__(self, since: int) -> None:
        self.since = since
        self.kept: dict[int, Event | JsonObject] = {}
        self.first: int | None = None
        """The first event from `since` on that is named; None if there is none."""

    def is_kept(self, seq: int) -> bool:
        """Whether the event must be added to `kept`. Otherwise it is there already, or the caller has it."""
        if seq < self.since:
            return seq not in self.kept
        if self.first is None or seq < self.first:
            self.first = seq
        return False

    def texts(self) -> list[tuple[int, str]]:
        """The kept events as JSON, by `seq`."""
        return [(seq, dumps(encode_event(one) if isinstance(one, Event) else one)) for seq, one in self.kept.items()]
