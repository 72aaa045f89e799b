"""The cover graph for a notebook: which subscriptions contain which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankcast.errors import ModelError
from rankcast.frames.users import CatalogData, catalog
from rankcast.model import Catalog, Subscription

if TYPE_CHECKING:
    from rankcast.cover import SubscriptionGraph

_MOST = 200


@dataclass(frozen=True, slots=True)
class CoverGraph:
    """A graph of subscriptions. A notebook shows it as a picture; `edges` are pairs (covering, covered)."""

    graph: "SubscriptionGraph"
    edges: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return f"<{len(self.graph.nodes):,} different subscriptions, {len(self.edges):,} cover another directly>"

    def _repr_html_(self) -> str:
        from rankcast.cover import draw

        return draw(self.graph)


def graph(wanted: CatalogData, user: str | None = None) -> CoverGraph:
    """The cover graph of one user, or of all users of a small catalog. O(subscriptions squared) comparisons.

    >>> from rankcast.frames import user
    >>> ann = user("ann").wants("year > 1950", name="old").wants("year > 1990 and genre = 'war'", name="war")
    >>> graph(ann).edges
    (('old', 'war'),)
    """
    known = catalog(wanted)
    users = known.subscribers(user)
    chosen = [one for name in users for one in known.subscriptions_of(name)]
    if len(chosen) > _MOST:
        raise ModelError(f"{len(chosen):,} subscriptions are too many for a picture (at most {_MOST}); name a user")
    made = graph_of(known, chosen)
    names = [node.interests[0].subscription for node in made.nodes]
    edges = ((names[node.number], names[below]) for node in made.nodes for below in node.children)
    return CoverGraph(made, tuple(edges))


def graph_of(known: Catalog, subscriptions: Sequence[Subscription]) -> "SubscriptionGraph":
    """The cover graph of some subscriptions of a catalog, each with the score that it has for its user."""
    from rankcast.cover import SubscriptionGraph
    from rankcast.rank import scores_of

    worth: dict[str, float] = {}
    for name in dict.fromkeys(one.user for one in subscriptions):
        worth |= scores_of(known, name)
    return SubscriptionGraph(subscriptions, worth, known.meaning_of)
