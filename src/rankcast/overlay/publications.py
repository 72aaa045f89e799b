"""Checks publications under an advertisement and limits their recipients (semantics: Producer-side top-k)."""

from collections.abc import Sequence

from rankcast.errors import CatalogError, did_you_mean
from rankcast.language import show
from rankcast.matching import matches as holds
from rankcast.model import Advertisement, Catalog, Event
from rankcast.overlay.recipients import Matched, recipients
from rankcast.overlay.scorers import Scorer, scorer_of


def advertisement_of(catalog: Catalog, name: str) -> Advertisement:
    """The advertisement with this id; raises CatalogError if there is none."""
    try:
        return catalog.advertisements[name]
    except KeyError:
        near = did_you_mean(name, catalog.advertisements)
        raise CatalogError(f"there is no advertisement {name!r}{near}") from None


def check_publication(catalog: Catalog, event: Event) -> None:
    """Raise CatalogError if the event is not allowed under its advertisement.

    That is so if the advertisement does not exist, if the event asks for a larger k, or if it lies outside the
    advertised space. An event without advertisement is always allowed.
    """
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
    """Chooses recipients under one version of a catalog; caches its scorers."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._scorers: dict[str, Scorer] = {}

    def admitted(self, event: Event, matches: Sequence[Matched]) -> list[Matched]:
        """Like the function `admitted`."""
        if event.advertisement is None:
            return list(matches)
        advertisement = advertisement_of(self._catalog, event.advertisement)
        scorer = self._scorers.get(advertisement.id)
        if scorer is None:
            scorer = self._scorers[advertisement.id] = scorer_of(self._catalog, advertisement)
        chosen = recipients(advertisement, event, matches, scorer, self._catalog.meaning_of)
        kept = {subscription.id for subscription, _ in chosen}
        return [matched for matched in matches if matched[0].id in kept]


def admitted(catalog: Catalog, event: Event, matches: Sequence[Matched]) -> list[Matched]:
    """The matching subscriptions that the publisher allows to receive the event, in the given order.

    Under an advertisement these are the k best-ranked; without one, all. `matches` must be the matches of the whole
    catalog, not of one shard. The users' own policies apply afterwards (hybrid). For many events under one catalog,
    use `Admission(catalog).admitted`, which caches the areas of the subscriptions.
    """
    return Admission(catalog).admitted(event, matches)
