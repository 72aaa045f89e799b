"""Normal forms: the events that an expression matches, in a comparable form."""

from functools import cached_property

from rankcast.cover.conjunctions import EVERYTHING, ComparisonBudget, Conjunction, escapes, meet, within
from rankcast.cover.disjunctions import TooLarge, disjuncts
from rankcast.cover.literals import Meaning
from rankcast.model import And, Expression, Is, Membership, Not, Or, predicates_of

MOST_COMPARISONS = 10_000
_REMEMBERED = 8192


class NormalForm:
    """The events that an expression matches, as a disjunction of conjunctions of cells.

    `conjunctions` are satisfiable; the tuple is empty if and only if no event matches. It is None if there would be
    too many (see `disjunctions`). The form then covers only an equal expression and one that nothing matches.

    >>> from rankcast.language import parse
    >>> normal_form(parse("x >= 1 and x <= 5")).covers(normal_form(parse("x in (2, 3)")))
    True
    """

    def __init__(self, expression: Expression, meaning: Meaning | None = None) -> None:
        self._expression = expression
        self._meant = _memberships(expression, meaning)
        self.conjunctions: tuple[Conjunction, ...] | None
        try:
            self.conjunctions = disjuncts(expression, meaning)
        except TooLarge:
            self.conjunctions = None

    def covers(self, other: "NormalForm", comparisons: int = MOST_COMPARISONS) -> bool:
        """Whether every crisp event that matches the other matches this.

        Exact if this is one conjunction: O(predicates). A disjunction covers a conjunction if one of its parts does,
        or if all parts together do. The search for the latter makes at most `comparisons` comparisons and then gives
        up with False.
        """
        if self is other or other.conjunctions == ():
            return True
        if other.conjunctions is None:
            return self._covers_everything or (self.conjunctions is None and self._spelling == other._spelling)
        return self.conjunctions is not None and self._covers(other.conjunctions, comparisons)

    def disjoint(self, other: "NormalForm") -> bool:
        """Whether no crisp event matches both."""
        if self.conjunctions is None or other.conjunctions is None:
            return self.conjunctions == () or other.conjunctions == ()
        return not any(meet(mine, others) for mine in self.conjunctions for others in other.conjunctions)

    def _covers(self, conjunctions: tuple[Conjunction, ...], comparisons: int = MOST_COMPARISONS) -> bool:
        mine = self.conjunctions or ()
        if len(mine) == 1:
            return all(within(conjunction, mine[0]) for conjunction in conjunctions)
        budget = ComparisonBudget(comparisons)
        return not any(escapes(conjunction, mine, budget) for conjunction in conjunctions)

    @cached_property
    def _covers_everything(self) -> bool:
        return self.conjunctions is not None and self._covers((EVERYTHING,))

    @cached_property
    def _spelling(self) -> tuple[list[object], tuple[Membership, ...]]:
        """A key that is equal for equal expressions of any depth. Comparing the expressions would recurse."""
        spelled: list[object] = []
        pending = [self._expression]
        while pending:
            match pending.pop():
                case And(parts) | Or(parts) as joint:
                    spelled.append((type(joint), len(parts)))
                    pending.extend(reversed(parts))
                case Not(part):
                    spelled.append(Not)
                    pending.append(part)
                case leaf:
                    spelled.append(leaf)
        return spelled, self._meant


_forms: dict[tuple[int, tuple[Membership, ...]], tuple[Expression, NormalForm]] = {}


def normal_form(expression: Expression, meaning: Meaning | None = None) -> NormalForm:
    """The normal form of an expression. The last few thousand are cached.

    `meaning` gives the concepts of ``is``; without it, each concept is a set of unknown values. Raises what `meaning`
    raises for an unknown concept.
    """
    # Cached by identity, because hashing an expression takes longer than comparing two forms; and by the membership
    # functions rather than by `meaning`, because its answers may change.
    key = id(expression), _memberships(expression, meaning)
    found = _forms.get(key)
    if found is not None and found[0] is expression:
        return found[1]
    if len(_forms) >= _REMEMBERED:
        _forms.clear()
    _forms[key] = expression, (form := NormalForm(expression, meaning))
    return form


def _memberships(expression: Expression, meaning: Meaning | None) -> tuple[Membership, ...]:
    if meaning is None:
        return ()
    return tuple(
        meaning(predicate.attribute, predicate.test.term)
        for predicate in predicates_of(expression)
        if isinstance(predicate.test, Is)
    )
