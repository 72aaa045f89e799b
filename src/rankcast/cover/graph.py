"""The preferential subscription graph: one node for equal subscriptions, edges from general to specific ones.

See DEBS'09, section 6.1, Def. 15.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rankcast.cover.literals import Meaning
from rankcast.cover.normal import NormalForm, normal_form
from rankcast.cover.poset import Poset
from rankcast.model import Event, Expression, Subscription


@dataclass(frozen=True, slots=True)
class NodeInterest:
    """A user's interest in a node: the subscription, its score and the status bit.

    The bit is set if the same user has a more specific subscription below.
    """

    user: str
    subscription: str
    score: float
    refined: bool


@dataclass(frozen=True, slots=True)
class Node:
    """One distinct subscription with the nodes directly below it. `level` is 1 for a root."""

    number: int
    where: Expression
    interests: tuple[NodeInterest, ...]
    children: tuple[int, ...]
    level: int


@dataclass(frozen=True, slots=True)
class GraphMatch:
    """The result of a search: the matching nodes, the most specific of them for each user, and the cost."""

    nodes: tuple[int, ...]
    specific: Mapping[str, tuple[str, ...]] = field(hash=False)
    visited: int


class SubscriptionGraph:
    """Subscriptions ordered by covering.

    Parameters
    ----------
    subscriptions
        The subscriptions of one or many users.
    scores
        The score of each subscription, by id; 1 if missing.
    meaning_of
        The meaning of concepts for a user. Equal expressions with different meanings for two users are two nodes.

    Building it costs at most two comparisons for each pair of distinct subscriptions. Matching searches breadth first
    from the roots. If the event's values are crisp, it never descends below a node that does not match, because the
    nodes below do not match either. Covering says nothing about imprecise values, so for those it visits every node.

    >>> from rankcast.language import parse
    >>> from rankcast.matching import NO_CONCEPTS, matches
    >>> wheres = {"s1": "x > 1", "s2": "x > 2", "s3": "x > 3 and y = 1", "s4": "z = 1"}
    >>> graph = SubscriptionGraph([Subscription(name, "ann", parse(text)) for name, text in wheres.items()])
    >>> from rankcast.model import EPOCH
    >>> event = Event("e", EPOCH, {"x": (2.5,)})
    >>> found = graph.match(event, lambda node, event: matches(node.where, event, NO_CONCEPTS))
    >>> found.specific, found.visited
    ({'ann': ('s2',)}, 4)
    """

    def __init__(
        self,
        subscriptions: Iterable[Subscription],
        scores: Mapping[str, float] | None = None,
        meaning_of: Callable[[str], Meaning | None] = lambda user: None,
    ) -> None:
        poset: Poset[NormalForm] = Poset(NormalForm.covers)
        given = {subscription.id: subscription for subscription in subscriptions}
        for name, subscription in given.items():
            poset.add(name, normal_form(subscription.where, meaning_of(subscription.user)))
        first_of = {name: poset.equals(name)[0] for name in given}
        number_of = {name: number for number, name in enumerate(dict.fromkeys(first_of.values()))}
        known_scores = scores or {}
        nodes = []
        for name, number in number_of.items():
            below = {given[other].user for other in poset.descendants(name)}
            interests = tuple(
                NodeInterest(given[one].user, one, known_scores.get(one, 1.0), given[one].user in below)
                for one in poset.equals(name)
            )
            children = dict.fromkeys(number_of[first_of[child]] for child in poset.children(name))
            nodes.append(Node(number, given[name].where, interests, tuple(children), poset.depth(name)))
        self.nodes = tuple(nodes)
        covered = {child for node in nodes for child in node.children}
        self.roots = tuple(node.number for node in nodes if node.number not in covered)
        self._users_from: list[frozenset[str]] = [
            frozenset(given[one].user for one in (*poset.equals(name), *poset.descendants(name))) for name in number_of
        ]

    def match(self, event: Event, matches: Callable[[Node, Event], bool]) -> GraphMatch:
        """All nodes that an event matches, as ranking needs them. The search continues below every matching node."""
        return self._walk(event, matches, every=True)

    def match_any(self, event: Event, matches: Callable[[Node, Event], bool]) -> GraphMatch:
        """Only the nodes that plain publish/subscribe needs, which asks who gets the event and not why.

        Below a matching node, the search continues only for users without a match so far.
        """
        return self._walk(event, matches, every=False)

    def _walk(self, event: Event, matches: Callable[[Node, Event], bool], every: bool) -> GraphMatch:
        may_prune = all(isinstance(value, tuple) for value in event.attributes.values())
        visited = 0
        holds: list[int] = []
        satisfied: set[str] = set()
        seen = set(self.roots)
        pending = list(self.roots)
        while pending:
            following: list[int] = []
            for number in pending:
                visited += 1
                node = self.nodes[number]
                if matches(node, event):
                    holds.append(number)
                    satisfied.update(interest.user for interest in node.interests)
                elif may_prune:
                    continue
                new = [
                    child
                    for child in node.children
                    if child not in seen and (every or not self._users_from[child] <= satisfied)
                ]
                seen.update(new)
                following += new
            pending = following
        return GraphMatch(tuple(holds), self._specific(holds, may_prune), visited)

    def _specific(self, holds: list[int], may_prune: bool) -> dict[str, tuple[str, ...]]:
        """For each user, the matching subscriptions without a matching one below.

        The status bit tells which of them need a search.
        """
        matching = set(holds)
        specific: dict[str, list[str]] = {}
        for number in sorted(holds):
            below: set[str] | None = None
            for interest in self.nodes[number].interests:
                if interest.refined:
                    below = self._matching_users_below(number, matching, may_prune) if below is None else below
                    if interest.user in below:
                        continue
                specific.setdefault(interest.user, []).append(interest.subscription)
        return {user: tuple(names) for user, names in sorted(specific.items())}

    def _matching_users_below(self, number: int, matching: set[int], may_prune: bool) -> set[str]:
        users: set[str] = set()
        pending = list(self.nodes[number].children)
        seen = set(pending)
        while pending:
            below = pending.pop()
            node = self.nodes[below]
            if below in matching:
                users.update(interest.user for interest in node.interests)
            elif may_prune:
                continue
            new = [child for child in node.children if child not in seen]
            seen.update(new)
            pending += new
        return users
