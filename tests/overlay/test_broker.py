"""One broker: what it knows, what has changed, whom it chooses."""

from datetime import UTC, datetime

from rankcast.language import parse
from rankcast.model import Advertisement, Catalog, Event, Ranking, Subscription
from rankcast.overlay import AncestorCoverK, AncestorFairK, Area, Broker, KnownSubscription, Order, Strategy
from rankcast.overlay.broker import LOCAL, ForwardingChanges

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def broker(strategy: Strategy, rank: Ranking = Ranking.RELEVANCE, k: int = 1) -> Broker:
    advertisement = Advertisement("a1", "p", parse("x between 0 and 100"), k, rank)
    scorer = Area(advertisement)
    return Broker("b1", Catalog(), advertisement, strategy, Order(strategy.standing, rank, scorer))


def known(name: str, low: float, high: float, weight: int = 1) -> KnownSubscription:
    return KnownSubscription(Subscription(name, "u", parse(f"x between {low} and {high}")), weight)


def test_only_what_has_changed_is_passed_on() -> None:
    made = broker(AncestorCoverK())
    made.receive(LOCAL, ForwardingChanges([known("s1", 0, 50)], [], []))
    assert made.settle() == ForwardingChanges([known("s1", 0, 50)], [], [])
    assert not made.settle()
    made.receive("b2", ForwardingChanges([known("s2", 10, 20)], [], []))
    assert not made.settle()
    made.receive(LOCAL, ForwardingChanges([], ["s1"], []))
    assert made.settle() == ForwardingChanges([known("s2", 10, 20)], ["s1"], [])


def test_weights_are_passed_on_anew() -> None:
    made = broker(AncestorFairK(), Ranking.FAIR)
    made.receive(LOCAL, ForwardingChanges([known("s1", 0, 50)], [], []))
    made.settle()
    made.receive("b2", ForwardingChanges([known("s2", 10, 20, 4)], [], []))
    assert made.settle() == ForwardingChanges([], [], [known("s1", 0, 50, 5)])
    made.receive("b2", ForwardingChanges([], [], [known("s2", 10, 20, 2)]))
    assert made.settle() == ForwardingChanges([], [], [known("s1", 0, 50, 3)])


def test_the_chosen_come_by_their_origin() -> None:
    made = broker(AncestorCoverK(), k=2)
    made.receive(LOCAL, ForwardingChanges([known("s1", 0, 50)], [], []))
    made.receive("b2", ForwardingChanges([known("s2", 0, 60), known("s3", 0, 20)], [], []))
    event = Event("e1", NOW, {"x": (10,)}, advertisement="a1")
    assert made.choose(event, 2) == {"b2": ["s2"], LOCAL: ["s1"]}
    assert made.by_origin(["s3"]) == {"b2": ["s3"]}
    assert [one.id for one, _ in made.match(event)] == ["s1", "s2", "s3"]
