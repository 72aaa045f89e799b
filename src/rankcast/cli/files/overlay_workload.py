"""Workloads of ``rankcast overlay simulate``: random ones, and those of a catalog file."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankcast.cli.output import Output
from rankcast.errors import CatalogError

if TYPE_CHECKING:
    from rankcast.model import Advertisement, Catalog, Event, Ranking, Record, Subscription
    from rankcast.overlay import Matched, Overlay, Strategy, Tree


@dataclass(frozen=True)
class OverlayWorkload:
    """An advertisement, the subscriptions and the publications of a simulation.

    `records` are those that the subscriptions need besides: first the ones that come before them, such as concepts,
    then the preferences. `left_out` counts events that brokers cannot serve, `rejected` the unusable lines.
    """

    advertisement: "Advertisement"
    subscriptions: "Sequence[Subscription]"
    publications: "Sequence[Event]"
    records: "Sequence[Record]" = ()
    left_out: int = 0
    rejected: int = 0


@dataclass(frozen=True)
class SimulationOutcome:
    """The result of a simulation: deliveries, publications that differ from a single broker, and counts by broker."""

    delivered: int
    wrong: int
    left: int
    known: dict[str, int] = field(default_factory=dict)
    local: Counter[str] = field(default_factory=Counter)
    received: Counter[str] = field(default_factory=Counter)


def random_workload(rank: "Ranking", k: int, subscribers: int, publications: int, seed: int) -> OverlayWorkload:
    """Subscribers that ask for random intervals of 30 to 60 % of the space, and random publications."""
    from rankcast.language import parse
    from rankcast.model import Advertisement

    advertisement = Advertisement("a1", "publisher", parse("x between 0 and 100"), k, rank)
    return OverlayWorkload(advertisement, list(_intervals(subscribers, seed)), list(_points(publications, seed)))


def workload_of_files(
    catalog_file: Path, events_file: Path | None, advertisement: str | None, out: Output
) -> OverlayWorkload:
    """The subscriptions of a catalog, one of its advertisements, and the events of a file that lie in its space."""
    from rankcast.cli.inputs import read_catalog_file, read_inputs
    from rankcast.cli.operation.rejects import tell
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


def simulate(
    tree: "Tree",
    at: str,
    strategy: "Strategy",
    workload: OverlayWorkload,
    changes: int,
    weights_travel: bool,
    out: Output,
) -> "tuple[Overlay, SimulationOutcome]":
    """Run a workload. Halfway through the publications, the first `changes` subscriptions leave."""
    from rankcast.model import Catalog, Preference
    from rankcast.overlay import Overlay

    catalog = Catalog([record for record in workload.records if not isinstance(record, Preference)])
    overlay = Overlay(tree, catalog, weights_travel)
    edges = [name for name in tree.leaves if name != at] or [at]
    places = {
        user: edges[i % len(edges)] for i, user in enumerate(dict.fromkeys(s.user for s in workload.subscriptions))
    }
    home = {one.id: places[one.user] for one in workload.subscriptions}
    overlay.subscribe_all((one, home[one.id]) for one in workload.subscriptions)
    for record in workload.records:
        if isinstance(record, Preference):
            catalog.add(record)
    overlay.advertise(workload.advertisement, at, strategy)
    leaving = [one.id for one in workload.subscriptions[:changes]]
    delivered, wrong = 0, 0
    received: Counter[str] = Counter()
    chosen_by_one = _single_broker(catalog, workload.advertisement, strategy)
    half = len(workload.publications) // 2
    with out.progress("publishing", len(workload.publications)) as advance:
        for number, event in enumerate(workload.publications):
            if number == half and leaving:
                _leave(overlay, leaving, home)
                chosen_by_one = _single_broker(catalog, workload.advertisement, strategy)
            found = overlay.publish(event).recipients
            delivered += len(found)
            wrong += set(found) != chosen_by_one(event)
            received.update(home[name] for name in found)
            advance(1)
    if not workload.publications:
        _leave(overlay, leaving, home)
    known = {broker: len(overlay.known(workload.advertisement.id, broker)) for broker in tree.brokers}
    return overlay, SimulationOutcome(delivered, wrong, len(home), known, Counter(home.values()), received)


def _leave(overlay: "Overlay", names: Sequence[str], home: dict[str, str]) -> None:
    for name in names:
        overlay.unsubscribe(name)
        del home[name]


def _single_broker(
    catalog: "Catalog", advertisement: "Advertisement", strategy: "Strategy"
) -> "Callable[[Event], set[str]]":
    """The choice of one broker that knows the present subscriptions."""
    from rankcast.overlay import Finder, recipients, scorer_of

    finder = Finder(list(catalog.subscriptions.values()), catalog)
    scorer, meaning_of = scorer_of(catalog, advertisement), catalog.meaning_of

    def chosen(event: "Event") -> set[str]:
        matches: Sequence[Matched] = finder.match(event)
        if strategy.is_top_k:
            matches = recipients(advertisement, event, matches, scorer, meaning_of)
        return {subscription.id for subscription, _ in matches}

    return chosen


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


def _intervals(count: int, seed: int) -> "Iterator[Subscription]":
    from rankcast.model import Between, Predicate, Subscription
    from rankcast.overlay import lot

    for number in range(count):
        length = 30 + 30 * lot("length", str(seed), str(number))
        low = lot("place", str(seed), str(number)) * (100 - length)
        yield Subscription(f"s{number}", f"u{number}", Predicate("x", Between(low, low + length)))


def _points(count: int, seed: int) -> "Iterator[Event]":
    from rankcast.model import EPOCH, Event
    from rankcast.overlay import lot

    for number in range(count):
        value = 100 * lot("publication", str(seed), str(number))
        yield Event(f"e{number}", EPOCH, {"x": (value,)}, advertisement="a1")
