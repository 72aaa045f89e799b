"""A few numbers that stand for many scores, so that nodes can agree on a threshold without sending all of them."""

from collections.abc import Iterable, Sequence

POINTS = 128
"""The most groups into which a node divides its scores, besides the one border that it adds."""

ScorePoint = tuple[float, int]
"""The lowest score of a group, and how many scores the group has."""


def sketch(scores: Iterable[float], border: int, points: int = POINTS) -> list[ScorePoint]:
    """The scores, best first, in at most `points` + 1 groups of equal size, of which one ends after `border` scores.

    So the score at the border is exact, and the rank of any other is known to within one group. O(n log n).

    >>> sketch([5, 1, 4, 2, 3], border=1, points=2)
    [(5, 1), (3, 2), (1, 2)]
    """
    ordered = sorted(scores, reverse=True)
    size = max(1, -(-len(ordered) // points))
    ends = {*range(size, len(ordered), size), len(ordered)} | ({border} if 0 < border <= len(ordered) else set())
    found, start = [], 0
    for end in sorted(ends - {0}):
        found.append((ordered[end - 1], end - start))
        start = end
    return found


def kth_highest(points: Sequence[ScorePoint], k: int) -> float:
    """A score that at least the k highest reach, from the points of all nodes; 0 if there are fewer than k scores.

    No more than k + n / `POINTS` + the number of nodes reach it, where n is the number of all scores.

    >>> kth_highest([(5, 1), (3, 2), (1, 2), (4, 1)], 3)
    3
    """
    reached = 0
    for score, count in sorted(points, reverse=True):
        reached += count
        if 0 < k <= reached:
            return score
    return 0.0
