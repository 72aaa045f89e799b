"""Drawing by lot: numbers that depend on nothing but stable ids, and weighted samples of them."""

import math
from collections.abc import Callable, Mapping
from hashlib import blake2b
from heapq import nsmallest

__all__ = ["draw", "lot", "lots", "waiting"]


def lot(*ids: str) -> float:
    """A number in (0, 1), uniform over ids; always the same for the same ids.

    >>> lot("a1", "e1", "s1") == lot("a1", "e1", "s1") != lot("a1", "e", "1s1")
    True
    """
    return lots(*ids[:-1])(ids[-1])


def lots(*ids: str) -> Callable[[str], float]:
    """The lots of many names under the same first ids: ``lots("a1", "e1")("s1")`` is ``lot("a1", "e1", "s1")``."""
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


def waiting(lot: float, weight: float) -> float:
    """The lot as an exponential time of rate `weight`: of several, those that come first are a weighted sample without
    replacement, in the order of the draws (Efraimidis and Spirakis)."""
    return -math.log(lot) / weight


def draw(weights: Mapping[str, float], k: int, *ids: str) -> list[str]:
    """Draw k names, one after the other without replacement, each time in proportion to the weights left.

    One hash per name, O(n log k); the paper's search tree needs O(n log n) (Algorithm 3). `ids` are the seed: the same
    names, weights and ids give the same sample.

    >>> draw({"s1": 1.0, "s2": 1e9}, 1, "a1", "e1")
    ['s2']
    """
    drawn = lots(*ids)
    return nsmallest(k, weights, key=lambda name: (waiting(drawn(name), weights[name]), name))
