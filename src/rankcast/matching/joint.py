"""The predicates of an ``and`` or ``or`` that ask about one unknown value, evaluated together.

See semantics: Several predicates on one value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.fuzzy import ValueCondition, joint_necessity, joint_possibility
from rankcast.matching.outcomes import FAILED, HELD, Meaning, Outcome
from rankcast.matching.predicates import TOLERANCE, degrees_of, distribution_of, least_of, reaches
from rankcast.model import And, Event, Exists, Expression, Is, Membership, Not, Or, Predicate, Term


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """At least two predicates on one attribute, whose value in the event is imprecise.

    With `joined_by` `And`, all of the `asserted` predicates must hold and none of the `denied` ones; with `Or`, one
    of the `asserted` ones.
    """

    attribute: str
    value: Membership | Term
    joined_by: type[And] | type[Or]
    asserted: tuple[Predicate, ...]
    denied: tuple[Predicate, ...] = ()

    def evaluate(self, meaning: Meaning, shared: Meaning) -> Outcome:
        """The outcome of all predicates together."""
        if self.joined_by is Or:
            return self._any(self.asserted, meaning, shared)
        if not self.asserted:  # nothing is asked for, so this is the plain negation of an `or`
            return FAILED if self._any(self.denied, meaning, shared).holds else HELD
        possibility, necessity = self.degrees(meaning, shared)
        return Outcome(True, possibility, necessity) if self._reached(possibility, meaning, shared) else FAILED

    def degrees(self, meaning: Meaning, shared: Meaning) -> tuple[float, float]:
        """Joint possibility and joint necessity, ignoring thresholds."""
        pi, hedges = distribution_of(self.attribute, self.value, shared)
        wanted = [_condition(predicate, meaning) for predicate in self.asserted]
        if self.joined_by is Or:
            possibility = max(self._single(predicate, meaning, shared)[0] for predicate in self.asserted)
            return possibility, joint_necessity(wanted, pi, hedges)
        unwanted = [_condition(predicate, meaning).complement() for predicate in self.denied]
        necessities = (necessity for _, necessity in self._singles(meaning, shared))
        return joint_possibility((*wanted, *unwanted), pi, hedges), min(necessities)

    def _reached(self, possibility: float, meaning: Meaning, shared: Meaning) -> bool:
        """Whether all hold: the joint possibility reaches the highest threshold, and each necessity its own."""
        if not (possibility > 0 and possibility >= self.least_possibility() - TOLERANCE):
            return False
        return all(
            single >= least_of(predicate).necessity - TOLERANCE
            for predicate, (_, single) in zip(
                (*self.asserted, *self.denied), self._singles(meaning, shared), strict=True
            )
        )

    def least_possibility(self) -> float:
        """The joint possibility that is needed: the highest threshold over ``and``, the lowest over ``or``."""
        levels = [least_of(predicate).possibility for predicate in (*self.asserted, *self.denied)]
        return max(levels) if self.joined_by is And else min(levels)

    def _any(self, predicates: Sequence[Predicate], meaning: Meaning, shared: Meaning) -> Outcome:
        """Whether one reaches its own thresholds, with the joint necessity in place of its own."""
        pi, hedges = distribution_of(self.attribute, self.value, shared)
        necessity = joint_necessity([_condition(predicate, meaning) for predicate in predicates], pi, hedges)
        singles = ((predicate, self._single(predicate, meaning, shared)[0]) for predicate in predicates)
        held = [possibility for predicate, possibility in singles if reaches(predicate, possibility, necessity)]
        return Outcome(True, max(held), necessity) if held else FAILED

    def _singles(self, meaning: Meaning, shared: Meaning) -> list[tuple[float, float]]:
        """The degrees of each predicate alone; those of a denied one are its complement's."""
        found = [self._single(predicate, meaning, shared) for predicate in self.asserted]
        for predicate in self.denied:
            possibility, necessity = self._single(predicate, meaning, shared)
            found.append((1.0 - necessity, 1.0 - possibility))
        return found

    def _single(self, predicate: Predicate, meaning: Meaning, shared: Meaning) -> tuple[float, float]:
        return degrees_of(predicate, self.value, meaning, shared)


def is_imprecise(event: Event) -> bool:
    """Whether some value of the event is imprecise."""
    return not all(isinstance(value, tuple) for value in event.attributes.values())


def questions_of(where: And | Or, event: Event) -> tuple[list[ValueQuestion], list[Expression]]:
    """The predicates that ask about one imprecise value of the event, and all other parts.

    Parts joined by the same word count as parts of `where` itself, and so do those of ``not (… or …)`` in an ``and``.
    `exists` asks nothing about the value.
    """
    joined_by = type(where)
    asked: dict[str, tuple[list[Predicate], list[Predicate]]] = {}
    literals: dict[str, list[Expression]] = {}
    rest: list[Expression] = []
    pending: list[tuple[Expression, bool]] = [(part, False) for part in reversed(where.parts)]
    while pending:
        part, is_denied = pending.pop()
        if isinstance(part, Not) and (is_denied or joined_by is And or isinstance(part.part, Not)):
            pending.append((part.part, not is_denied))
        elif isinstance(part, Or if is_denied else joined_by):
            pending.extend((one, is_denied) for one in reversed(part.parts))
        elif isinstance(part, Predicate) and not isinstance(part.test, Exists) and _is_unknown(part, event):
            asked.setdefault(part.attribute, ([], []))[is_denied].append(part)
            literals.setdefault(part.attribute, []).append(Not(part) if is_denied else part)
        else:
            rest.append(Not(part) if is_denied else part)
    questions = []
    for attribute, (asserted, denied) in asked.items():
        value = event.attributes[attribute]
        if len(literals[attribute]) > 1 and not isinstance(value, tuple):
            questions.append(ValueQuestion(attribute, value, joined_by, tuple(asserted), tuple(denied)))
        else:
            rest += literals[attribute]
    return questions, rest


def _is_unknown(predicate: Predicate, event: Event) -> bool:
    value = event.attributes.get(predicate.attribute)
    return value is not None and not isinstance(value, tuple)


def _condition(predicate: Predicate, meaning: Meaning) -> ValueCondition:
    test = predicate.test
    if isinstance(test, Is):
        return ValueCondition(meaning(predicate.attribute, test.term), test.term.hedges)
    assert not isinstance(test, Exists)
    return ValueCondition(test)
