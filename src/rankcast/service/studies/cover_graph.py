"""The cover graph of subscriptions, and the recent events that each node matches."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.cover import GraphMatch, Node, SubscriptionGraph
from rankcast.frames.graphs import graph_of
from rankcast.matching import matches
from rankcast.model import Catalog, Event, Subscription
from rankcast.service.trial_tasks import TrialHistory


@dataclass(frozen=True, slots=True)
class CoverStudy:
    """A graph, recent events (newest first), and for each node the positions of the events it matches."""

    graph: SubscriptionGraph
    events: Sequence[Event]
    matched: Sequence[frozenset[int]]

    def events_of(self, node: int) -> list[Event]:
        """The events that a node matches."""
        return [self.events[position] for position in sorted(self.matched[node])]

    def walk(self, position: int) -> tuple[GraphMatch, dict[int, bool]]:
        """Match an event through the graph. Returns the match, and whether each compared node matched, in order."""
        visited: dict[int, bool] = {}

        def decide(node: Node, event: Event) -> bool:
            visited[node.number] = position in self.matched[node.number]
            return visited[node.number]

        return self.graph.match(self.events[position], decide), visited


def study_cover(history: TrialHistory, catalog: Catalog, subscriptions: Sequence[Subscription]) -> CoverStudy:
    """Build the cover graph, and match recent events with each subscription under the concepts of its user.

    O(subscriptions squared) comparisons and O(subscriptions * events) evaluations.
    """
    graph = graph_of(catalog, subscriptions)
    events = history.read()[::-1]
    matched = []
    for node in graph.nodes:
        meaning = catalog.meaning_of(node.interests[0].user)
        found = (at for at, event in enumerate(events) if matches(node.where, event, meaning, catalog.membership))
        matched.append(frozenset(found))
    return CoverStudy(graph, events, matched)
