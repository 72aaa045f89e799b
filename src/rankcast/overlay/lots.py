"""Drawing by lot: numbers that depend on nothing but stable ids, and draws from an urn."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from heapq import merge
from itertools import islice


def lot(*ids: str) -> float:
    """A number in (0, 1), uniform over ids; the same ids always give the same number.

    >>> lot("a1", "e1", "s1") == lot("a1", "e1", "s1") != lot("a1", "e", "1s1")
    True
    """
    return lots(*ids[:-1])(ids[-1])


def lots(*ids: str) -> Callable[[str], float]:
    """The lots of many names that share their first ids: ``lots("a1", "e1")("s1")`` is ``lot("a1", "e1", "s1")``."""
    start = blake2b(digest_size=8)
    for text in ids:
        start.update(_marked(text))

    def of(name: str) -> float:
        digest = start.copy()
        digest.update(_marked(name))
        return ((int.from_bytes(digest.digest()) >> 12) + 0.5) / 2**52

    return of


def _marked(text: str) -> bytes:
    encoded = text.encode()
    # the length keeps ("ab", "c") apart from ("a", "bc")
    return len(encoded).to_bytes(4) + encoded


def urn(seed: Callable[[str], float], name: str, weight: int) -> Iterator[float]:
    """The lots of `weight` copies of a name in an urn, in ascending order.

    They are the order statistics of as many independent uniform lots, made one after the other. The smallest lots of
    several names are therefore a draw without replacement from an urn that holds each name as often as its weight. A
    lot costs one hash, however large the weight is.
    """
    reached = 0.0
    for copy in range(weight):
        reached += (1.0 - reached) * (1.0 - seed(f"{name}\0{copy}") ** (1.0 / (weight - copy)))
        yield reached


def draw(weights: Mapping[str, int], k: int, *ids: str) -> dict[str, int]:
    """Draw k copies without replacement from an urn that holds each name as often as its weight; how many of each.

    `ids` are the seed: the same names, weights and ids give the same draw, in whatever order the names come. Costs
    O((n + k) log n) and one hash per name and draw.

    >>> draw({"s1": 1, "s2": 10**9}, 3, "a1", "e1")
    {'s2': 3}
    """
    seed = lots(*ids)
    copies = merge(*(_named(urn(seed, name, weight), name) for name, weight in weights.items()))
    return dict(sorted(Counter(name for _, name in islice(copies, k)).items()))


def _named(drawn: Iterator[float], name: str) -> Iterator[tuple[float, str]]:
    return ((lot, name) for lot in drawn)
