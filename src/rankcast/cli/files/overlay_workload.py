"""The workload of ``rankcast overlay simulate`` from a catalog file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankcast.cli.output import Output
from rankcast.errors import CatalogError

if TYPE_CHECKING:
    from rankcast.lab.overlay_runs import OverlayWorkload
    from rankcast.model import Advertisement, Catalog, Event


def workload_of_files(
    catalog_file: Path, events_file: Path | None, advertisement: str | None, out: Output
) -> "OverlayWorkload":
    """The subscriptions of a catalog, one of its advertisements, and the events of a file that lie in its space."""
    from rankcast.cli.inputs import read_catalog_file, read_inputs
    from rankcast.cli.operation.rejects import tell
    from rankcast.lab.overlay_runs import OverlayWorkload
    from rankcast.model import Preference, Subscription

    events: list[Event] = []
    if events_file is None:
        catalog, bad = read_catalog_file(catalog_file, out)
        tell(out, bad)
        rejected = len(bad)
    else:
        catalog, events, rejected = read_inputs(catalog_file, events_file, out)
    under = _advertised(catalog, advertisement)
    publications = list(_under(under, events, catalog))
    others = [one for one in catalog.records() if not isinstance(one, Subscription | Preference)]
    before = [one for one in others if one not in catalog.advertisements.values()]
    preferences = [one for user in catalog.users() for one in catalog.preferences_of(user)]
    return OverlayWorkload(
        under,
        list(catalog.subscriptions.values()),
        publications,
        [*before, *preferences],
        len(events) - len(publications),
        rejected,
    )


def _advertised(catalog: "Catalog", name: str | None) -> "Advertisement":
    from rankcast.overlay import advertisement_of

    if name is not None:
        return advertisement_of(catalog, name)
    if len(catalog.advertisements) == 1:
        return next(iter(catalog.advertisements.values()))
    known = ", ".join(sorted(catalog.advertisements)[:10])
    raise CatalogError(
        f"the catalog has the advertisements {known}; choose one with --advertisement"
        if known
        else "the catalog has no advertisement; add one, such as "
        '{"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "true", "k": 3}'
    )


def _under(advertisement: "Advertisement", events: "Sequence[Event]", catalog: "Catalog") -> "Iterator[Event]":
    """The crisp events under an advertisement; events without one count if they lie in its space."""
    from rankcast.overlay import check_publication

    for event in events:
        if event.advertisement not in (None, advertisement.id):
            continue
        if not all(isinstance(value, tuple) for value in event.attributes.values()):
            continue  # brokers compare subscriptions by crisp values
        published = replace(event, advertisement=advertisement.id)
        try:
            check_publication(catalog, published)
        except CatalogError:
            continue
        yield published
