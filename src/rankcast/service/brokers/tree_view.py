"""The tree as one broker sees it: what it says of itself, and what its neighbours say of the others."""

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from rankcast.errors import ModelError
from rankcast.service.brokers.link import Link
from rankcast.service.brokers.messages import (
    MOST_BYTES,
    BrokerFacts,
    BrokerTree,
    Peer,
    TreeFacts,
    check_broker_name,
)
from rankcast.service.problems import Problem

if TYPE_CHECKING:
    from rankcast.service.brokers.node import BrokerNode


class TreeView:
    """Names of brokers above and below, and facts about all of them for people."""

    def __init__(self, node: "BrokerNode") -> None:
        self._node = node

    def path(self) -> list[Peer]:
        """The brokers from the root to this one."""
        me, above = self._node.ensure(), self._node.upstream_link()
        return [*(above.path if above is not None and above.is_connected else []), Peer(me.name, me.lineage)]

    def below(self) -> list[Peer]:
        """The brokers of the subtree, without this one."""
        edges = [link for link in self._node.links() if not link.is_upstream]
        return [
            *(Peer(link.name, link.lineage) for link in edges),
            *(Peer(one.name, one.lineage) for link in edges for one in link.facts.values() if one.name != link.name),
        ]

    def foreign(self, link: Link) -> frozenset[str]:
        """The brokers for which an edge must not speak: this one, those above it, and its other neighbours."""
        if link.is_upstream:
            return frozenset()
        others = {one.name for one in self._node.links() if one is not link}
        return frozenset(others | {one.name for one in self.path()})

    def take(self, link: Link, facts: TreeFacts) -> None:
        """Take what a neighbour says of the tree, except about brokers that are not on its side."""
        me, foreign = self._node.ensure(), self.foreign(link)
        if link.is_upstream and any(one.lineage == me.lineage for one in facts.path):
            names = [one.name for one in facts.path]
            raise Problem(409, "loop", f"the brokers form a loop: {' → '.join([*names, me.name])}")
        found: dict[str, BrokerFacts] = {}
        for one in facts.brokers:
            with suppress(ModelError):
                for name in (one.name, *(other.to for other in one.links)):
                    check_broker_name(name)
                if one.name not in foreign:
                    found[one.name] = one
        link.path, link.facts = facts.path, found

    def facts_for(self, to: Link) -> TreeFacts:
        """The path to this broker, and the brokers on this side of a link, as many as fit into a message."""
        facts, size = TreeFacts(self.path(), []), 0
        others = [one for link in self._node.links() if link is not to for one in link.facts.values()]
        for one in (self._own_facts(), *others):
            size += len(msgspec.json.encode(one))
            if size > MOST_BYTES:
                break
            facts.brokers.append(one)
        return facts

    def tree(self) -> BrokerTree:
        """The tree as this broker sees it."""
        me, node = self._node.me, self._node
        if me is None:
            return BrokerTree(None, [], True, node.connection_error(), [])
        others = {name: one for link in node.links() for name, one in link.facts.items()}
        names = [one.name for one in self.path()]
        facts = [self._own_facts(), *others.values()]
        return BrokerTree(me.name, names, node.is_settled(), node.connection_error(), facts)

    def _own_facts(self) -> BrokerFacts:
        me, above = self._node.ensure(), self._node.upstream_link()
        users, subscriptions = self._node.count_users()
        return BrokerFacts(
            me.name,
            me.lineage,
            None if above is None else above.name,
            subscriptions,
            users,
            self._node.last_offset(),
            [link.describe() for link in self._node.links()],
        )
