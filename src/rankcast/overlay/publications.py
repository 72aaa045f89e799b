"""Publications under an advertisement: whether they may be, and to whom they may go (semantics: Producer-side top-k)."""

from collections.abc import Sequence

from rankcast.errors import CatalogError, did_you_mean
from rankcast.language import show
from rankcast.matching import matches as holds
from rankcast.model import Advertisement, Catalog, Event
from rankcast.overlay.recipients import Matched, recipients
from rankcast.overlay.scorers import Scorer, meanings_of, scorer_of

__all__ = ["Admission", "admitted", "advertisement_of", "check_publication"]


def advertisement_of(catalog: Catalog, name: str) -> Advertisement:
    """The advertisement with this id; CatalogError if there is none."""
    try:
        return catalog.advertisements[name]
    except KeyError:
        near = did_you_mean(name, catalog.advertisements)
        raise CatalogError(f"there is no advertisement {name!r}{near}") from None


def check_publication(catalog: Catalog, event: Event) -> None:
    """Raise CatalogError if the event names an advertisement that there is not, asks for a larger k than that has, or
    lies outside the advertised space. An event without advertisement passes."""
    if event.advertisement is None:
        return
    advertisement = advertisement_of(catalog, event.advertisement)
    if event.k is not None and event.k > advertisement.k:
        raise CatalogError(
            f"k is {event.k}; advertisement {advertisement.id!r} has k {advertisement.k}, "
            "and a publication may only ask for less"
        )
    if not holds(advertisement.where, event, catalog.membership):
        raise CatalogError(
            f"event {event.id!r} is outside the space of advertisement {advertisement.id!r}: {show(advertisement.where)}"
        )


class Admission:
    """Chooses recipients under one version of a catalog; remembers what its scorers found out."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._scorers: dict[str, Scorer] = {}

    def admitted(self, event: Event, matches: Sequence[Matched]) -> list[Matched]:
        """See the function `admitted`."""
        if event.advertisement is None:
            return list(matches)
        advertisement = advertisement_of(self._catalog, event.advertisement)
        scorer = self._scorers.get(advertisement.id)
        if scorer is None:
            scorer = self._scorers[advertisement.id] = scorer_of(self._catalog, advertisement)
        chosen = recipients(advertisement, event, matches, scorer, meanings_of(self._catalog))
        kept = {subscription.id for subscription, _ in chosen}
        return [matched for matched in matches if matched[0].id in kept]


def admitted(catalog: Catalog, event: Event, matches: Sequence[Matched]) -> list[Matched]:
    """Those of the matching subscriptions to which the publisher lets the event go, in the given order.

    All of them for an event without advertisement; else the k best-ranked. `matches` must be all of the catalog's, not
    those of one shard. The users' own policies apply after this (hybrid). For many events under one catalog,
    `Admission(catalog).admitted` remembers the areas of the subscriptions.
    """
    return Admission(catalog).admitted(event, matches)
