"""The interface for matching all subscriptions against one event."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from rankcast.matching.oracle import evaluate, matches
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import Catalog, Event, Expression, Is, Norm, Subscription, predicates_of

__all__ = ["Matcher", "OracleMatcher"]


class Matcher(Protocol):
    """Finds the subscriptions that an event matches.

    A matcher serves a fixed set of subscriptions. All matchers return the same subscriptions and degrees, and their
    results do not depend on earlier events.
    """

    def match(self, event: Event) -> Iterable[tuple[Subscription, float]]:
        """The matching subscriptions in their given order, with degrees.

        The degree is the possibility, or 1 if everything is crisp.
        """


@dataclass(frozen=True, slots=True)
class _Question:
    """An expression with everything that its outcome depends on besides the event."""

    where: Expression
    meaning: Meaning
    norm: Norm
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

    Equal subscriptions without concepts share one question across users; with concepts, they share it only within one
    user. An event costs O(questions + subscriptions).
    """

    def __init__(
        self,
        subscriptions: Iterable[Subscription],
        meaning_of: Callable[[str], Meaning] = lambda user: NO_CONCEPTS,
        norm_of: Callable[[str], Norm] = lambda user: Norm.MIN,
        shared: Meaning = NO_CONCEPTS,
    ) -> None:
        self._shared = shared
        self._questions: list[_Question] = []
        self._asked: list[tuple[Subscription, int]] = []
        numbers: dict[tuple[str, str | None, Norm], int] = {}
        for subscription in subscriptions:
            where, user = subscription.where, subscription.user
            is_crisp = not any(isinstance(predicate.test, Is) for predicate in predicates_of(where))
            norm = norm_of(user)
            # Keyed by text, because `x = 1` and `x = true` are equal in Python but not in
            # semantics: Events and subscriptions.
            number = numbers.setdefault((repr(where), None if is_crisp else user, norm), len(self._questions))
            if number == len(self._questions):
                self._questions.append(_Question(where, meaning_of(user), norm, is_crisp))
            self._asked.append((subscription, number))

    @classmethod
    def of(cls, catalog: Catalog, subscriptions: Iterable[Subscription] | None = None) -> "OracleMatcher":
        """A matcher for a catalog's subscriptions (by default all), with its concepts and its users' norms."""
        asked = catalog.subscriptions.values() if subscriptions is None else subscriptions
        return cls(asked, catalog.meaning_of, lambda user: catalog.policy_of(user).norm, catalog.membership)

    def match(self, event: Event) -> Iterator[tuple[Subscription, float]]:
        """The matching subscriptions in order, with their degrees."""
        is_crisp = all(isinstance(value, tuple) for value in event.attributes.values())
        answers = [self._answer(question, event, is_crisp) for question in self._questions]
        for subscription, number in self._asked:
            degree = answers[number]
            if degree is not None:
                yield subscription, degree

    def _answer(self, question: _Question, event: Event, is_crisp: bool) -> float | None:
        """The degree, or None if the expression does not hold."""
        if is_crisp and question.is_crisp:
            return 1.0 if matches(question.where, event, question.meaning, self._shared) else None
        outcome = evaluate(question.where, event, question.meaning, question.norm, self._shared)
        return outcome.possibility if outcome.holds else None
