"""The interface for matching all subscriptions against one event."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import is_
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
        self._subscriptions = list(subscriptions)
        self._questions: list[_Question] = []
        self._numbers: list[int] = []
        """The number of the question of each subscription."""
        self._texts: dict[str, _Text] = {}
        self._norms: dict[str, Norm] = {}
        self._crisp: dict[Norm, dict[str, int]] = {}
        """The numbers of crisp questions, by norm and text."""
        self._vague: dict[tuple[str, str], int] = {}
        known = {} if before is None else before._texts
        if before is not None and before._begins(self._subscriptions, norm_of):
            self._questions, self._numbers, self._texts = [*before._questions], [*before._numbers], {**known}
            self._norms = {**before._norms}
            self._crisp = {norm: {**numbers} for norm, numbers in before._crisp.items()}
        questions, numbers, texts = self._questions, self._numbers, self._texts
        crisp_of = {user: self._crisp[norm] for user, norm in self._norms.items()}
        for subscription in self._subscriptions[len(numbers) :]:
            text = known.get(subscription.id)
            if text is None or text.where is not subscription.where:
                text = _text_of(subscription.where)
            texts[subscription.id] = text
            user = subscription.user
            if user not in crisp_of:
                norm = self._norms[user] = norm_of(user)
                crisp_of[user] = self._crisp.setdefault(norm, {})
            # Keyed by text, because `x = 1` and `x = true` are equal in Python but not in
            # semantics: Events and subscriptions.
            number = crisp_of[user].get(text.text) if text.is_crisp else self._vague.get((user, text.text))
            if number is None:
                number = len(questions)
                if text.is_crisp:
                    crisp_of[user][text.text] = number
                    meaning = NO_CONCEPTS
                else:
                    self._vague[user, text.text] = number
                    meaning = meaning_of(user)
                questions.append(_Question(text, meaning, self._norms[user]))
            numbers.append(number)

    def _begins(self, subscriptions: Sequence[Subscription], norm_of: Callable[[str], Norm]) -> bool:
        """Whether these subscriptions begin with all of this matcher, and ask the same questions."""
        mine = self._subscriptions
        if self._vague or len(mine) > len(subscriptions) or not all(map(is_, mine, subscriptions)):
            return False
        return all(norm_of(user) is norm for user, norm in self._norms.items())

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
        for subscription, number in zip(self._subscriptions, self._numbers, strict=True):
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
