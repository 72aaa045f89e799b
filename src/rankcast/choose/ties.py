"""When two values are equal, and which of two equals wins: the more recent (semantics: Diversity)."""

from collections.abc import Iterable

from rankcast.choose.candidates import Candidate

__all__ = ["FEW", "on_grid", "recency"]

FEW = 32
"""The plain definitions choose among so many candidates soon enough; for more, compiled loops are loaded."""


def on_grid(value: float) -> float:
    """The value on a grid of 1e-12, on which all comparisons are made, so that the order in which floats were
    added decides nothing.

    >>> on_grid(0.1 + 0.2) == on_grid(0.3)
    True
    """
    return round(value, 12)


def recency(chosen: Iterable[Candidate]) -> tuple[int, tuple[int, ...]]:
    """A key by which the more recent of two sets is the larger: the sum of `seq`, then the latest ones."""
    seqs = sorted((candidate.seq for candidate in chosen), reverse=True)
    return sum(seqs), tuple(seqs)
