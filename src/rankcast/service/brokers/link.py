"""One link to a neighbour, the same for both of its ends."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rankcast.service.brokers.inbox import Inbox
from rankcast.service.brokers.messages import BrokerFacts, LinkFacts, Peer
from rankcast.service.brokers.outbox import Outbox
from rankcast.store import NeighbourRow

if TYPE_CHECKING:
    from rankcast.service.brokers.node import BrokerNode


class Link:
    """What goes out to one neighbour and what comes in. Thread-safe.

    `open` begins a session. Then the transport sends what `outbox.outgoing` returns, in order, and passes what arrives
    to `inbox.receive`. `wake` is called when there may be something to send. `path` and `facts` are what the neighbour
    said of the tree.
    """

    def __init__(self, node: "BrokerNode", row: NeighbourRow) -> None:
        self.name = row.name
        self.is_upstream = row.is_upstream
        self.lineage = row.lineage
        self.session: str | None = None
        self.is_connected = False
        self.wake: Callable[[], None] = lambda: None
        self.path: list[Peer] = []
        self.facts: dict[str, BrokerFacts] = {}
        self.inbox = Inbox(node, self, row)
        self.outbox = Outbox(node, self, row)
        self._node = node

    def open(self, session: str, offset: int, items: str) -> None:
        """Begin a session with a neighbour that has the own log up to an offset and a version of the own items."""
        self.session = session
        self.inbox.begin()
        self.outbox.begin(offset, items)

    def close(self, session: str) -> None:
        """End a session, unless another one has begun."""
        if self.session == session:
            self.is_connected = False

    def end(self) -> None:
        """End whatever session there is."""
        self.session = None
        self.wake()

    @property
    def is_settled(self) -> bool:
        """Whether both ends have said what they need in this session, and the neighbour has all events."""
        return self.inbox.is_up_to_date and self.outbox.is_settled

    def describe(self) -> LinkFacts:
        """The direction away from here of the link, for people."""
        out = self.outbox
        known, told = self._node.knowledge.counts(self.name)
        lag = max(0, self._node.last_offset() - out.acknowledged)
        return LinkFacts(self.name, self.is_connected, known, told, known - told, out.sent, out.saved, lag)
