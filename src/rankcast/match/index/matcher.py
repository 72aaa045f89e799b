"""The index as a matcher: finds the same subscriptions and degrees as plain evaluation does."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.language import dumps, encode_record
from rankcast.match.index.building import Members, build
from rankcast.match.index.draft import Draft
from rankcast.match.index.index import Index
from rankcast.match.index.texts import Texts
from rankcast.match.oracle import evaluate
from rankcast.match.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import Catalog, Event, Is, Norm, Subscription, predicates_of

__all__ = ["IndexMatcher", "Pairs", "draft_of"]


class Pairs(NamedTuple):
    """Pairs of an event (its place in the batch) and a subscription (its place among those given), with the degree;
    by event, then by subscription."""

    event: NDArray[np.int64]
    subscription: NDArray[np.int64]
    degree: NDArray[np.float64]


class IndexMatcher:
    """Finds subscriptions through a compiled index; a matcher as `rankcast.match.OracleMatcher` is, with its results.

    Parameters
    ----------
    subscriptions
        What to match, in the order in which results come.
    meaning_of, norm_of, shared
        As of `OracleMatcher`.

    An event costs about as much as it has matches; imprecise events and vague subscriptions also one plain evaluation
    per candidate.
    """

    def __init__(
        self,
        subscriptions: Sequence[Subscription],
        meaning_of: Callable[[str], Meaning] = lambda user: NO_CONCEPTS,
        norm_of: Callable[[str], Norm] = lambda user: Norm.MIN,
        shared: Meaning = NO_CONCEPTS,
    ) -> None:
        self._subscriptions = list(subscriptions)
        self._meaning_of, self._norm_of, self._shared = meaning_of, norm_of, shared
        self.index = Index(build(*draft_of(self._subscriptions, meaning_of)))

    @classmethod
    def of_catalog(cls, subscriptions: Sequence[Subscription], catalog: Catalog) -> "IndexMatcher":
        """The matcher of some subscriptions of a catalog, with its concepts and policies."""
        return cls(
            subscriptions,
            meaning_of=lambda user: lambda attribute, term: catalog.membership(attribute, term, user),
            norm_of=lambda user: catalog.policy_of(user).norm,
            shared=catalog.membership,
        )

    def match(self, event: Event) -> Iterator[tuple[Subscription, float]]:
        """The subscriptions that the event matches, in order, with their degrees."""
        found = self.match_batch([event])
        for place, degree in zip(found.subscription.tolist(), found.degree.tolist(), strict=True):
            yield self._subscriptions[place], degree

    def match_batch(self, events: Sequence[Event]) -> Pairs:
        """All matches of the events."""
        found = self.index.candidates(self.index.encoder.encode(events, self._shared))
        degree = np.ones(len(found.event))
        unsure = np.flatnonzero(found.unsure)
        if not len(unsure):
            return Pairs(found.event, found.subscription, degree)
        keep = np.ones(len(degree), np.bool_)
        for i in unsure.tolist():
            subscription = self._subscriptions[found.subscription[i]]
            user = subscription.user
            outcome = evaluate(
                subscription.where, events[found.event[i]], self._meaning_of(user), self._norm_of(user), self._shared
            )
            keep[i], degree[i] = outcome.holds, outcome.possibility
        return Pairs(found.event[keep], found.subscription[keep], degree[keep])


def draft_of(
    subscriptions: Sequence[Subscription], meaning_of: Callable[[str], Meaning], keep_records: bool = False
) -> tuple[Draft, Members]:
    """The draft of an index over subscriptions, those that ask for the same sharing one expression; with `keep_records`
    the index can give the subscriptions back."""
    draft = Draft()
    numbers: dict[object, int] = {}
    owner, user, users = [], [], dict[str, int]()
    for subscription in subscriptions:
        where = subscription.where
        is_vague = any(isinstance(predicate.test, Is) for predicate in predicates_of(where))
        key = (where, subscription.user if is_vague else None)
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = draft.add(where, meaning_of(subscription.user))
        owner.append(number)
        user.append(users.setdefault(subscription.user, len(users)))
    scores = [np.nan if subscription.score is None else subscription.score for subscription in subscriptions]
    return draft, Members(
        ids=Texts.of(subscription.id for subscription in subscriptions),
        user=np.array(user, np.int32),
        users=Texts.of(users),
        scores=np.array(scores, np.float64),
        owner=np.array(owner, np.int64),
        records=Texts.of(dumps(encode_record(one)) for one in subscriptions) if keep_records else Texts.of(()),
    )
