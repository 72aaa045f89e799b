"""The interface for matching all subscriptions against one event."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from rankcast.matching.joint import is_imprecise
from rankcast.matching.oracle import evaluate, matches_crisp
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import Catalog, Event, Expression, Is, Norm, Subscription, predicates_of


class Matcher(Protocol):
    """Finds the subscriptions that an event matches.

    A matcher serves a fixed set of subscriptions. All matchers return the same subscriptions and degrees, and their
    results do not depend on earlier events.
    """

    def match(self, event: Event) -> Iterable[tuple[Subscription, float]]:
        """The matching subscriptions in their given order, with degrees.

        The degree is the possibility, or 1 if everything is crisp.
        """


class _Question(NamedTuple):
    """An expression with everything that its outcome depends on besides the event."""

    where: Expression
    meaning: Meaning
    norm: Norm
    is_crisp: bool


class _Text(NamedTuple):
    """An expression as text, and whether it names no concepts."""

    where: Expression
    text: str
    is_crisp: bool


class OracleMatcher:
    """The reference matcher: evaluates each distinct question once per event.

    Parameters
    ----------
    subscriptions
        The subscriptions to match, in the order of the results.
    meaning_of
        The meaning of concepts for a user.
    norm_of
        The t-norm of a user, which aggregates degrees.
    shared
        The shared meaning of concepts, which always applies to concepts in events.
    before
        A matcher for mostly the same subscriptions, which saves most of the time to make this one.

    Equal subscriptions without concepts share one question across users; with concepts, they share it only within one
    user. An event costs O(questions + subscriptions).
    """

    def __init__(
        self,
        subscriptions: Iterable[Subscription],
        meaning_of: Callable[[str], Meaning] = lambda user: NO_CONCEPTS,
        norm_of: Callable[[str], Norm] = lambda user: Norm.MIN,
        shared: Meaning = NO_CONCEPTS,
        before: "OracleMatcher | None" = None,
    ) -> None:
        self._shared = shared
        self._questions: list[_Question] = []
        self._asked: list[tuple[Subscription, int]] = []
        self._texts: dict[str, _Text] = {}
        known = {} if before is None else before._texts
        norms: dict[str, Norm] = {}
        numbers: dict[tuple[str, str | None, Norm], int] = {}
        for subscription in subscriptions:
            where, user = subscription.where, subscription.user
            text = known.get(subscription.id)
            if text is None or text.where is not where:
                text = _text_of(where)
            self._texts[subscription.id] = text
            norm = norms.get(user)
            if norm is None:
                norm = norms[user] = norm_of(user)
            # Keyed by text, because `x = 1` and `x = true` are equal in Python but not in
            # semantics: Events and subscriptions.
            number = numbers.setdefault((text.text, None if text.is_crisp else user, norm), len(self._questions))
            if number == len(self._questions):
                self._questions.append(_Question(where, meaning_of(user), norm, text.is_crisp))
            self._asked.append((subscription, number))

    @classmethod
    def of(
        cls,
        catalog: Catalog,
        subscriptions: Iterable[Subscription] | None = None,
        before: "OracleMatcher | None" = None,
    ) -> "OracleMatcher":
        """A matcher for a catalog's subscriptions (by default all), with its concepts and its users' norms."""
        asked = catalog.subscriptions.values() if subscriptions is None else subscriptions
        return cls(asked, catalog.meaning_of, lambda user: catalog.policy_of(user).norm, catalog.membership, before)

    def match(self, event: Event) -> Iterator[tuple[Subscription, float]]:
        """The matching subscriptions in order, with their degrees."""
        is_crisp = not is_imprecise(event)
        answers = [self._answer(question, event, is_crisp) for question in self._questions]
        for subscription, number in self._asked:
            degree = answers[number]
            if degree is not None:
                yield subscription, degree

    def _answer(self, question: _Question, event: Event, is_crisp: bool) -> float | None:
        """The degree, or None if the expression does not hold."""
        if is_crisp and question.is_crisp:
            return 1.0 if matches_crisp(question.where, event, question.meaning) else None
        outcome = evaluate(question.where, event, question.meaning, question.norm, self._shared)
        return outcome.possibility if outcome.holds else None


def _text_of(where: Expression) -> _Text:
    return _Text(where, repr(where), not any(isinstance(predicate.test, Is) for predicate in predicates_of(where)))
