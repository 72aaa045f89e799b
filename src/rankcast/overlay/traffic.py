"""What was sent over the links of an overlay: messages by kind, and which subscriptions each link knows."""

from collections import Counter
from collections.abc import Iterable
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


class Links:
    """For each link, in one direction, the subscriptions that were sent, and the advertisements that need each.

    A subscription that several advertisements need is sent for the first of them. A short note says that another one
    needs it too, or no longer does; the last one takes it back.
    """

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._needed: dict[tuple[str, str], dict[str, set[str]]] = {}

    def send(self, sender: str, receiver: str, advertisement: str, names: Iterable[str]) -> None:
        """Send subscriptions that an advertisement needs from now on; those that it needs already are left out."""
        held = self._needed.setdefault((sender, receiver), {})
        for name in names:
            needs = held.setdefault(name, set())
            if advertisement not in needs:
                self._traffic.count(sender, receiver, BrokerMessage.NOTE if needs else BrokerMessage.SUBSCRIBE)
                needs.add(advertisement)

    def take_back(self, sender: str, receiver: str, advertisement: str, names: Iterable[str]) -> None:
        """Take back subscriptions that an advertisement no longer needs."""
        for name in names:
            is_last = self._release(sender, receiver, advertisement, name)
            self._traffic.count(sender, receiver, BrokerMessage.UNSUBSCRIBE if is_last else BrokerMessage.NOTE)

    def forget(self, advertisement: str) -> None:
        """Forget what an advertisement needs. It was withdrawn, so each broker does so by itself, without messages."""
        for (sender, receiver), held in self._needed.items():
            for name in [name for name, needs in held.items() if advertisement in needs]:
                self._release(sender, receiver, advertisement, name)

    def _release(self, sender: str, receiver: str, advertisement: str, name: str) -> bool:
        held = self._needed[sender, receiver]
        held[name].remove(advertisement)
        if held[name]:
            return False
        del held[name]
        return True
