"""Normal forms: an expression as a disjunction of conjunctions of cells."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from rankcast.cover.cells import ANY, Cell
from rankcast.cover.line import FULL
from rankcast.cover.literals import Conjunction, Meaning, asserted, denied, implied
from rankcast.model import Always, And, Expression, Is, Membership, Not, Or, Predicate, predicates_of

__all__ = ["NormalForm", "normal_form"]

MOST_CONJUNCTIONS = 256
_MOST_STEPS = 4096
_REMEMBERED = 8192

_EVERYTHING: Conjunction = {}
_DEGREES = Cell(numbers=FULL)


class _TooLarge(Exception):
    """More conjunctions than the normal form may have."""


class NormalForm:
    """What an expression matches, in a form in which two can be compared.

    `conjunctions` are satisfiable and together match what the expression matches; none at all means that no event
    does. Where there would be more than `MOST_CONJUNCTIONS` it is None, and the form only equals its like.
    """

    def __init__(self, expression: Expression, meaning: Meaning | None = None) -> None:
        self._expression = expression
        self._meaning = meaning
        self.conjunctions: tuple[Conjunction, ...] | None
        try:
            self.conjunctions = tuple(_disjuncts(expression, True, meaning))
        except _TooLarge:
            self.conjunctions = None

    def covers(self, other: "NormalForm") -> bool:
        """Whether every crisp event that matches the other matches this."""
        if self is other or other.conjunctions == ():
            return True
        if other.conjunctions is None:
            return self._is_everything or (self.conjunctions is None and self._text == other._text)
        if self.conjunctions is None:
            return False
        return all(self._has(conjunction) for conjunction in other.conjunctions)

    def disjoint(self, other: "NormalForm") -> bool:
        """Whether no crisp event matches both."""
        if self.conjunctions is None or other.conjunctions is None:
            return self.conjunctions == () or other.conjunctions == ()
        return not any(_meet(mine, others) for mine in self.conjunctions for others in other.conjunctions)

    @cached_property
    def _is_everything(self) -> bool:
        return self.conjunctions is not None and self._has(_EVERYTHING)

    @cached_property
    def _text(self) -> str:
        # Not `==` on expressions, to which 1, 1.0 and true are equal.
        meant = _memberships(self._expression, self._meaning)
        return f"{self._expression!r} {meant!r}"

    def _has(self, conjunction: Conjunction) -> bool:
        assert self.conjunctions is not None
        if any(_within(conjunction, mine) for mine in self.conjunctions):
            return True
        if len(self.conjunctions) < 2:
            return False
        return not _escapes(conjunction, self.conjunctions, [_MOST_STEPS])


def _within(small: Conjunction, large: Conjunction) -> bool:
    """Whether all that matches the one conjunction matches the other; exact."""
    for key, cell in large.items():
        if isinstance(key, str):
            mine = small.get(key, ANY)
            if mine is not cell and not mine.within(cell):
                return False
        elif not small.get(key, _DEGREES).numbers.within(cell.numbers) and (
            small.get(key.attribute, ANY) & implied(key, ~cell.numbers)
        ):
            return False
    return True


def _meet(a: Conjunction, b: Conjunction) -> bool:
    """Whether some event may match both."""
    return all(a[key] & cell for key, cell in b.items() if key in a)


def _joined(a: Conjunction, b: Conjunction) -> Conjunction | None:
    """What matches both; None if nothing can."""
    joined = dict(a)
    for key, cell in b.items():
        both = joined[key] & cell if key in joined else cell
        if not both:
            return None
        joined[key] = both
    return joined


def _escapes(conjunction: Conjunction, others: tuple[Conjunction, ...], steps: list[int]) -> bool:
    """Whether some event matches the conjunction and none of the others; yes if that takes too long to find out."""
    for i, other in enumerate(others):
        if not _meet(conjunction, other):
            continue
        for outside in _outside(other):
            steps[0] -= 1
            if steps[0] < 0:
                return True
            left = _joined(conjunction, outside)
            if left is not None and _escapes(left, others[i + 1 :], steps):
                return True
        return False
    return True


def _outside(conjunction: Conjunction) -> Iterator[Conjunction]:
    """Conjunctions that together match all that this one does not."""
    for key, cell in conjunction.items():
        if isinstance(key, str):
            for outside in cell.outside():
                yield {key: outside}
        else:
            levels = ~cell.numbers
            yield {key.attribute: implied(key, levels), key: Cell(numbers=levels)}


def _disjuncts(expression: Expression, holds: bool, meaning: Meaning | None) -> list[Conjunction]:
    match expression:
        case Always():
            return [_EVERYTHING] if holds else []
        case Not(part):
            return _disjuncts(part, not holds, meaning)
        case Predicate():
            if not holds:
                return denied(expression, meaning)
            conjunction = asserted(expression, meaning)
            return [] if conjunction is None else [conjunction]
        case And(parts) | Or(parts):
            if isinstance(expression, And) is holds:
                product = [_EVERYTHING]
                for part in parts:
                    factor = _disjuncts(part, holds, meaning)
                    product = _merged(joined for a in product for b in factor if (joined := _joined(a, b)) is not None)
                return product
            return _merged(conjunction for part in parts for conjunction in _disjuncts(part, holds, meaning))


def _merged(conjunctions: Iterable[Conjunction]) -> list[Conjunction]:
    kept = list(conjunctions)
    if len(kept) > MOST_CONJUNCTIONS:
        raise _TooLarge
    return kept


def _memberships(expression: Expression, meaning: Meaning | None) -> tuple[Membership, ...]:
    if meaning is None:
        return ()
    return tuple(
        meaning(predicate.attribute, predicate.test.term)
        for predicate in predicates_of(expression)
        if isinstance(predicate.test, Is)
    )


_forms: dict[tuple[int, tuple[Membership, ...]], tuple[Expression, NormalForm]] = {}


def normal_form(expression: Expression, meaning: Meaning | None = None) -> NormalForm:
    """The expression's normal form, made once for as long as it is among the last few thousand."""
    # By identity: to `==`, x = 1 and x = true are equal. By the functions, not by `meaning`, whose answers may change.
    key = id(expression), _memberships(expression, meaning)
    found = _forms.get(key)
    if found is not None and found[0] is expression:
        return found[1]
    form = NormalForm(expression, meaning)
    if len(_forms) >= _REMEMBERED:
        _forms.clear()
    _forms[key] = expression, form
    return form
