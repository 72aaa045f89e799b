"""Plain evaluation of an expression for an event: the reference for every faster matcher.

A predicate holds if and only if some value of its attribute passes (semantics: Events and subscriptions), or if
possibility and necessity reach its thresholds (semantics: Approximate matching). The Boolean result is computed
logically, the degree separately; `matches` computes only the Boolean result.
"""

from collections.abc import Callable, Iterator, Sequence
from math import fsum, prod

from rankcast.matching.joint import is_imprecise, questions_of
from rankcast.matching.outcomes import FAILED, HELD, Meaning, Outcome
from rankcast.matching.predicates import evaluate_predicate, passes
from rankcast.model import Always, And, Event, Expression, Is, Norm, Not, Or, Predicate


def tnorm(norm: Norm, degrees: Sequence[float]) -> float:
    """The degree of a conjunction.

    >>> [tnorm(norm, [0.5, 0.75]) for norm in Norm]
    [0.5, 0.375, 0.25]
    """
    match norm:
        case Norm.MIN:
            return min(degrees)
        case Norm.PRODUCT:
            return prod(degrees)
        case Norm.LUKASIEWICZ:
            return max(0.0, fsum(degrees) - (len(degrees) - 1))


def conorm(norm: Norm, degrees: Sequence[float]) -> float:
    """The degree of a disjunction: 1 - tnorm of the complements.

    >>> [conorm(norm, [0.5, 0.25]) for norm in Norm]
    [0.5, 0.625, 0.75]
    """
    match norm:
        case Norm.MIN:
            return max(degrees)
        case Norm.PRODUCT:
            total = 0.0
            for degree in degrees:
                total += degree * (1.0 - total)
            return total
        case Norm.LUKASIEWICZ:
            return min(1.0, fsum(degrees))


def evaluate(
    where: Expression, event: Event, meaning: Meaning, norm: Norm = Norm.MIN, shared: Meaning | None = None
) -> Outcome:
    """Whether the event matches, and to what degree.

    Parameters
    ----------
    where
        The expression.
    event
        The published event.
    meaning
        The meaning of concepts in `where`: the subscriber's own, or else the shared one.
    norm
        The t-norm for ``and``; its dual is used for ``or``. ``not`` gives 1 or 0.
    shared
        The shared meaning of concepts in the event; by default `meaning`.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> from rankcast.model import Is, LeftShoulder, Term
    >>> event = Event("e1", datetime(2004, 2, 13, tzinfo=UTC), {"price": (600,)})
    >>> evaluate(Predicate("price", Is(Term("cheap"))), event, lambda attribute, term: LeftShoulder(500, 900))
    Outcome(holds=True, possibility=0.75, necessity=0.75)
    """
    return _evaluated(where, event, meaning, norm, shared or meaning, is_imprecise(event))


def matches(where: Expression, event: Event, meaning: Meaning, shared: Meaning | None = None) -> bool:
    """Whether the event matches: `evaluate(…).holds` without degrees, stopping as soon as the result is known."""
    if is_imprecise(event):
        return _evaluated(where, event, meaning, Norm.MIN, shared or meaning, True).holds
    return matches_crisp(where, event, meaning)


def matches_crisp(where: Expression, event: Event, meaning: Meaning) -> bool:
    """Whether an event without imprecise values matches."""
    if isinstance(where, Predicate):
        value = event.attributes.get(where.attribute)
        if value is None:
            return False
        if isinstance(value, tuple) and not isinstance(where.test, Is):
            return passes(where.test, value)
        return evaluate_predicate(where, event, meaning).holds
    if isinstance(where, And):
        for part in where.parts:  # noqa: SIM110  # a generator costs as much as a predicate
            if not matches_crisp(part, event, meaning):
                return False
        return True
    if isinstance(where, Or):
        for part in where.parts:  # noqa: SIM110
            if matches_crisp(part, event, meaning):
                return True
        return False
    return isinstance(where, Always) or not matches_crisp(where.part, event, meaning)


def _evaluated(
    where: Expression, event: Event, meaning: Meaning, norm: Norm, shared: Meaning, is_soft: bool
) -> Outcome:
    """As `evaluate`; `is_soft` says whether the event has an imprecise value."""
    match where:
        case Predicate():
            return evaluate_predicate(where, event, meaning, shared)
        case And():
            degrees = []
            for outcome in _outcomes(where, event, meaning, norm, shared, is_soft):
                if not outcome.holds:
                    return FAILED
                if outcome is not HELD:  # 1 is neutral in every t-norm
                    degrees.append(outcome)
            return _aggregated(tnorm, norm, degrees) if degrees else HELD
        case Or():
            degrees = []
            for outcome in _outcomes(where, event, meaning, norm, shared, is_soft):
                if outcome is HELD:  # 1 in every dual, whatever the other parts are
                    return HELD
                if outcome.holds:
                    degrees.append(outcome)
            return _aggregated(conorm, norm, degrees) if degrees else FAILED
        case Not(part):
            return FAILED if _evaluated(part, event, meaning, norm, shared, is_soft).holds else HELD
        case Always():
            return HELD


def _outcomes(
    where: And | Or, event: Event, meaning: Meaning, norm: Norm, shared: Meaning, is_soft: bool
) -> Iterator[Outcome]:
    """The outcome of each part; predicates on one imprecise value are one part."""
    questions, parts = questions_of(where, event) if is_soft else ((), where.parts)
    for part in parts:
        yield _evaluated(part, event, meaning, norm, shared, is_soft)
    for question in questions:
        yield question.evaluate(meaning, shared)


def _aggregated(aggregate: Callable[[Norm, list[float]], float], norm: Norm, outcomes: list[Outcome]) -> Outcome:
    return Outcome(
        True,
        aggregate(norm, [outcome.possibility for outcome in outcomes]),
        aggregate(norm, [outcome.necessity for outcome in outcomes]),
    )
