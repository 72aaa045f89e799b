"""What goes to one neighbour: changed items, what was received, the tree, and events in the order of the log."""

from collections.abc import Mapping
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from rankcast.overlay import AdvertisedItem, BrokerItem
from rankcast.service.brokers import messages
from rankcast.store import NeighbourRow

if TYPE_CHECKING:
    from rankcast.service.brokers.link import Link
    from rankcast.service.brokers.node import BrokerNode

_BATCH = 200
_TELL = 0.2
"""Seconds after which a neighbour learns that events were left out, so that it need not read them again."""
_FACTS = 1.0
_KEEP = 1.0


class Outbox:
    """The next messages to a neighbour, and what it has acknowledged. Thread-safe."""

    def __init__(self, node: "BrokerNode", link: "Link", row: NeighbourRow) -> None:
        self.sent = self.saved = 0
        self.acknowledged = row.acknowledged
        self._node = node
        self._link = link
        self._lock = RLock()
        self._version = 0
        self._items: Mapping[str, BrokerItem] | None = None
        self._items_version = ""
        self._acknowledged_items = ""
        self._is_up_to_date = False
        """Whether the neighbour was brought up to date in this session."""
        self._late: dict[str, int] = {}
        """Withdrawn or changed advertisements, with the end of the log when this was noticed."""
        self._kept: dict[str, int] = {}
        """The same, of those that were withdrawn before this broker started."""
        self._offset = self._told_offset = row.acknowledged
        self._told_at = self._said_at = self._kept_at = self._facts_at = float("-inf")
        self._facts: messages.TreeFacts | None = None
        self._said = messages.Acknowledged(-1, "")

    def begin(self, offset: int, items: str) -> None:
        """Begin a session with a neighbour that has the own log up to an offset and a version of the own items."""
        with self._lock:
            self._offset = self._told_offset = self.acknowledged = offset
            if items != self._items_version or not items:
                self._items = None
            self._acknowledged_items = items
            self._is_up_to_date = False
            self._said = self._link.inbox.received()
            self._facts = None

    @property
    def is_settled(self) -> bool:
        """Whether the neighbour has the newest items and all events."""
        with self._lock:
            return (
                self._is_up_to_date
                and not self._kept
                and self._items is not None
                and self._acknowledged_items == self._items_version
                and self._items == self._node.knowledge.tell(self._link.name)
                and self.acknowledged >= self._node.last_offset()
            )

    def acknowledge(self, said: messages.Acknowledged) -> None:
        """Note what the neighbour has on disk."""
        with self._lock:
            self.acknowledged = max(self.acknowledged, said.offset)
            self._acknowledged_items = said.items
            if monotonic() - self._kept_at < _KEEP:
                return
            self._kept_at = monotonic()
        self._node.log.acknowledge(self._link.name, self.acknowledged)

    def outgoing(self, session: str) -> list[messages.Message]:
        """The next messages; none if there is nothing to say, or if the session is over."""
        with self._lock:
            if self._link.session != session:
                return []
            found: list[messages.Message] = [*self._changed_items(), *self._changed_facts()]
            found += self._acknowledgement()
            found += self._publications()
            return found

    def _acknowledgement(self) -> list[messages.Message]:
        """What was received. To an edge, the answers to its requests say it."""
        said, now = self._link.inbox.received(), monotonic()
        is_due = said.items != self._said.items or now - self._said_at > _TELL
        if not self._link.is_upstream or said == self._said or not is_due:
            return []
        self._said, self._said_at = said, now
        return [said]

    def _changed_items(self) -> list[messages.Message]:
        told, before = self._due_items(), self._items
        gone = [key for key, end in self._kept.items() if end <= self._offset]
        if told is before and self._is_up_to_date and not gone:
            return []
        put = [one for key, one in told.items() if before is None or before.get(key) != one]
        removed = gone if before is None else [*gone, *(key for key in before if key not in told)]
        base = None if before is None else self._items_version
        if before is None:
            coming, end = self._node.log.advertised_after(self._offset), self._node.last_offset()
            self._kept = {key: end for name in coming if (key := f"a/{name}") not in told}
        else:
            self._kept = {key: end for key, end in self._kept.items() if key not in gone}
        self._items = told
        if put or removed or before is None:
            self._version += 1
            self._items_version = f"{self._node.run}:{self._version}"
        elif self._is_up_to_date:
            return []
        self._is_up_to_date = True
        keep = list(self._kept) if before is None else []
        return _parts(messages.ItemsPart(self._items_version, base, [], removed, keep), put)

    def _due_items(self) -> Mapping[str, BrokerItem]:
        """What the neighbour has to know now.

        An advertisement is withdrawn or changed after the events that were logged before, because the neighbour needs
        the advertisement to pass them on.
        """
        told, before = self._node.knowledge.tell(self._link.name), self._items
        if told is before or before is None:
            return told
        late = {key: one for key, one in before.items() if isinstance(one, AdvertisedItem) and told.get(key) != one}
        if late:
            end = self._node.last_offset()
            self._late = {key: self._late.get(key, end) for key in late}
            late = {key: one for key, one in late.items() if self._offset < self._late[key]}
        return {**told, **late} if late else told

    def _changed_facts(self) -> list[messages.Message]:
        if monotonic() - self._facts_at < _FACTS:
            return []
        self._facts_at = monotonic()
        facts = self._node.view.facts_for(self._link)
        if facts == self._facts:
            return []
        self._facts = facts
        return [facts]

    def _publications(self) -> list[messages.Message]:
        if not self._link.inbox.is_up_to_date:
            return []
        rows = self._node.log.routed(self._offset, _BATCH)
        found: list[messages.PublishedEvent] = []
        size, left_out, after, last = 0, 0, self._told_offset, ""
        for row in rows:
            if size > messages.MOST_BYTES or self._node.is_waiting(row):
                break
            self._offset, last = row.offset, row.id
            if row.route is not None and row.route.origin == self._link.name:
                continue
            message = self._node.knowledge.publication_for(self._link.name, row)
            if message is None:
                left_out += 1
                continue
            found.append(message)
            size += len(row.content)
        self.sent += len(found)
        self.saved += left_out
        if not found and (self._offset == self._told_offset or monotonic() - self._told_at < _TELL):
            return []
        self._told_offset, self._told_at = self._offset, monotonic()
        return [messages.Publications(after, self._offset, last or self._node.log.event_at(self._offset), found)]


def _parts(first: messages.ItemsPart, put: list[BrokerItem]) -> list[messages.Message]:
    """A change, divided into messages of limited size."""
    parts: list[messages.Message] = []
    part, size = first, 0
    for item in put:
        form = item.to_json()
        length = len(msgspec.json.encode(form))
        if part.put and size + length > messages.MOST_BYTES:
            part.more = True
            parts.append(part)
            part, size = messages.ItemsPart(first.version, first.base, [], []), 0
        part.put.append(form)
        size += length
    return [*parts, part]
