"""Conjunctions: the states that an event's attributes must have, all at once."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rankcast.cover.cells import ANY, Cell
from rankcast.cover.line import FULL
from rankcast.cover.vague import ConceptDegree, implied

Conjunction: TypeAlias = dict[str | ConceptDegree, Cell]
"""A cell for each attribute, and for the degree of an attribute in a concept. Anything else is unconstrained.

Attributes are independent, so one conjunction lies within another if and only if each of its cells does.
"""

EVERYTHING: Conjunction = {}
_DEGREES = Cell(numbers=FULL)


class ComparisonBudget:
    """How many comparisons a search may still make."""

    def __init__(self, comparisons: int) -> None:
        self._left = comparisons

    def spend(self, comparisons: int) -> bool:
        """Spend comparisons; returns False if too few are left."""
        self._left -= comparisons
        return self._left >= 0


def within(small: Conjunction, large: Conjunction) -> bool:
    """Whether everything that matches `small` matches `large`; exact, except for alpha-cuts blurred by rounding."""
    for key, cell in large.items():
        if isinstance(key, str):
            mine = small.get(key, ANY)
            if mine is not cell and not mine.within(cell):
                return False
        elif not small.get(key, _DEGREES).numbers.within(cell.numbers) and (
            small.get(key.attribute, ANY).meets(implied(key, ~cell.numbers))
        ):
            return False
    return True


def meet(a: Conjunction, b: Conjunction) -> bool:
    """Whether some event may match both."""
    return all(a[key].meets(cell) for key, cell in b.items() if key in a)


def joined(a: Conjunction, b: Conjunction) -> Conjunction | None:
    """The conjunction of both; None if nothing can match it."""
    both = dict(a)
    for key, cell in b.items():
        shared = both[key] & cell if key in both else cell
        if not shared:
            return None
        both[key] = shared
    return both


def escapes(conjunction: Conjunction, others: Sequence[Conjunction], budget: ComparisonBudget) -> bool:
    """Whether some event matches the conjunction and none of the others. Also True if the budget runs out.

    Splits off the part outside each other conjunction in turn. Exponential in the worst case: this is the tautology
    problem.
    """
    if any(within(conjunction, other) for other in others):
        return False
    for i, other in enumerate(others):
        if not meet(conjunction, other):
            continue
        inside = dict(conjunction)
        for key, cell in other.items():
            for outside in _outside(key, cell):
                if not budget.spend(len(others)):
                    return True
                left = joined(inside, outside)
                if left is not None and escapes(left, others[i + 1 :], budget):
                    return True
            inside[key] = inside.get(key, cell) & cell
        return False
    return True


def _outside(key: str | ConceptDegree, cell: Cell) -> Iterator[Conjunction]:
    """Conjunctions that together match everything except this attribute, or degree, in the cell."""
    if isinstance(key, str):
        for outside in cell.outside():
            yield {key: outside}
    else:
        levels = ~cell.numbers
        yield {key.attribute: implied(key, levels), key: Cell(numbers=levels)}
