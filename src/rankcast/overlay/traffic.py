"""What goes over the links of an overlay, counted."""

from collections import Counter
from enum import Enum

__all__ = ["BrokerMessage", "Traffic"]


class BrokerMessage(Enum):
    """What one broker sends to a neighbour."""

    ADVERTISEMENT = "advertisement"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    REWEIGH = "reweigh"
    PUBLICATION = "publication"


class Traffic:
    """How many messages of each kind went from one broker to another."""

    def __init__(self) -> None:
        self._sent: Counter[tuple[str, str, BrokerMessage]] = Counter()

    def count(self, sender: str, receiver: str, kind: BrokerMessage, messages: int = 1) -> None:
        """Note messages."""
        if messages:
            self._sent[sender, receiver, kind] += messages

    def total(self, kind: BrokerMessage, sender: str | None = None, receiver: str | None = None) -> int:
        """How many of a kind went, from all or one, to all or one."""
        return sum(
            messages
            for (start, end, of), messages in self._sent.items()
            if of is kind and sender in (None, start) and receiver in (None, end)
        )

    def links(self) -> dict[tuple[str, str], Counter[BrokerMessage]]:
        """What went over each link, by direction."""
        by_link: dict[tuple[str, str], Counter[BrokerMessage]] = {}
        for (sender, receiver, kind), messages in self._sent.items():
            by_link.setdefault((sender, receiver), Counter())[kind] += messages
        return by_link
