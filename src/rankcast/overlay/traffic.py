"""Counts the messages on the links of an overlay."""

from collections import Counter
from enum import Enum


class BrokerMessage(Enum):
    """The kinds of messages between neighbouring brokers.

    `NOTE` says that a subscription, which the receiver has already, serves one more advertisement or one less.
    """

    ADVERTISEMENT = "advertisement"
    WITHDRAWAL = "withdrawal"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    NOTE = "note"
    REWEIGH = "reweigh"
    PUBLICATION = "publication"


class Traffic:
    """The number of messages of each kind from one broker to another."""

    def __init__(self) -> None:
        self._sent: Counter[tuple[str, str, BrokerMessage]] = Counter()

    def count(self, sender: str, receiver: str, kind: BrokerMessage, messages: int = 1) -> None:
        """Count messages."""
        if messages:
            self._sent[sender, receiver, kind] += messages

    def total(self, kind: BrokerMessage, sender: str | None = None, receiver: str | None = None) -> int:
        """The number of messages of a kind, optionally of one sender or one receiver only."""
        return sum(
            messages
            for (start, end, of), messages in self._sent.items()
            if of is kind and sender in (None, start) and receiver in (None, end)
        )

    def links(self) -> dict[tuple[str, str], Counter[BrokerMessage]]:
        """The messages on each link, by direction."""
        by_link: dict[tuple[str, str], Counter[BrokerMessage]] = {}
        for (sender, receiver, kind), messages in self._sent.items():
            by_link.setdefault((sender, receiver), Counter())[kind] += messages
        return by_link
