"""Plain evaluation of an expression for an event: the reference for every faster matcher.

A predicate holds if and only if some value of its attribute passes (semantics: Events and subscriptions), or if
possibility and necessity reach its thresholds (semantics: Approximate matching). The Boolean result is computed
logically, the degree separately; `matches` computes only the Boolean result.
"""

from collections.abc import Callable

from rankcast.fuzzy import degree, possibility_necessity, set_possibility_necessity
from rankcast.matching.crisp import passes
from rankcast.matching.norms import conorm, tnorm
from rankcast.matching.outcomes import FAILED, HELD, Meaning, Outcome
from rankcast.model import (
    Always,
    And,
    AttributeValue,
    Event,
    Exists,
    Expression,
    Is,
    Norm,
    Not,
    Or,
    Predicate,
    Term,
    Thresholds,
)

__all__ = ["degrees_of", "evaluate", "evaluate_predicate", "matches", "reaches"]

_TOLERANCE = 1e-9
"""The accuracy of degrees. A degree that misses its threshold by at most this still reaches it."""

_DEFAULT = Thresholds()


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
    >>> from rankcast.model import LeftShoulder
    >>> event = Event("e1", datetime(2004, 2, 13, tzinfo=UTC), {"price": (600,)})
    >>> evaluate(Predicate("price", Is(Term("cheap"))), event, lambda attribute, term: LeftShoulder(500, 900))
    Outcome(holds=True, possibility=0.75, necessity=0.75)
    """
    match where:
        case Predicate():
            return evaluate_predicate(where, event, meaning, shared)
        case And(parts):
            degrees = []
            for part in parts:
                outcome = evaluate(part, event, meaning, norm, shared)
                if not outcome.holds:
                    return FAILED
                if outcome is not HELD:  # 1 is neutral in every t-norm
                    degrees.append(outcome)
            return _aggregated(tnorm, norm, degrees) if degrees else HELD
        case Or(parts):
            degrees = []
            for part in parts:
                outcome = evaluate(part, event, meaning, norm, shared)
                if outcome is HELD:  # 1 in every dual, whatever the other parts are
                    return HELD
                if outcome.holds:
                    degrees.append(outcome)
            return _aggregated(conorm, norm, degrees) if degrees else FAILED
        case Not(part):
            return FAILED if matches(part, event, meaning, shared) else HELD
        case Always():
            return HELD


def matches(where: Expression, event: Event, meaning: Meaning, shared: Meaning | None = None) -> bool:
    """Whether the event matches: `evaluate(…).holds` without degrees, stopping as soon as the result is known."""
    if isinstance(where, Predicate):
        value = event.attributes.get(where.attribute)
        if value is None:
            return False
        if isinstance(value, tuple) and not isinstance(where.test, Is):
            return passes(where.test, value)
        return evaluate_predicate(where, event, meaning, shared).holds
    if isinstance(where, And):
        for part in where.parts:  # noqa: SIM110  # a generator costs as much as a predicate
            if not matches(part, event, meaning, shared):
                return False
        return True
    if isinstance(where, Or):
        for part in where.parts:  # noqa: SIM110
            if matches(part, event, meaning, shared):
                return True
        return False
    return isinstance(where, Always) or not matches(where.part, event, meaning, shared)


def evaluate_predicate(predicate: Predicate, event: Event, meaning: Meaning, shared: Meaning | None = None) -> Outcome:
    """The outcome of one predicate; degrees below its thresholds count as 0."""
    value = event.attributes.get(predicate.attribute)
    if value is None:
        return FAILED
    if isinstance(value, tuple) and not isinstance(predicate.test, Is):
        return HELD if passes(predicate.test, value) else FAILED
    possibility, necessity = degrees_of(predicate, value, meaning, shared or meaning)
    return Outcome(True, possibility, necessity) if reaches(predicate, possibility, necessity) else FAILED


def degrees_of(predicate: Predicate, value: AttributeValue, meaning: Meaning, shared: Meaning) -> tuple[float, float]:
    """Possibility and necessity of a predicate for the value of its attribute, ignoring thresholds."""
    attribute, test = predicate.attribute, predicate.test
    if isinstance(value, tuple):
        if isinstance(test, Is):
            mu = meaning(attribute, test.term)
            best = max(degree(mu, test.term.hedges, each) for each in value)
        else:
            best = 1.0 if passes(test, value) else 0.0
        return best, best
    if isinstance(test, Exists):
        return 1.0, 1.0
    pi, hedges = (shared(attribute, value), value.hedges) if isinstance(value, Term) else (value, ())
    if isinstance(test, Is):
        return possibility_necessity(meaning(attribute, test.term), test.term.hedges, pi, hedges)
    return set_possibility_necessity(test, pi, hedges)


def reaches(predicate: Predicate, possibility: float, necessity: float) -> bool:
    """Whether possibility and necessity reach the thresholds of the predicate."""
    least = predicate.thresholds or _DEFAULT
    return (
        possibility > 0 and possibility >= least.possibility - _TOLERANCE and necessity >= least.necessity - _TOLERANCE
    )


def _aggregated(aggregate: Callable[[Norm, list[float]], float], norm: Norm, outcomes: list[Outcome]) -> Outcome:
    return Outcome(
        True,
        aggregate(norm, [outcome.possibility for outcome in outcomes]),
        aggregate(norm, [outcome.necessity for outcome in outcomes]),
    )
