"""When two values count as equal, and how ties are broken: the more recent wins (semantics: Diversity)."""

from collections.abc import Iterable

from rankcast.choose.candidates import Candidate

FEW = 32
"""Up to this many candidates the plain definitions are always fast enough; for more, see `rankcast.choose.loading`."""

GRID_STEPS = 10**12
"""Steps of the comparison grid per 1."""


def on_grid(value: float) -> float:
    """The value rounded to the grid of 1e-12 on which all comparisons are made.

    So the order in which floats were added never decides a comparison.

    >>> on_grid(0.1 + 0.2) == on_grid(0.3)
    True
    """
    return round(value, 12)


def recency(chosen: Iterable[Candidate]) -> tuple[int, tuple[int, ...]]:
    """A sort key that is larger for the more recent of two sets: the sum of `seq`, then the latest members."""
    seqs = sorted((candidate.seq for candidate in chosen), reverse=True)
    return sum(seqs), tuple(seqs)
