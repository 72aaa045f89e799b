"""Scorers: how relevant a subscription is to a publication, with bounds known in advance.

See semantics: Producer-side top-k.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol, TypeAlias

from rankcast.cover import normal_form
from rankcast.cover.literals import Meaning
from rankcast.model import Advertisement, Catalog, Event, ScorerName, Subscription
from rankcast.overlay.extent import AdvertisedSpace, Extent, extent
from rankcast.overlay.functions import Score, registered_scorer
from rankcast.rank import scores_of

MeaningOf: TypeAlias = Callable[[str | None], Meaning | None]
"""Gives the meanings of concepts for a user; None stands for everybody."""


class Scorer(Protocol):
    """Scores a subscription for a publication that matches it, and bounds that score in advance.

    `bounds` makes covering possible under a ranking. If the lowest score of one subscription is above the highest of
    another, the first outranks the second on every publication that matches both. A scorer that knows no bounds
    returns infinite ones, and then nothing can be proved.
    """

    def score(self, event: Event, subscription: Subscription, degree: float) -> Score:
        """The score; `degree` is the degree of the match."""

    def bounds(self, subscription: Subscription) -> tuple[Score, Score]:
        """The lowest and the highest score of the subscription over all publications."""


class _Fixed(ABC):
    """A score that does not depend on the publication."""

    def score(self, event: Event, subscription: Subscription, degree: float) -> Score:
        """The score; the same for every publication."""
        return self.fixed(subscription)

    def bounds(self, subscription: Subscription) -> tuple[Score, Score]:
        """The score, twice."""
        fixed = self.fixed(subscription)
        return fixed, fixed

    @abstractmethod
    def fixed(self, subscription: Subscription) -> Score:
        """The score of the subscription."""


class Area(_Fixed):
    """How much of the advertised space a subscription admits; larger is more relevant (see `extent`).

    A subscription is measured once, in O(its predicates).
    """

    def __init__(self, advertisement: Advertisement, meaning_of: MeaningOf = lambda user: None) -> None:
        self._space = AdvertisedSpace(advertisement.where, meaning_of(None))
        self._meaning_of = meaning_of
        self._known: dict[int, tuple[Subscription, Extent]] = {}

    def fixed(self, subscription: Subscription) -> Score:
        """(order, amount) of its extent."""
        known = self._known.get(id(subscription))
        if known is None or known[0] is not subscription:
            form = normal_form(subscription.where, self._meaning_of(subscription.user))
            known = subscription, extent(form, self._space)
            self._known[id(subscription)] = known
        return known[1]


class Selectivity(Area):
    """The share of the advertised space that a subscription admits; in 0..1 if the space is bounded.

    It orders like `Area`, and is comparable between advertisements.
    """

    def fixed(self, subscription: Subscription) -> Score:
        """(order, amount) of its extent, relative to the extent of the space."""
        order, amount = super().fixed(subscription)
        whole = self._space.extent
        return order - whole.order, amount / whole.amount if whole.amount else 0.0


class PreferenceScore(_Fixed):
    """The user's score of the subscription, or the score of its preference level (semantics: Preference)."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._scores: dict[str, dict[str, float]] = {}

    def fixed(self, subscription: Subscription) -> Score:
        """The preference score. A subscription that is not in the catalog has its own score, or 1."""
        user, catalog = subscription.user, self._catalog
        if user not in self._scores:
            self._scores[user] = scores_of(catalog, user)
        own = 1.0 if subscription.score is None else subscription.score
        return (round(self._scores[user].get(subscription.id, own), 12),)


class Weight(_Fixed):
    """The weight of the subscription."""

    def fixed(self, subscription: Subscription) -> Score:
        """The weight."""
        return (subscription.weight,)


class MatchDegree:
    """The degree of the match. It depends on the publication, so it is not known in advance."""

    def score(self, event: Event, subscription: Subscription, degree: float) -> Score:
        """The degree."""
        return (round(degree, 12),)

    def bounds(self, subscription: Subscription) -> tuple[Score, Score]:
        """From 0 to 1."""
        return (0.0,), (1.0,)


def scorer_of(catalog: Catalog, advertisement: Advertisement, name: ScorerName | None = None) -> Scorer:
    """The scorer that an advertisement asks for, or the one with the given name."""
    if name is None and advertisement.function is not None:
        return registered_scorer(advertisement.function)
    match name or advertisement.score:
        case ScorerName.AREA:
            return Area(advertisement, catalog.meaning_of)
        case ScorerName.SELECTIVITY:
            return Selectivity(advertisement, catalog.meaning_of)
        case ScorerName.PREFERENCE:
            return PreferenceScore(catalog)
        case ScorerName.DEGREE:
            return MatchDegree()
        case ScorerName.WEIGHT:
            return Weight()
