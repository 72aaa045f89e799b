"""Disjunctions: an expression as conjunctions of which one must match."""

from collections.abc import Iterable

from rankcast.cover.cells import ANY, Cell
from rankcast.cover.conjunctions import EVERYTHING, Conjunction, joined, within
from rankcast.cover.literals import Meaning, asserted, denied
from rankcast.cover.vague import ConceptDegree
from rankcast.model import Always, And, Expression, Not, Or, Predicate

__all__ = ["MOST_CONJUNCTIONS", "TooLarge", "disjuncts"]

MOST_CONJUNCTIONS = 256
_DEEPEST = 128


class TooLarge(Exception):
    """More conjunctions than a normal form may have, or an expression nested too deep."""


def disjuncts(expression: Expression, meaning: Meaning | None) -> tuple[Conjunction, ...]:
    """Satisfiable conjunctions that together match what the expression matches, none within another.

    Raises `TooLarge` where they would be more than `MOST_CONJUNCTIONS`.
    """
    found = _disjuncts(expression, True, meaning, 0)
    kept: list[Conjunction] = []
    for i, conjunction in enumerate(found):
        others = [*kept, *found[i + 1 :]]
        if not any(within(conjunction, other) for other in others):
            kept.append(conjunction)
    return tuple(kept)


def _disjuncts(expression: Expression, holds: bool, meaning: Meaning | None, depth: int) -> list[Conjunction]:
    if depth > _DEEPEST:
        raise TooLarge
    match expression:
        case Always():
            return [EVERYTHING] if holds else []
        case Not(part):
            return _disjuncts(part, not holds, meaning, depth + 1)
        case Predicate():
            return asserted(expression, meaning) if holds else denied(expression, meaning)
        case And(parts) | Or(parts):
            of_parts = (_disjuncts(part, holds, meaning, depth + 1) for part in parts)
            if isinstance(expression, Or) is holds:
                return _merged(conjunction for found in of_parts for conjunction in found)
            product = [EVERYTHING]
            for found in of_parts:
                pairs = (joined(a, b) for a in product for b in found)
                product = _merged(both for both in pairs if both is not None)
            return product


def _merged(conjunctions: Iterable[Conjunction]) -> list[Conjunction]:
    """The same with fewer conjunctions, where some differ in one attribute only: x = 1 or x = 2 is x in (1, 2)."""
    kept: list[Conjunction] = []
    for conjunction in conjunctions:
        kept.append(conjunction)
        if len(kept) > 2 * MOST_CONJUNCTIONS:
            kept = _united(kept)
            if len(kept) > MOST_CONJUNCTIONS:
                raise TooLarge
    kept = _united(kept)
    if len(kept) > MOST_CONJUNCTIONS:
        raise TooLarge
    return kept


def _united(conjunctions: list[Conjunction]) -> list[Conjunction]:
    changed = len(conjunctions) > 1
    while changed:
        changed = False
        for key in {key: None for conjunction in conjunctions for key in conjunction}:
            before = len(conjunctions)
            conjunctions = _united_in(key, conjunctions)
            changed = changed or len(conjunctions) < before
    return conjunctions


def _united_in(key: str | ConceptDegree, conjunctions: list[Conjunction]) -> list[Conjunction]:
    """The same with those united that differ in one key only, where their cells unite to a cell."""
    united: list[Conjunction] = []
    alike: dict[frozenset[tuple[str | ConceptDegree, Cell]], list[int]] = {}
    for conjunction in conjunctions:
        cell = conjunction.get(key)
        if cell is None:
            united.append(conjunction)
            continue
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
