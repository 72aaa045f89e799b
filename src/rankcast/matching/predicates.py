"""Plain evaluation of one predicate: its degrees, and whether they reach its thresholds."""

from rankcast.fuzzy import degree, possibility_necessity, set_possibility_necessity
from rankcast.matching.crisp import passes
from rankcast.matching.outcomes import FAILED, HELD, Meaning, Outcome
from rankcast.model import AttributeValue, Event, Exists, Hedge, Is, Membership, Predicate, Term, Thresholds, is_list

TOLERANCE = 1e-9
"""The accuracy of degrees. A degree that misses its threshold by at most this still reaches it."""

_DEFAULT = Thresholds()


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
            best = 0.0 if is_list(value) else max(degree(mu, test.term.hedges, each) for each in value)
        else:
            best = 1.0 if passes(test, value) else 0.0
        return best, best
    if isinstance(test, Exists):
        return 1.0, 1.0
    pi, hedges = distribution_of(attribute, value, shared)
    if isinstance(test, Is):
        return possibility_necessity(meaning(attribute, test.term), test.term.hedges, pi, hedges)
    return set_possibility_necessity(test, pi, hedges)


def distribution_of(attribute: str, value: Membership | Term, shared: Meaning) -> tuple[Membership, tuple[Hedge, ...]]:
    """The possibility distribution of an imprecise value, with its hedges."""
    return (shared(attribute, value), value.hedges) if isinstance(value, Term) else (value, ())


def reaches(predicate: Predicate, possibility: float, necessity: float) -> bool:
    """Whether possibility and necessity reach the thresholds of the predicate."""
    least = least_of(predicate)
    return possibility > 0 and possibility >= least.possibility - TOLERANCE and necessity >= least.necessity - TOLERANCE


def least_of(predicate: Predicate) -> Thresholds:
    """The thresholds of a predicate: its own, or the defaults."""
    return predicate.thresholds or _DEFAULT
