"""Disjunctions: an expression as a list of conjunctions, at least one of which must match."""

from collections.abc import Iterable, Iterator

from rankcast.cover.cells import ANY, Cell
from rankcast.cover.conjunctions import EVERYTHING, ComparisonBudget, Conjunction, joined, within
from rankcast.cover.literals import Meaning, asserted, denied
from rankcast.cover.vague import ConceptDegree
from rankcast.model import Always, And, Expression, Not, Or, Predicate

MOST_CONJUNCTIONS = 256
_MOST_STEPS = 500_000
"""The most cells that are compared: about half a second."""
_COPIED = 16
"""Copying or skipping this many cells takes as long as comparing one."""
_DEEPEST = 128


class TooLarge(Exception):
    """The normal form would have too many conjunctions, is nested too deeply, or takes too many steps."""


def disjuncts(expression: Expression, meaning: Meaning | None) -> tuple[Conjunction, ...]:
    """Satisfiable conjunctions that together match what the expression matches; none lies within another.

    Raises `TooLarge` if there would be more than `MOST_CONJUNCTIONS`, or if finding them takes too many steps.
    """
    steps = ComparisonBudget(_MOST_STEPS)
    found = _disjuncts(expression, True, meaning, 0, steps)
    kept: list[Conjunction] = []
    for i, conjunction in enumerate(found):
        others = [*kept, *found[i + 1 :]]
        _spend(steps, len(others) + sum(map(len, others)) // _COPIED)
        if not any(within(conjunction, other) for other in others):
            kept.append(conjunction)
    return tuple(kept)


def _disjuncts(
    expression: Expression, holds: bool, meaning: Meaning | None, depth: int, steps: ComparisonBudget
) -> list[Conjunction]:
    if depth > _DEEPEST:
        raise TooLarge
    match expression:
        case Always():
            return [EVERYTHING] if holds else []
        case Not(part):
            return _disjuncts(part, not holds, meaning, depth + 1, steps)
        case Predicate():
            return asserted(expression, meaning) if holds else denied(expression, meaning)
        case And(parts) | Or(parts):
            of_parts = (_disjuncts(part, holds, meaning, depth + 1, steps) for part in parts)
            if isinstance(expression, Or) is holds:
                return _merged((conjunction for found in of_parts for conjunction in found), steps)
            product = [EVERYTHING]
            # Start with the short ones, because the cost of joining depends on the size.
            for found in sorted(of_parts, key=len):
                product = _merged(_joined(product, found, steps), steps)
            return product


def _joined(some: list[Conjunction], others: list[Conjunction], steps: ComparisonBudget) -> Iterator[Conjunction]:
    """The conjunctions that match one of each list."""
    for a in some:
        for b in others:
            _spend(steps, len(a) // _COPIED + len(b))
            both = joined(a, b)
            if both is not None:
                yield both


def _merged(conjunctions: Iterable[Conjunction], steps: ComparisonBudget) -> list[Conjunction]:
    """Merge the conjunctions that differ in one attribute only: x = 1 or x = 2 becomes x in (1, 2)."""
    kept: list[Conjunction] = []
    for conjunction in conjunctions:
        kept.append(conjunction)
        if len(kept) > 2 * MOST_CONJUNCTIONS:
            kept = _united(kept, steps)
            if len(kept) > MOST_CONJUNCTIONS:
                raise TooLarge
    kept = _united(kept, steps)
    if len(kept) > MOST_CONJUNCTIONS:
        raise TooLarge
    return kept


def _united(conjunctions: list[Conjunction], steps: ComparisonBudget) -> list[Conjunction]:
    changed = len(conjunctions) > 1
    while changed:
        changed = False
        # Constraints that all share do not distinguish any of them.
        first = conjunctions[0]
        alike = {
            key: cell
            for key, cell in first.items()
            if all(key in one and (one[key] is cell or one[key] == cell) for one in conjunctions)
        }
        _spend(steps, sum(map(len, conjunctions)) // _COPIED)
        united = _distinct([{key: one[key] for key in one if key not in alike} for one in conjunctions])
        before = len(conjunctions)
        for key in {key: None for conjunction in united for key in conjunction}:
            united = _united_in(key, united, steps)
        conjunctions = [{**alike, **one} for one in united] if alike else united
        changed = 1 < len(conjunctions) < before
    return conjunctions


def _distinct(conjunctions: list[Conjunction]) -> list[Conjunction]:
    return list({frozenset(one.items()): one for one in conjunctions}.values())


def _united_in(key: str | ConceptDegree, conjunctions: list[Conjunction], steps: ComparisonBudget) -> list[Conjunction]:
    """Merge the conjunctions that differ only in one key, if the union of their cells is a cell."""
    united: list[Conjunction] = []
    alike: dict[frozenset[tuple[str | ConceptDegree, Cell]], list[int]] = {}
    _spend(steps, len(conjunctions) // _COPIED)
    for conjunction in conjunctions:
        cell = conjunction.get(key)
        if cell is None:
            united.append(conjunction)
            continue
        _spend(steps, len(conjunction))
        places = alike.setdefault(frozenset(item for item in conjunction.items() if item[0] != key), [])
        for place in places:
            union = cell.union(united[place][key]) if key in united[place] else ANY
            if union is not None:
                united[place] = {**united[place], key: union}
                if union == ANY:
                    del united[place][key]
                break
        else:
            places.append(len(united))
            united.append(conjunction)
    return united


def _spend(steps: ComparisonBudget, cells: int) -> None:
    if not steps.spend(cells):
        raise TooLarge
