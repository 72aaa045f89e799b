"""Runs of a simulated overlay: a workload of subscriptions and publications, served by a tree of brokers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankcast.language import parse
from rankcast.model import (
    EPOCH,
    Advertisement,
    Between,
    Catalog,
    Event,
    Predicate,
    Preference,
    Ranking,
    Record,
    Subscription,
)
from rankcast.overlay import Finder, Matched, Overlay, Strategy, Tree, lot, recipients, scorer_of

_SPACE = 100.0


@dataclass(frozen=True)
class OverlayWorkload:
    """An advertisement, the subscriptions and the publications of a simulation.

    `records` are those that the subscriptions need besides: first the ones that come before them, such as concepts,
    then the preferences. `left_out` counts events that brokers cannot serve, `rejected` the unusable lines.
    """

    advertisement: Advertisement
    subscriptions: Sequence[Subscription]
    publications: Sequence[Event]
    records: Sequence[Record] = ()
    left_out: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """The route of one publication: its event, the brokers in the order visited, and the recipients at each."""

    event: Event
    visited: tuple[str, ...]
    received: Counter[str]


@dataclass(frozen=True)
class OverlayRun:
    """A simulation that has ended. `wrong` counts the publications whose recipients differ from those of one broker.

    `left` is the number of subscriptions at the end; `known` and `local` count those that a broker knows, and those of
    its own subscribers.
    """

    overlay: Overlay
    routes: tuple[Route, ...]
    wrong: int
    left: int
    known: dict[str, int]
    local: Counter[str]

    @property
    def delivered(self) -> int:
        """The number of deliveries."""
        return sum(route.received.total() for route in self.routes)

    @property
    def received(self) -> Counter[str]:
        """The number of deliveries to the subscribers of each broker."""
        return sum((route.received for route in self.routes), Counter())


def random_workload(rank: Ranking, k: int, subscribers: int, publications: int, *seed: str) -> OverlayWorkload:
    """Subscribers that ask for random intervals of 30 to 60 % of the space, and random publications."""
    advertisement = Advertisement("a1", "publisher", parse(f"x between 0 and {_SPACE:g}"), k, rank)
    return OverlayWorkload(advertisement, list(_intervals(subscribers, seed)), list(_points(publications, seed)))


def simulate(
    tree: Tree,
    at: str,
    strategy: Strategy,
    workload: OverlayWorkload,
    *,
    changes: int = 0,
    weights_travel: bool = False,
    advertises_first: bool = False,
    advance: Callable[[float], object] = lambda amount: None,
) -> OverlayRun:
    """Run a workload, with all subscriptions of a user at one edge of the tree, and the publisher at broker `at`.

    Halfway through the publications, the first `changes` subscriptions leave. `advance` is told of each publication.
    """
    catalog = Catalog([record for record in workload.records if not isinstance(record, Preference)])
    overlay, advertisement = Overlay(tree, catalog, weights_travel), workload.advertisement
    if advertises_first:
        overlay.advertise(advertisement, at, strategy)
    edges = [name for name in tree.leaves if name != at] or [at]
    users = dict.fromkeys(one.user for one in workload.subscriptions)
    places = {user: edges[number % len(edges)] for number, user in enumerate(users)}
    home = {one.id: places[one.user] for one in workload.subscriptions}
    overlay.subscribe_all((one, home[one.id]) for one in workload.subscriptions)
    for record in workload.records:
        if isinstance(record, Preference):
            catalog.add(record)
    if not advertises_first:
        overlay.advertise(advertisement, at, strategy)
    leaving = [one.id for one in workload.subscriptions[:changes]]
    half = len(workload.publications) // 2
    wrong, routes = 0, []
    chosen_by_one = _single_broker(catalog, advertisement, strategy)
    for number, event in enumerate(workload.publications):
        if number == half and leaving:
            _leave(overlay, leaving, home)
            chosen_by_one = _single_broker(catalog, advertisement, strategy)
        found = overlay.publish(event)
        wrong += set(found.recipients) != chosen_by_one(event)
        routes.append(Route(event, found.visited, Counter(home[name] for name in found.recipients)))
        advance(1)
    if not workload.publications:
        _leave(overlay, leaving, home)
    known = {broker: len(overlay.known(advertisement.id, broker)) for broker in tree.brokers}
    return OverlayRun(overlay, tuple(routes), wrong, len(home), known, Counter(home.values()))


def _leave(overlay: Overlay, names: Iterable[str], home: dict[str, str]) -> None:
    for name in names:
        overlay.unsubscribe(name)
        del home[name]


def _single_broker(catalog: Catalog, advertisement: Advertisement, strategy: Strategy) -> Callable[[Event], set[str]]:
    """The choice of one broker that knows the present subscriptions."""
    finder = Finder(list(catalog.subscriptions.values()), catalog)
    scorer, meaning_of = scorer_of(catalog, advertisement), catalog.meaning_of

    def chosen(event: Event) -> set[str]:
        matches: Sequence[Matched] = finder.match(event)
        if strategy.is_top_k:
            matches = recipients(advertisement, event, matches, scorer, meaning_of)
        return {subscription.id for subscription, _ in matches}

    return chosen


def _intervals(count: int, seed: Sequence[str]) -> Iterator[Subscription]:
    for number in range(count):
        length = _SPACE * (0.3 + 0.3 * lot("length", *seed, str(number)))
        low = lot("place", *seed, str(number)) * (_SPACE - length)
        yield Subscription(f"s{number}", f"u{number}", Predicate("x", Between(low, low + length)))


def _points(count: int, seed: Sequence[str]) -> Iterator[Event]:
    for number in range(count):
        value = _SPACE * lot("publication", *seed, str(number))
        yield Event(f"e{number}", EPOCH, {"x": (value,)}, advertisement="a1")
