"""The index as a matcher: finds the same subscriptions and degrees as plain evaluation."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from rankcast.engine.index.building import IndexedSubscriptions, build
from rankcast.engine.index.draft import Draft
from rankcast.engine.index.index import Index
from rankcast.engine.index.questions import Senses
from rankcast.engine.index.segments import IndexSegment
from rankcast.engine.index.texts import PackedStrings
from rankcast.language import dumps, encode_record
from rankcast.matching.batch import Matches
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import Catalog, Event, Is, Norm, Subscription, predicates_of


class IndexMatcher:
    """Finds subscriptions through a compiled index.

    It has the interface and the results of `rankcast.matching.OracleMatcher`.

    Parameters
    ----------
    subscriptions
        The subscriptions to match, in the order of the results.
    meaning_of, norm_of, shared
        As in `OracleMatcher`.

    The cost of an event is roughly proportional to its matches. Vague predicates cost more; see `Questions`.
    """

    def __init__(
        self,
        subscriptions: Sequence[Subscription],
        meaning_of: Callable[[str], Meaning] = lambda user: NO_CONCEPTS,
        norm_of: Callable[[str], Norm] = lambda user: Norm.MIN,
        shared: Meaning = NO_CONCEPTS,
    ) -> None:
        self._subscriptions = list(subscriptions)
        self._senses = Senses(meaning_of, norm_of, shared)
        draft, members = draft_of(self._subscriptions, meaning_of)
        self._segment = IndexSegment(build(draft, members), self._subscriptions)
        is_vague = np.frombuffer(draft.owner_flags, np.int8) if draft.owner_flags else np.zeros(0, np.int8)
        self._segment.look_at(np.flatnonzero(is_vague[members.owner]), self._senses)

    @property
    def index(self) -> Index:
        """The compiled index."""
        return self._segment.index

    @classmethod
    def of_catalog(cls, subscriptions: Sequence[Subscription], catalog: Catalog) -> "IndexMatcher":
        """A matcher for some subscriptions of a catalog, with its concepts and policies."""
        senses = Senses.of_catalog(catalog)
        return cls(subscriptions, senses.meaning_of, senses.norm_of, senses.shared)

    def match(self, event: Event) -> Iterator[tuple[Subscription, float]]:
        """The matching subscriptions in order, with their degrees."""
        found = self.match_batch([event])
        for place, degree in zip(found.subscription.tolist(), found.degree.tolist(), strict=True):
            yield self._subscriptions[place], degree

    def match_batch(self, events: Sequence[Event]) -> Matches:
        """All matches of the events."""
        return self._segment.match_batch(events, self._senses)


def draft_of(
    subscriptions: Sequence[Subscription], meaning_of: Callable[[str], Meaning], keep_records: bool = False
) -> tuple[Draft, IndexedSubscriptions]:
    """The draft of an index over subscriptions.

    Equal expressions with equal meanings are shared. With `keep_records`, the index can return the subscriptions.
    """
    draft = Draft()
    numbers: dict[object, int] = {}
    owner, user, users = [], [], dict[str, int]()
    for subscription in subscriptions:
        where = subscription.where
        terms = [(one.attribute, one.test.term) for one in predicates_of(where) if isinstance(one.test, Is)]
        meaning = meaning_of(subscription.user)
        key = (where, *(meaning(attribute, term) for attribute, term in terms)) if terms else where
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = draft.add(where, meaning)
        owner.append(number)
        user.append(users.setdefault(subscription.user, len(users)))
    scores = [np.nan if subscription.score is None else subscription.score for subscription in subscriptions]
    return draft, IndexedSubscriptions(
        ids=PackedStrings.of(subscription.id for subscription in subscriptions),
        user=np.array(user, np.int32),
        users=PackedStrings.of(users),
        scores=np.array(scores, np.float64),
        owner=np.array(owner, np.int64),
        records=PackedStrings.of(dumps(encode_record(one)) for one in subscriptions)
        if keep_records
        else PackedStrings.of(()),
    )
