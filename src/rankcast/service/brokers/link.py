"""One link to a neighbour, the same for both of its ends: what goes out, and what comes in."""

from collections.abc import Callable, Mapping
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from rankcast.errors import ModelError, RankcastError, RecordError
from rankcast.language import decode_event
from rankcast.model import Reject
from rankcast.overlay import BrokerItem, SubscribedItem, key_of
from rankcast.service.brokers.messages import (
    MOST_BYTES,
    Acknowledged,
    BrokerFacts,
    Heartbeat,
    ItemsPart,
    LinkFacts,
    Message,
    Peer,
    Publications,
    PublishedEvent,
    TreeFacts,
)
from rankcast.store import EventRoute, NeighbourRow, ReceivedEvent

if TYPE_CHECKING:
    from rankcast.service.brokers.node import BrokerNode

__all__ = ["BrokenLink", "Link", "count_subscriptions"]

_BATCH = 200
_TELL = 0.2
"""Seconds after which a neighbour learns that events were left out, so that it need not read them again."""
_FACTS = 1.0
_KEEP = 1.0
_MOST_ITEMS = 1_000_000


class BrokenLink(RankcastError):
    """The two ends disagree about what was sent. They connect again, and agree anew."""


class Link:
    """What was sent to one neighbour and received from it. Thread-safe.

    `open` begins a session. Then the transport sends what `outgoing` returns, in order, and passes what arrives to
    `receive`. `wake` is called when there may be something to send.
    """

    def __init__(self, node: "BrokerNode", row: NeighbourRow) -> None:
        self.name = row.name
        self.is_upstream = row.is_upstream
        self.lineage = row.lineage
        self.received = row.received
        self.received_items = row.items
        self.acknowledged = row.acknowledged
        self.session: str | None = None
        self.is_connected = False
        self.wake: Callable[[], None] = lambda: None
        self.sent = self.saved = self.came = 0
        self.path: list[Peer] = []
        self.facts: dict[str, BrokerFacts] = {}
        self._node = node
        self._lock = RLock()
        self._sending = RLock()
        self._version = 0
        self._sent_items: Mapping[str, BrokerItem] | None = None
        self._sent_version = ""
        self._acknowledged_items = ""
        self._sent_offset = self._told_offset = row.acknowledged
        self._told_at = self._said_at = self._kept_at = self._facts_at = float("-inf")
        self._told_facts: tuple[object, ...] = ()
        self._said = Acknowledged(-1, "")
        self._parts: list[ItemsPart] = []
        self._has_said_items = self._has_heard_items = False
        """Whether each end has brought the other up to date in this session. Events go out only after that."""

    def open(self, session: str, offset: int, items: str) -> None:
        """Begin a session with a neighbour that has the own log up to an offset and a version of the own items."""
        with self._sending, self._lock:
            self.session = session
            self.is_connected = True
            self._sent_offset = self._told_offset = self.acknowledged = offset
            if items != self._sent_version or not items:
                self._sent_items = None
            self._acknowledged_items = items
            self._has_said_items = self._has_heard_items = False
            self._said = Acknowledged(self.received, self.received_items)
            self._told_facts = ()
            self._parts = []

    def close(self, session: str) -> None:
        """End a session, unless another one has begun."""
        if self.session == session:
            self.is_connected = False

    @property
    def is_settled(self) -> bool:
        """Whether the neighbour has the newest items and all events."""
        with self._lock:
            return (
                self._has_said_items
                and self._has_heard_items
                and self._sent_items is not None
                and self._acknowledged_items == self._sent_version
                and self._sent_items == self._node.tell(self.name)
                and self.acknowledged >= self._node.last_offset()
            )

    def describe(self) -> LinkFacts:
        """The direction away from here of the link, for people."""
        known, told = self._node.counts_for(self.name)
        lag = max(0, self._node.last_offset() - self.acknowledged)
        return LinkFacts(self.name, self.is_connected, known, told, known - told, self.sent, self.saved, lag)

    # out

    def outgoing(self, session: str) -> list[Message]:
        """The next messages for the neighbour; none if there is nothing to say, or if the session is over."""
        with self._sending:
            if self.session != session:
                return []
            found: list[Message] = [*self._changed_items(), *self._changed_facts()]
            found += self._acknowledgement()
            found += self._publications()
            return found

    def _acknowledgement(self) -> list[Message]:
        """What was received. To an edge, the answers to its requests say it."""
        said, now = Acknowledged(self.received, self.received_items), monotonic()
        is_due = said.items != self._said.items or now - self._said_at > _TELL
        if not self.is_upstream or said == self._said or not is_due:
            return []
        self._said, self._said_at = said, now
        return [said]

    def _changed_items(self) -> list[Message]:
        told = self._node.tell(self.name)
        with self._lock:
            before = self._sent_items
            if told is before and self._has_said_items:
                return []
            put = [one for key, one in told.items() if before is None or before.get(key) != one]
            removed = [] if before is None else [key for key in before if key not in told]
            self._sent_items = told
            base = None if before is None else self._sent_version
            if put or removed or before is None:
                self._version += 1
                self._sent_version = f"{self._node.run}:{self._version}"
            elif self._has_said_items:
                return []
            self._has_said_items = True
            version = self._sent_version
        parts: list[Message] = []
        part, size = ItemsPart(version, base, [], removed), 0
        for item in put:
            form = item.to_json()
            length = len(msgspec.json.encode(form))
            if part.put and size + length > MOST_BYTES:
                part.more = True
                parts.append(part)
                part, size = ItemsPart(version, base, [], []), 0
            part.put.append(form)
            size += length
        return [*parts, part]

    def _changed_facts(self) -> list[Message]:
        if monotonic() - self._facts_at < _FACTS:
            return []
        self._facts_at = monotonic()
        path, brokers = self._node.facts_for(self.name)
        told = (path, brokers)
        if told == self._told_facts:
            return []
        self._told_facts = told
        return [TreeFacts(path, brokers)]

    def _publications(self) -> list[Message]:
        if not self._has_heard_items:
            return []
        rows = self._node.log.routed(self._sent_offset, _BATCH)
        found: list[PublishedEvent] = []
        size, left_out, after = 0, 0, self._told_offset
        for row in rows:
            if size > MOST_BYTES or self._node.is_waiting(row):
                break
            self._sent_offset = row.offset
            if row.route is not None and row.route.origin == self.name:
                continue
            message = self._node.publication_for(self.name, row)
            if message is None:
                left_out += 1
                continue
            found.append(message)
            size += len(row.content)
        self.sent += len(found)
        self.saved += left_out
        if not found and (self._sent_offset == self._told_offset or monotonic() - self._told_at < _TELL):
            return []
        self._told_offset, self._told_at = self._sent_offset, monotonic()
        return [Publications(after, self._sent_offset, found)]

    # in

    def receive(self, message: Message) -> None:
        """Take a message of the neighbour. When this returns, it is on disk."""
        match message:
            case ItemsPart():
                self._take_items(message)
            case Publications():
                self._take_publications(message)
            case Acknowledged():
                self.take_acknowledgement(message)
            case TreeFacts():
                self.path = message.path
                self.facts = {one.name: one for one in message.brokers}
                self._node.check_path(self)
            case Heartbeat():
                pass

    def take_acknowledgement(self, said: Acknowledged) -> None:
        """Note what the neighbour has on disk."""
        with self._lock:
            self.acknowledged = max(self.acknowledged, said.offset)
            self._acknowledged_items = said.items
        if monotonic() - self._kept_at > _KEEP:
            self._kept_at = monotonic()
            self._node.log.acknowledge(self.name, self.acknowledged)

    def _take_items(self, part: ItemsPart) -> None:
        with self._lock:
            self._parts.append(part)
            if sum(len(one.put) for one in self._parts) > _MOST_ITEMS:
                raise RecordError(f"more than {_MOST_ITEMS:,} items of one broker")
            if part.more:
                return
            parts, self._parts = self._parts, []
            if any(one.version != part.version for one in parts) or part.base not in (None, self.received_items):
                raise BrokenLink(f"{self.name!r} changes items of version {part.base!r}, not {self.received_items!r}")
            forms = {key_of(form): form for one in parts for form in one.put}
            removed = [key for one in parts for key in one.removed]
            whole = part.base is None
            if whole or part.version != self.received_items:
                self._node.log.change_items(self.name, part.version, forms, removed, whole)
                self.received_items = part.version
                self._node.learn(self.name, forms, removed, whole)
            self._has_heard_items = True

    def _take_publications(self, message: Publications) -> None:
        with self._lock:
            if message.after > self.received:
                raise BrokenLink(f"{self.name!r} sent events after {message.after}, and {self.received} were received")
            received, rejects = [], []
            for one in message.events:
                try:
                    received.append(self._received(one))
                except ModelError as error:  # for example of a later release; the others go on
                    rejects.append(Reject(f"broker {self.name}", one.offset, str(error), str(one.event)[:1_000]))
            new = self._node.log.receive(self.name, received, message.up_to)
            self._node.reject(rejects)
            self.received = max(self.received, message.up_to)
            self.came += new
        if new:
            self._node.logged()

    def _received(self, one: PublishedEvent) -> ReceivedEvent:
        event = decode_event(one.event)
        if event.advertisement is None:
            return ReceivedEvent(one.offset, event, EventRoute(self.name))
        name = one.advertisement or f"{self.name}/{event.advertisement}"
        chosen = self._node.pass_on(name, event, one.chosen, one.count)
        chosen.pop(self.name, None)
        return ReceivedEvent(one.offset, event, EventRoute(self.name, name, chosen))


def count_subscriptions(items: Mapping[str, BrokerItem]) -> int:
    """How many of the items are subscriptions."""
    return sum(isinstance(one, SubscribedItem) for one in items.values())
