"""Trees of brokers."""

from collections import deque
from collections.abc import Iterable
from itertools import pairwise

from rankcast.errors import ModelError


class Tree:
    """Brokers by name, and links with exactly one path between any two brokers.

    >>> tree = Tree([("b1", "b2"), ("b2", "b3"), ("b2", "b4")])
    >>> tree.towards("b1"), tree.path("b4", "b1")
    ({'b2': 'b1', 'b3': 'b2', 'b4': 'b2'}, ['b4', 'b2', 'b1'])
    """

    def __init__(self, links: Iterable[tuple[str, str]], brokers: Iterable[str] = ()) -> None:
        self.links = tuple(links)
        self.neighbours: dict[str, list[str]] = {name: [] for name in brokers}
        for one, other in self.links:
            self.neighbours.setdefault(one, []).append(other)
            self.neighbours.setdefault(other, []).append(one)
        if not self.neighbours:
            raise ModelError("an overlay needs at least one broker")
        reached = len(self.towards(self.brokers[0])) + 1
        if reached < len(self.neighbours):
            raise ModelError(f"only {reached} of {len(self.neighbours)} brokers are linked to {self.brokers[0]!r}")
        if len(self.links) >= len(self.neighbours):
            raise ModelError("the links of the brokers form a cycle; an overlay must be a tree")

    @property
    def brokers(self) -> tuple[str, ...]:
        """All brokers, in the order in which they were named."""
        return tuple(self.neighbours)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The brokers with at most one link."""
        return tuple(name for name, others in self.neighbours.items() if len(others) <= 1)

    def towards(self, root: str) -> dict[str, str]:
        """For each broker the next one on its path to the root; brokers near the root come first."""
        if root not in self.neighbours:
            raise ModelError(f"there is no broker {root!r}")
        following: dict[str, str] = {}
        pending = deque([root])
        while pending:
            at = pending.popleft()
            for other in self.neighbours[at]:
                if other != root and other not in following:
                    following[other] = at
                    pending.append(other)
        return following

    def path(self, start: str, end: str) -> list[str]:
        """The brokers from one to another, both included."""
        following = self.towards(end)
        path = [start]
        while path[-1] != end:
            path.append(following[path[-1]])
        return path


def parse_topology(text: str) -> Tree:
    """A tree by its name.

    - ``chain:10x5``: ten core brokers in a chain, each with five edge brokers; the first has one more edge broker,
      `publisher` (the paper's setup);
    - ``star:8``: a core broker with eight edge brokers;
    - ``tree:2x3``: a root and three levels below it; each broker has two children;
    - ``b1-b2,b2-b3``: the links themselves.

    >>> len(parse_topology("chain:10x5").brokers), parse_topology("tree:2x2").leaves
    (61, ('root.1.1', 'root.1.2', 'root.2.1', 'root.2.2'))
    """
    form, _, sizes = text.partition(":")
    try:
        numbers = [int(number) for number in sizes.split("x")] if sizes else []
    except ValueError:
        numbers = []
    match form, numbers:
        case "chain", [cores, edges] if cores >= 1 and edges >= 0:
            names = [f"core{number}" for number in range(1, cores + 1)]
            below = [(name, f"edge{name[4:]}.{number}") for name in names for number in range(1, edges + 1)]
            return Tree([("publisher", "core1"), *pairwise(names), *below])
        case "star", [edges] if edges >= 1:
            return Tree([("core", f"edge{number}") for number in range(1, edges + 1)])
        case "tree", [branches, levels] if branches >= 1 and levels >= 1:
            links: list[tuple[str, str]] = []
            level = ["root"]
            for _ in range(levels):
                new = [(name, f"{name}.{number}") for name in level for number in range(1, branches + 1)]
                links += new
                level = [name for _, name in new]
            return Tree(links)
    pairs = [tuple(link.split("-")) for link in text.split(",")]
    if all(len(pair) == 2 and all(pair) for pair in pairs):
        return Tree([(pair[0], pair[1]) for pair in pairs])
    raise ModelError(f"{text!r} is not a topology; use chain:10x5, star:8, tree:2x3, or links such as b1-b2,b2-b3")
