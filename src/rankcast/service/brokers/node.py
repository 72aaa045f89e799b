"""A service as a broker of a tree: its knowledge, its links, and the choice of recipients."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from threading import Event as Flag
from threading import RLock, Thread
from typing import TYPE_CHECKING

from rankcast.errors import ModelError, RankcastError
from rankcast.language import encode_event, parse_time
from rankcast.model import Event, Reject
from rankcast.overlay import AdvertisedItem, BrokerItem, Knowledge, SubscribedItem, WantsEverything, item_of_json
from rankcast.plain import JsonObject
from rankcast.service.brokers.link import Link, count_subscriptions
from rankcast.service.brokers.messages import (
    PROTOCOL,
    BrokerFacts,
    BrokerTree,
    Hello,
    Peer,
    PublishedEvent,
    ReceivedPosition,
    Welcome,
    check_broker_name,
)
from rankcast.service.brokers.upstream import UpstreamConnection
from rankcast.service.problems import Problem
from rankcast.service.record_costs import check_cost
from rankcast.store import BrokerLog, BrokerSelf, EventRoute, RoutedText
from rankcast.store.texts import event_of

if TYPE_CHECKING:
    from rankcast.service.service import Service

__all__ = ["BrokerNode"]

_log = logging.getLogger("rankcast.service.brokers")
_ADVERTISED = '"advertisement"'
_BATCH = 500


class BrokerNode:
    """The part of a service that speaks with other brokers. Thread-safe.

    Whoever holds the lock of a link may take the lock of the node, never the other way round.

    A service becomes a broker when it is started with an upstream or when the first edge joins. Until then this costs
    nothing. From then on a thread follows the catalog and the event log: it keeps the knowledge up to date, and chooses
    the recipients of each publication under an advertisement that is made here. The pipeline waits for this choice.
    """

    def __init__(self, service: "Service") -> None:
        self.log = BrokerLog(service.store.database)
        self.run = token_hex(4)
        """Identifies this run of the service, so that nobody takes versions of an earlier run for its own."""
        self.error: str | None = None
        self._service = service
        self._store = service.store
        self._settings = service.settings
        self._lock = RLock()
        self._me: BrokerSelf | None = None
        self._knowledge = Knowledge("")
        self._links: dict[str, Link] = {}
        self._version = -1
        self._routed = 0
        self._woken, self._stopping = Flag(), Flag()
        self._thread: Thread | None = None
        self._upstream: UpstreamConnection | None = None

    # life

    def start(self) -> None:
        """Start to be a broker, if the settings or the store say so. A second call does nothing."""
        if self._me is not None or self._upstream is not None:
            return
        me = self.log.self()
        name = self._settings.broker
        if name is not None:
            check_broker_name(name)
        if me is not None and name is not None and me.name != name:
            self.log.become(name)  # refused, with the reason
        if me is not None or name is not None:
            self._become(me.name if me is not None else str(name))
        if self._settings.upstream is not None:
            self._upstream = UpstreamConnection(self, self._settings.upstream, self._settings.upstream_token)
            self._upstream.start()

    def stop(self) -> None:
        """End the threads."""
        self._stopping.set()
        self._woken.set()
        if self._upstream is not None:
            self._upstream.stop()
        for link in self.links():
            link.session = None
            link.wake()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def end_sessions(self) -> None:
        """End the streams of edges, so that the server can stop. They connect again to the next one."""
        self._stopping.set()
        for link in self.links():
            link.wake()

    def wake(self) -> None:
        """Report that the catalog or the log may have changed. Returns at once."""
        if self._me is not None:
            self._woken.set()

    def logged(self) -> None:
        """Report that events of a neighbour were logged: they have to be served and passed on."""
        self._service.runner.wake()
        self._woken.set()

    @property
    def is_stopping(self) -> bool:
        """Whether sessions have to end."""
        return self._stopping.is_set()

    @property
    def me(self) -> BrokerSelf | None:
        """The broker; None if the service is none."""
        return self._me

    def ensure(self, name: str | None = None) -> BrokerSelf:
        """The broker; the service becomes one if it is none."""
        with self._lock:
            if self._me is None:
                self._become(name or self._settings.broker or "root")
            elif name is not None and self._me.name != name:
                raise ModelError(f"the upstream knows this broker as {name!r}, and its store as {self._me.name!r}")
            assert self._me is not None
            return self._me

    def _become(self, name: str) -> None:
        me = self.log.become(name)
        with self._lock:
            self._knowledge = Knowledge(me.name, self._settings.strategy_of)
            for row in self.log.neighbours():
                if row.is_upstream and self._settings.upstream is None:
                    continue  # it was started without its upstream, and needs nothing from it
                self._links[row.name] = Link(self, row)
                self._knowledge.learn(row.name, self._readable(row.name, self.log.items(row.name)), whole=True)
            self._knowledge.own(self._store.catalog())
            self._version = self._store.version()
            self._routed = max(me.since, self._store.reached())
            self._me = me
        self._thread = Thread(target=self._run, name="rankcast-broker", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait(self._settings.poll)
            self._woken.clear()
            if self._stopping.is_set():
                return
            try:
                self._follow()
                self.error = None
            except Exception as error:  # the thread must survive any failure, such as of the store
                self.error = str(error) or type(error).__name__
                _log.warning("the broker failed, and tries again: %s", self.error)
                self._stopping.wait(self._settings.poll)

    def _follow(self) -> None:
        version = self._store.version()
        if version != self._version:
            catalog = self._store.catalog(version)
            with self._lock:
                self._knowledge.own(catalog)
                self._version = version
        if self._route():
            self._service.runner.wake()
        for link in self.links():
            link.wake()

    def _route(self) -> bool:
        """Choose the recipients of the publications that were made here. Returns whether there were any."""
        assert self._me is not None
        is_any = False
        while rows := self.log.routed(self._routed, _BATCH):
            routes: dict[int, EventRoute] = {}
            for row in rows:
                event = _advertised(row)
                if row.route is None and event is not None:
                    name = f"{self._me.name}/{event.advertisement}"
                    with self._lock:
                        routes[row.offset] = EventRoute("", name, self._knowledge.choose(name, event))
            self.log.put_routes(routes)
            self._routed = rows[-1].offset
            is_any = is_any or bool(routes)
        return is_any

    # what links ask

    def links(self) -> list[Link]:
        """All links."""
        with self._lock:
            return list(self._links.values())

    def tell(self, neighbour: str) -> Mapping[str, BrokerItem]:
        """What a neighbour has to know."""
        with self._lock:
            return self._knowledge.tell(neighbour)

    def reject(self, rejects: Sequence[Reject]) -> None:
        """Keep what a neighbour sent and nobody here can use."""
        if rejects:
            self._store.reject(rejects)

    def learn(self, neighbour: str, forms: Mapping[str, JsonObject], removed: Sequence[str], whole: bool) -> None:
        """Take what a neighbour said, and tell the others."""
        items = self._readable(neighbour, forms)
        with self._lock:
            self._knowledge.learn(neighbour, items, removed, whole)
        self._woken.set()

    def _readable(self, neighbour: str, forms: Mapping[str, JsonObject]) -> list[BrokerItem]:
        """The items that this release can read. For a subscription that it cannot, the neighbour gets everything."""
        found: list[BrokerItem] = []
        for key, form in forms.items():
            try:
                item = item_of_json(form)
                self._check_item(item)
                found.append(item)
            except RankcastError as error:
                _log.warning("the item %r of broker %r cannot be used: %s", key, neighbour, error)
                found += [WantsEverything()] if "subscription" in form else []
        return found

    def _check_item(self, item: BrokerItem) -> None:
        """Refuse an item whose expression is larger than a user's may be."""
        if isinstance(item, SubscribedItem):
            check_cost(item.subscription, self._settings.limits)
        elif isinstance(item, AdvertisedItem):
            check_broker_name(item.home)
            check_cost(item.advertisement, self._settings.limits)

    def pass_on(
        self, advertisement: str, event: Event, chosen: Sequence[str] | None, count: int | None
    ) -> dict[str, list[str]]:
        """The recipients here and further on of a publication that a neighbour sent."""
        with self._lock:
            if chosen is not None:
                return self._knowledge.locate(advertisement, chosen)
            return self._knowledge.choose(advertisement, event, count or 0)

    def is_waiting(self, row: RoutedText) -> bool:
        """Whether recipients have to be chosen before the event may go on."""
        return row.route is None and row.offset > self.ensure().since and _advertised(row) is not None

    def publication_for(self, neighbour: str, row: RoutedText) -> PublishedEvent | None:
        """An event of the log as it goes to a neighbour; None if it does not concern it."""
        route, event = row.route, _event(row)
        if event is None:
            return None
        with self._lock:
            if event.advertisement is None or route is None or route.chosen is None or route.advertisement is None:
                wanted = event.advertisement is None and self._knowledge.wants(neighbour, event)
                return PublishedEvent(row.offset, encode_event(event)) if wanted else None
            ids = list(route.chosen.get(neighbour, ()))
            if not ids and not self._knowledge.wants_everything(neighbour):
                return None
            is_exact = self._knowledge.is_exact(route.advertisement)
        form, name = encode_event(event), route.advertisement
        if is_exact:
            return PublishedEvent(row.offset, form, name, chosen=ids)
        return PublishedEvent(row.offset, form, name, count=len(ids))

    def last_offset(self) -> int:
        """The end of the own log."""
        return self._store.last_offset()

    # the tree

    def path(self) -> list[Peer]:
        """The brokers from the root to this one."""
        me = self.ensure()
        above = next((link for link in self.links() if link.is_upstream), None)
        return [*(above.path if above is not None and above.is_connected else []), Peer(me.name, me.lineage)]

    def below(self) -> list[Peer]:
        """The brokers of the subtree, without this one."""
        edges = [link for link in self.links() if not link.is_upstream]
        return [
            *(Peer(link.name, link.lineage) for link in edges),
            *(Peer(one.name, one.lineage) for link in edges for one in link.facts.values() if one.name != link.name),
        ]

    def facts(self) -> list[BrokerFacts]:
        """All brokers of the tree, this one first."""
        return [self._own_facts(), *(one for link in self.links() for one in link.facts.values())]

    def facts_for(self, neighbour: str) -> tuple[list[Peer], list[BrokerFacts]]:
        """The path to this broker, and all brokers on this side of a link."""
        others = [one for link in self.links() if link.name != neighbour for one in link.facts.values()]
        return self.path(), [self._own_facts(), *others]

    def counts_for(self, neighbour: str) -> tuple[int, int]:
        """How many subscriptions are known on this side of a link, and how many of them were told."""
        with self._lock:
            return self._knowledge.known_without(neighbour), count_subscriptions(self._knowledge.tell(neighbour))

    def _own_facts(self) -> BrokerFacts:
        me = self.ensure()
        catalog = self._service.catalog()
        above = next((link.name for link in self.links() if link.is_upstream), None)
        links = [link.describe() for link in self.links()]
        return BrokerFacts(
            me.name, me.lineage, above, len(catalog.subscriptions), len(catalog.users()), self.last_offset(), links
        )

    def tree(self) -> BrokerTree:
        """The tree as this broker sees it."""
        if self._me is None:
            return BrokerTree(None, [], True, self.connection_error(), [])
        path = [one.name for one in self.path()]
        return BrokerTree(self._me.name, path, self.is_settled(), self.connection_error(), self.facts())

    def is_settled(self) -> bool:
        """Whether all neighbours have all that this broker has to say, and its own users are served."""
        if self._me is None:
            return True
        last = self.last_offset()
        return (
            self._version == self._store.version()
            and self._routed >= last
            and (not self._settings.pipeline or self._store.reached() >= last)
            and all(link.is_settled for link in self.links())
        )

    def connection_error(self) -> str | None:
        """Why there is no connection to the upstream, or what else fails; None if all is well."""
        return self.error or (None if self._upstream is None else self._upstream.error)

    def check_path(self, link: Link) -> None:
        """Refuse an upstream that is below this broker."""
        me = self.ensure()
        if link.is_upstream and any(one.lineage == me.lineage for one in link.path):
            names = [one.name for one in link.path]
            raise Problem(409, "loop", f"the brokers form a loop: {' → '.join([*names, me.name])}")

    # edges join

    def welcome(self, hello: Hello, named: str | None) -> Welcome:
        """Begin a session with an edge. `named` is the name of its token, if it has one."""
        name = check_broker_name(named or hello.broker or "")
        if named is not None and hello.broker not in (None, named):
            raise Problem(403, "not-yours", f"this token is that of broker {named!r}, not {str(hello.broker)[:80]!r}")
        me = self.ensure()
        self._refuse_loop(me, name, hello)
        with self._lock:
            row = next((one for one in self.log.neighbours() if one.name == name), None)
            if row is not None and row.lineage != hello.lineage:
                raise Problem(
                    409,
                    "another-store",
                    f"broker {name!r} joined with another store; if that one is gone for good, remove it here "
                    f"(rankcast overlay forget {name}), and then join anew",
                )
            mine = None if hello.received is None or hello.received.lineage != me.lineage else hello.received
            last = self.last_offset()
            if row is not None and row.received > hello.last:
                raise Problem(409, "older-store", _older(name, hello.last, me.name, row.received))
            if mine is not None and mine.offset > last:
                raise Problem(409, "older-store", _older(me.name, last, name, mine.offset))
            if row is None:
                start = last if hello.since is None else self._store.offset_before(_since(hello.since))
                row = self.log.join(name, False, hello.lineage, received=hello.last, acknowledged=start)
                self._links[name] = Link(self, row)
            link = self._links[name]
        start = link.acknowledged if mine is None else mine.offset
        session = token_hex(16)
        link.open(session, start, "" if mine is None else mine.items)
        link.is_connected = False  # until it reads the stream
        return Welcome(session, name, self.path(), start, link.received, link.received_items)

    def session(self, session: str, named: str | None) -> Link:
        """The link of a session; refused if it has ended or belongs to another token."""
        link = next((one for one in self.links() if one.session == session), None)
        if link is None or (named is not None and link.name != named):
            raise Problem(404, "session", "there is no such session of yours; introduce yourself again")
        return link

    def forget(self, name: str) -> bool:
        """Remove an edge and all that it said. Returns whether there was one."""
        with self._lock:
            link = self._links.get(name)
            if link is not None and link.is_upstream:
                raise Problem(409, "upstream", f"{name!r} is the upstream; start this service without it")
            self._links.pop(name, None)
            self._knowledge.forget(name)
        if link is not None:
            link.session = None
            link.wake()
        self._woken.set()
        return self.log.forget(name)

    def _refuse_loop(self, me: BrokerSelf, name: str, hello: Hello) -> None:
        path = self.path()
        for at, one in enumerate(path):
            if one.lineage == hello.lineage or any(one.lineage == other.lineage for other in hello.below):
                names = [
                    *(peer.name for peer in path[at:]),
                    *([] if one.lineage == hello.lineage else [name]),
                    one.name,
                ]
                raise Problem(409, "loop", f"this would close a loop of brokers: {' → '.join(names)}")
        others = {one.name: one.lineage for one in path}
        others |= {one.name: one.lineage for link in self.links() if link.name != name for one in link.facts.values()}
        for one in (Peer(name, hello.lineage), *hello.below):
            if others.get(one.name, one.lineage) != one.lineage:
                raise Problem(409, "taken", f"there is another broker {one.name!r} in the tree; names must be unique")

    # the upstream

    def hello(self) -> Hello:
        """The introduction to the upstream."""
        me = self.ensure()
        above = next((link for link in self.links() if link.is_upstream), None)
        received = None if above is None else ReceivedPosition(above.lineage, above.received, above.received_items)
        since = self._settings.upstream_since
        return Hello(PROTOCOL, me.name, me.lineage, self.last_offset(), self.below(), received, since)

    def joined(self, welcome: Welcome) -> Link:
        """Begin a session with the upstream."""
        upstream = welcome.path[-1]
        with self._lock:
            above = next((link for link in self._links.values() if link.is_upstream), None)
            if above is None or above.lineage != upstream.lineage:
                row = self.log.join(upstream.name, True, upstream.lineage, welcome.start, welcome.received)
                if above is not None:
                    _log.warning("the upstream %r is another store than before; joined anew", upstream.name)
                    del self._links[above.name]
                    self._knowledge.forget(above.name)
                above = self._links[row.name] = Link(self, row)
        above.path = welcome.path
        above.open(welcome.session, welcome.received, welcome.items)
        self._woken.set()
        return above


def _event(row: RoutedText) -> Event | None:
    """The event of a row; None if it cannot be read, such as one of another release. The others go on."""
    try:
        return event_of(row.content, row.offset)
    except RankcastError as error:
        _log.warning("event %d of the log cannot be read, and stays here: %s", row.offset, error)
        return None


def _advertised(row: RoutedText) -> Event | None:
    """The event of a row if it is under an advertisement. Most are not, and need not be decoded."""
    event = _event(row) if _ADVERTISED in row.content else None
    return event if event is not None and event.advertisement is not None else None


def _older(older: str, last: int, newer: str, received: int) -> str:
    return (
        f"the store of broker {older!r} is older than before: its log ends at {last:,}, and {newer!r} has received it up "
        f"to {received:,}; bring back the newer store, or let it begin anew (rankcast overlay rejoin)"
    )


def _since(text: str) -> datetime:
    return parse_time(text)
