"""The cover graph for a notebook: which subscriptions contain which."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankcast.errors import CatalogError, ModelError, did_you_mean
from rankcast.frames.users import CatalogData, catalog

if TYPE_CHECKING:
    from rankcast.cover import SubscriptionGraph

__all__ = ["CoverGraph", "graph"]

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
    from rankcast.cover import SubscriptionGraph
    from rankcast.rank import scores

    known = catalog(wanted)
    if user is not None and user not in known.users():
        raise CatalogError(f"user {user!r} has no subscriptions{did_you_mean(user, known.users())}")
    users = known.users() if user is None else [user]
    chosen = [one for name in users for one in known.subscriptions_of(name)]
    if len(chosen) > _MOST:
        raise ModelError(f"{len(chosen):,} subscriptions are too many for a picture (at most {_MOST}); name a user")
    worth: dict[str, float] = {}
    for name in users:
        worth |= scores(known.subscriptions_of(name), known.preferences_of(name), known.policy_of(name).levels)
    made = SubscriptionGraph(chosen, worth, known.meaning_of)
    names = [node.interests[0].subscription for node in made.nodes]
    return CoverGraph(made, tuple((names[above], names[below]) for above, below in _edges(made)))


def _edges(made: "SubscriptionGraph") -> list[tuple[int, int]]:
    return [(node.number, below) for node in made.nodes for below in node.children]
