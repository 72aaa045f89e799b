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


class _Text(NamedTuple):
    """An expression as text, and whether it names no concepts."""

    where: Expression
    text: str
    is_crisp: bool


class _Question(NamedTuple):
    """An expression with everything that its outcome depends on besides the event."""

    asked: _Text
    meaning: Meaning
    norm: Norm


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
        crisp: dict[Norm, dict[str, int]] = {}
        crisp_of: dict[str, dict[str, int]] = {}
        """For each user, the numbers of crisp questions with the user's norm."""
        vague: dict[tuple[str, str], int] = {}
        for subscription in subscriptions:
            user = subscription.user
            text = known.get(subscription.id)
            if text is None or text.where is not subscription.where:
                text = _text_of(subscription.where)
            self._texts[subscription.id] = text
            numbers = crisp_of.get(user)
            if numbers is None:
                norm = norms[user] = norm_of(user)
                numbers = crisp_of[user] = crisp.setdefault(norm, {})
            # Keyed by text, because `x = 1` and `x = true` are equal in Python but not in
            # semantics: Events and subscriptions.
            number = numbers.get(text.text) if text.is_crisp else vague.get((user, text.text))
            if number is None:
                number = len(self._questions)
                if text.is_crisp:
                    numbers[text.text] = number
                    meaning = NO_CONCEPTS
                else:
                    vague[user, text.text] = number
                    meaning = meaning_of(user)
                self._questions.append(_Question(text, meaning, norms[user]))
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
        (where, _, asks_no_concepts), meaning, norm = question
        if is_crisp and asks_no_concepts:
            return 1.0 if matches_crisp(where, event, meaning) else None
        outcome = evaluate(where, event, meaning, norm, self._shared)
        return outcome.possibility if outcome.holds else None


def _text_of(where: Expression) -> _Text:
    return _Text(where, repr(where), not any(isinstance(predicate.test, Is) for predicate in predicates_of(where)))
