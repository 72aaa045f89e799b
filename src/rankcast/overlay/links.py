"""What was sent over the links of an overlay: a subscription goes over a link once, whatever it is needed for."""

from collections.abc import Iterable

from rankcast.overlay.traffic import BrokerMessage, Traffic


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
