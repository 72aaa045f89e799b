"""How two brokers meet: an edge introduces itself, the upstream welcomes or refuses it, and a session begins."""

import logging
from secrets import token_hex
from typing import TYPE_CHECKING

from rankcast.errors import ModelError
from rankcast.language import parse_time
from rankcast.service.brokers.link import Link
from rankcast.service.brokers.messages import PROTOCOL, Hello, Peer, ReceivedPosition, Welcome, check_broker_name
from rankcast.service.problems import Problem

if TYPE_CHECKING:
    from rankcast.service.brokers.node import BrokerNode

_log = logging.getLogger("rankcast.service.brokers")


class Introductions:
    """Begins sessions: as the upstream of edges, and as the edge of an upstream."""

    def __init__(self, node: "BrokerNode") -> None:
        self._node = node

    # as the upstream

    def welcome(self, hello: Hello, named: str | None) -> Welcome:
        """Begin a session with an edge. `named` is the name of its token, if it has one."""
        name = check_broker_name(named or hello.broker or "")
        if named is not None and hello.broker not in (None, named):
            raise Problem(403, "not-yours", f"this token is that of broker {named!r}, not {str(hello.broker)[:80]!r}")
        node, log = self._node, self._node.log
        me = node.ensure()
        self._refuse_loop(name, hello)
        with node.lock:
            link, last = node.link(name), node.last_offset()
            if link is not None and link.lineage != hello.lineage:
                raise Problem(
                    409,
                    "another-store",
                    f"broker {name!r} joined with another store; if that one is gone for good, remove it here "
                    f"(rankcast overlay forget {name}), and then join anew",
                )
            mine = None if hello.received is None or hello.received.lineage != me.lineage else hello.received
            if mine is not None and not self._is_same(mine.offset, mine.event):
                raise Problem(409, "older-store", _older(me.name, last, name, mine.offset))
            if link is None:
                start = last if hello.since is None else node.offset_before(parse_time(hello.since))
                link = node.add(log.join(name, False, hello.lineage, hello.last, start, hello.event))
            elif link.inbox.received().offset > hello.last:
                raise Problem(409, "older-store", _older(name, hello.last, me.name, link.inbox.received().offset))
        start = link.outbox.acknowledged if mine is None else mine.offset
        session = token_hex(16)
        link.is_connected = False  # until it reads the stream
        link.open(session, start, "" if mine is None else mine.items)
        received = link.inbox.received()
        path = node.view.path()
        event = log.event_at(start)
        return Welcome(session, name, path, start, received.offset, received.items, event, link.inbox.event)

    def session(self, session: str, named: str | None) -> Link:
        """The link of a session; refused if it has ended or belongs to another token."""
        link = next((one for one in self._node.links() if one.session == session), None)
        if link is None or (named is not None and link.name != named):
            raise Problem(404, "session", "there is no such session of yours; introduce yourself again")
        return link

    def _refuse_loop(self, name: str, hello: Hello) -> None:
        path = self._node.view.path()
        for at, one in enumerate(path):
            if one.lineage == hello.lineage or any(one.lineage == other.lineage for other in hello.below):
                names = [
                    *(peer.name for peer in path[at:]),
                    *([] if one.lineage == hello.lineage else [name]),
                    one.name,
                ]
                raise Problem(409, "loop", f"this would close a loop of brokers: {' → '.join(names)}")
        links = self._node.links()
        others = {one.name: one.lineage for link in links if link.name != name for one in link.facts.values()}
        others |= {one.name: one.lineage for one in path} | {one.name: one.lineage for one in links}
        for peer in (Peer(name, hello.lineage), *hello.below):
            if peer.name != name and others.get(peer.name, peer.lineage) != peer.lineage:
                raise _taken(peer.name)
        if self._node.link(name) is None and others.get(name, hello.lineage) != hello.lineage:
            raise _taken(name)

    # as an edge

    def hello(self) -> Hello:
        """The introduction to the upstream."""
        node, above = self._node, self._node.upstream_link()
        me, last = node.ensure(), node.last_offset()
        received = None
        if above is not None:
            has = above.inbox.received()
            received = ReceivedPosition(above.lineage, has.offset, has.items, above.inbox.event)
        since = node.settings.upstream_since
        return Hello(PROTOCOL, me.name, me.lineage, last, node.log.event_at(last), node.view.below(), received, since)

    def joined(self, welcome: Welcome) -> Link:
        """Begin a session with the upstream."""
        node, upstream = self._node, welcome.path[-1]
        if not self._is_same(welcome.received, welcome.received_event):
            me = node.ensure()
            raise ModelError(_older(me.name, node.last_offset(), upstream.name, welcome.received))
        with node.lock:
            above = node.upstream_link()
            if above is None or above.lineage != upstream.lineage:
                if above is not None:
                    _log.warning("the upstream %r is another store than before; joined anew", upstream.name)
                    node.drop(above)
                above = node.add(
                    node.log.join(
                        upstream.name, True, upstream.lineage, welcome.start, welcome.received, welcome.start_event
                    )
                )
        above.path = welcome.path
        above.open(welcome.session, welcome.received, welcome.items)
        above.is_connected = True
        return above

    def _is_same(self, offset: int, event: str) -> bool:
        """Whether the own log still has what a neighbour has received of it. What was pruned counts as the same."""
        here = self._node.log.event_at(offset)
        return offset <= self._node.last_offset() and (not here or not event or here == event)


def _taken(name: str) -> Problem:
    return Problem(409, "taken", f"there is another broker {name!r} in the tree; names must be unique")


def _older(older: str, last: int, newer: str, received: int) -> str:
    found = f"its log ends at {last:,}, and" if last < received else "its log has other events than"
    told = f"{newer!r} has received it up to {received:,}" if last < received else f"{newer!r} has received"
    return (
        f"the store of broker {older!r} is older than before: {found} {told}; "
        "bring back the newer store, or let it begin anew (rankcast overlay rejoin)"
    )
