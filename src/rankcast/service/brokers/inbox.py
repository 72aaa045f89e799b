"""What comes from one neighbour: its items, its events, and what it knows of the tree. All of it is checked."""

from threading import RLock
from typing import TYPE_CHECKING

import msgspec

from rankcast.errors import ModelError, RankcastError, RecordError
from rankcast.language import decode_event
from rankcast.model import Reject
from rankcast.overlay import key_of
from rankcast.service.brokers import messages
from rankcast.store import NeighbourRow, ReceivedEvent

if TYPE_CHECKING:
    from rankcast.service.brokers.link import Link
    from rankcast.service.brokers.node import BrokerNode

MOST_ITEMS = {"s/": 200_000, "a/": 10_000}
"""How many subscriptions and how many advertisements one neighbour may have, by the beginnings of their keys."""
_MOST_UNFINISHED = 128 * 1024 * 1024
"""Bytes of a change in several parts."""


class BrokenLink(RankcastError):
    """The two ends disagree about what was sent. They connect again, and agree anew."""


class Inbox:
    """What was received from a neighbour. Thread-safe."""

    def __init__(self, node: "BrokerNode", link: "Link", row: NeighbourRow) -> None:
        self.is_up_to_date = False
        """Whether the neighbour has said in this session what it needs. Events go out only after that."""
        self.came = 0
        self.event = row.received_event
        """The id of the last event of the neighbour's log that was considered."""
        self._node = node
        self._link = link
        self._lock = RLock()
        self._offset = row.received
        self._items = row.items
        self._parts: list[messages.ItemsPart] = []
        self._size = 0

    def begin(self) -> None:
        """Begin a session."""
        with self._lock:
            self.is_up_to_date = False
            self._parts, self._size = [], 0

    def received(self) -> messages.Acknowledged:
        """What is on disk: the neighbour's log up to an offset, and a version of its items."""
        return messages.Acknowledged(self._offset, self._items)

    def receive(self, message: messages.Message, session: str) -> None:
        """Take a message of a session. When this returns, it is on disk."""
        with self._lock:
            if self._link.session != session:
                raise BrokenLink(f"a message of an earlier session with {self._link.name!r}")
            match message:
                case messages.ItemsPart():
                    self._take_items(message)
                case messages.Publications():
                    self._take_publications(message)
                case messages.Acknowledged():
                    self._link.outbox.acknowledge(message)
                case messages.TreeFacts():
                    self._node.view.take(self._link, message)
                case messages.Heartbeat():
                    pass

    def _take_items(self, part: messages.ItemsPart) -> None:
        name = self._link.name
        self._parts.append(part)
        self._size += len(msgspec.json.encode(part)) if part.more else 0
        if self._size > _MOST_UNFINISHED:
            raise RecordError(f"a change of items of more than {_MOST_UNFINISHED:,} bytes")
        if part.more:
            return
        parts, self._parts, self._size = self._parts, [], 0
        if any(one.version != part.version for one in parts) or part.base not in (None, self._items):
            raise BrokenLink(f"{name!r} changes items of version {part.base!r}, not {self._items!r}")
        forms = {key_of(form): form for one in parts for form in one.put}
        removed = [key for one in parts for key in one.removed]
        keep = {key for one in parts for key in one.keep}
        whole = part.base is None
        if whole or part.version != self._items:
            self._node.log.change_items(name, part.version, forms, removed, whole, MOST_ITEMS, keep)
            self._items = part.version
            self._node.learn(self._link, forms, removed, whole, keep)
        self.is_up_to_date = True

    def _take_publications(self, message: messages.Publications) -> None:
        name = self._link.name
        if message.after > self._offset:
            raise BrokenLink(f"{name!r} sent events after {message.after}, and {self._offset} were received")
        received, rejects = [], []
        for one in message.events:
            try:
                received.append(self._received(one))
            except ModelError as error:  # for example of a later release; the others go on
                rejects.append(Reject(f"broker {name}", one.offset, str(error), str(one.event)[:1_000]))
        new = self._node.log.receive(name, received, message.up_to, message.last)
        self._node.reject(rejects)
        if message.up_to > self._offset:
            self._offset, self.event = message.up_to, message.last
        self.came += new
        if new:
            self._node.logged()

    def _received(self, one: messages.PublishedEvent) -> ReceivedEvent:
        event = decode_event(one.event)
        if not self._link.is_upstream:
            self._node.check_event(event)
        return ReceivedEvent(one.offset, event, self._node.knowledge.pass_on(self._link.name, event, one))
