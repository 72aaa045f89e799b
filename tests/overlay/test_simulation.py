"""The overlay delivers to just those that one broker knowing everything would choose (semantics: Producer-side top-k), whatever changes."""

from datetime import UTC, datetime

import pytest
from broker_strategies import boxes, concepts, matches, one_broker, subscriptions, trees
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast import model
from rankcast.errors import CatalogError, ModelError
from rankcast.language import parse
from rankcast.overlay import (
    STRATEGIES,
    AncestorFairK,
    BrokerMessage,
    Overlay,
    RegularCover,
    Tree,
    parse_topology,
)
from rankcast.testing.strategies import events, expressions

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@settings(max_examples=60)
@given(data=st.data(), ranking=st.sampled_from(model.Ranking), score=st.sampled_from(model.ScorerName))
@pytest.mark.parametrize("name", STRATEGIES)
def test_exact_after_any_changes(
    name: str, data: st.DataObject, ranking: model.Ranking, score: model.ScorerName
) -> None:
    strategy = STRATEGIES[name]
    tree, catalog = data.draw(trees(6)), model.Catalog(concepts())
    overlay = Overlay(tree, catalog)
    brokers = st.sampled_from(tree.brokers)
    spaces = [parse("true"), parse("a between 0 and 5 and b between 1 and 4"), parse("a <= 3 or b >= 2")]
    advertisement = model.Advertisement(
        "a1", "shop", data.draw(st.sampled_from(spaces)), data.draw(st.integers(1, 4)), ranking, score
    )
    early = data.draw(st.booleans())
    if early:
        overlay.advertise(advertisement, data.draw(brokers), strategy)
    for step in range(data.draw(st.integers(1, 14))):
        known = sorted(catalog.subscriptions)
        if known and data.draw(st.integers(0, 3)) == 0:
            overlay.unsubscribe(data.draw(st.sampled_from(known)))
        else:
            overlay.subscribe(
                data.draw(subscriptions(f"s{step}", boxes(), expressions(2, fuzzy=True))), data.draw(brokers)
            )
    if not early:
        overlay.advertise(advertisement, data.draw(brokers), strategy)
    if data.draw(st.booleans()):  # another one, which shares the links
        other = model.Advertisement(
            "a2", "shop", data.draw(st.sampled_from(spaces)), data.draw(st.integers(1, 4)), ranking
        )
        overlay.advertise(other, data.draw(brokers), strategy)
        if data.draw(st.booleans()):
            overlay.withdraw("a2")
    if data.draw(st.booleans()):
        changed = model.Advertisement(
            "a1", "shop", data.draw(st.sampled_from(spaces)), data.draw(st.integers(1, 4)), ranking, score
        )
        overlay.change(changed)
        known = sorted(catalog.subscriptions)
        if known:
            overlay.unsubscribe(known[0])
    for step in range(3):
        drawn = data.draw(events(f"e{step}"))
        event = model.Event(
            drawn.id, drawn.time, drawn.attributes, advertisement="a1", k=data.draw(st.sampled_from([None, 1]))
        )
        try:
            published = overlay.publish(event)
        except CatalogError:
            continue  # outside the space
        if not strategy.is_top_k:
            assert published.recipients == tuple(sorted(one.id for one, _ in matches(catalog, event)))
        elif strategy.is_exact(ranking):
            assert published.recipients == one_broker(catalog, event)
        else:
            matching = {one.id for one, _ in matches(catalog, event)}
            assert len(published.recipients) == len(one_broker(catalog, event))
            assert matching.issuperset(published.recipients)


def test_preference_levels_move_with_the_other_subscriptions_of_a_user() -> None:
    catalog = model.Catalog()
    overlay = Overlay(Tree([("b0", "b1")]), catalog)
    overlay.advertise(
        model.Advertisement("a1", "shop", parse("true"), 1, score=model.ScorerName.PREFERENCE),
        "b0",
        STRATEGIES["ancestor-cover"],
    )
    for name in ("s1", "s2", "s3"):
        overlay.subscribe(model.Subscription(name, "u1", parse("x > 0")), "b1")
    overlay.subscribe(model.Subscription("other", "u2", parse("x > 0"), score=0.9), "b1")
    catalog.add(model.Preference("u1", "s3", "s1"))
    catalog.add(model.Preference("u1", "s3", "s2"))
    overlay.unsubscribe("s2")
    event = model.Event("e1", NOW, {"x": (1,)}, advertisement="a1")
    assert overlay.publish(event).recipients == one_broker(catalog, event) == ("s3",)
    overlay.unsubscribe("s3")
    assert overlay.publish(event).recipients == one_broker(catalog, event) == ("s1",)


def small(strategy: str = "ancestor-cover", ranking: model.Ranking = model.Ranking.RELEVANCE, k: int = 1) -> Overlay:
    """A publisher at b1; b2 between it and b3 and b4."""
    overlay = Overlay(Tree([("b1", "b2"), ("b2", "b3"), ("b2", "b4")]))
    overlay.advertise(
        model.Advertisement("a1", "shop", parse("x between 0 and 100"), k, ranking), "b1", STRATEGIES[strategy]
    )
    return overlay


def interval(name: str, low: float, high: float) -> model.Subscription:
    return model.Subscription(name, "u", parse(f"x between {low} and {high}"))


def test_every_message_is_counted() -> None:
    overlay = small()
    assert overlay.traffic.total(BrokerMessage.ADVERTISEMENT) == 3
    overlay.subscribe(interval("s1", 0, 50), "b3")
    overlay.subscribe(interval("s2", 10, 20), "b3")  # hidden at b3
    overlay.subscribe(interval("s3", 10, 30), "b4")  # goes as far as b2
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 3
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE, "b2", "b1") == 1
    overlay.unsubscribe("s1")  # s2 comes up to b2, where s3 is now the one to pass on
    assert overlay.traffic.total(BrokerMessage.UNSUBSCRIBE) == 2
    assert overlay.known("a1", "b1") == ("s3",)
    assert overlay.known("a1", "b2") == ("s2", "s3")
    published = overlay.publish(model.Event("e1", NOW, {"x": (15,)}, advertisement="a1"))
    assert published.visited == ("b1", "b2", "b4")
    assert overlay.traffic.total(BrokerMessage.PUBLICATION) == 2
    assert overlay.traffic.links()["b4", "b2"][BrokerMessage.SUBSCRIBE] == 1


def test_weights_change_with_what_is_hidden() -> None:
    overlay = small("ancestor-fair", model.Ranking.FAIR)
    overlay.subscribe(interval("s1", 0, 50), "b3")
    assert overlay.weights("a1", "b1") == {"s1": 1}
    overlay.subscribe(interval("s2", 10, 20), "b3")
    overlay.subscribe(interval("s3", 10, 30), "b4")
    assert overlay.weights("a1", "b1") == {"s1": 3}
    assert overlay.traffic.total(BrokerMessage.REWEIGH) == 3
    overlay.unsubscribe("s2")
    assert overlay.weights("a1", "b1") == {"s1": 2}


def test_weights_that_travel_are_stale_until_the_next_subscription_passes() -> None:
    overlay = Overlay(Tree([("b1", "b2"), ("b2", "b3"), ("b2", "b4")]), weights_travel=True)
    advertisement = model.Advertisement("a1", "shop", parse("x between 0 and 100"), 1, model.Ranking.FAIR)
    overlay.advertise(advertisement, "b1", STRATEGIES["ancestor-fair"])
    overlay.subscribe(interval("s1", 0, 50), "b3")
    overlay.subscribe(interval("s2", 10, 20), "b3")  # hidden at b3, and b2 does not hear of it
    overlay.subscribe(interval("s3", 10, 30), "b4")  # passes from b4 to b2, where it is hidden
    assert overlay.weights("a1", "b2") == {"s1": 1, "s3": 1}
    assert overlay.weights("a1", "b1") == {"s1": 1}
    overlay.subscribe(interval("s4", 40, 90), "b3")  # takes the weights along
    assert overlay.weights("a1", "b2") == {"s1": 2, "s3": 1, "s4": 1}
    assert overlay.weights("a1", "b1") == {"s1": 3, "s4": 1}
    assert overlay.traffic.total(BrokerMessage.REWEIGH) == 0
    overlay.unsubscribe("s2")  # nothing passes
    assert overlay.weights("a1", "b1") == {"s1": 3, "s4": 1}
    overlay.unsubscribe("s4")  # a subscription that is taken back passes too
    assert overlay.weights("a1", "b1") == {"s1": 2}


def test_an_advertisement_is_withdrawn() -> None:
    overlay = small()
    overlay.subscribe(interval("s1", 0, 50), "b3")
    overlay.withdraw("a1")
    assert overlay.traffic.total(BrokerMessage.WITHDRAWAL) == 3
    assert overlay.traffic.total(BrokerMessage.UNSUBSCRIBE) == 0  # each broker drops it by itself
    with pytest.raises(CatalogError, match="no advertisement 'a1'"):
        overlay.publish(model.Event("e1", NOW, {"x": (15,)}, advertisement="a1"))
    with pytest.raises(CatalogError, match="no advertisement 'a1'"):
        overlay.withdraw("a1")
    overlay.subscribe(interval("s2", 0, 60), "b3")  # is sent nowhere
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 2
    overlay.advertise(model.Advertisement("a1", "shop", parse("true"), 2), "b4", STRATEGIES["regular"])
    assert overlay.known("a1", "b4") == ("s1", "s2")


def test_a_changed_advertisement_moves_only_the_difference() -> None:
    overlay = small()
    overlay.subscribe(interval("s1", 0, 50), "b3")
    overlay.subscribe(interval("s2", 10, 20), "b3")
    overlay.subscribe(interval("s3", 60, 90), "b4")
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 4
    overlay.change(model.Advertisement("a1", "shop", parse("x between 0 and 55"), 2))
    assert overlay.known("a1", "b1") == ("s1", "s2")  # s2 comes up, s3 lies outside now
    assert overlay.traffic.total(BrokerMessage.ADVERTISEMENT) == 6
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 6
    assert overlay.traffic.total(BrokerMessage.UNSUBSCRIBE) == 2
    overlay.change(model.Advertisement("a1", "shop", parse("x between 0 and 55"), 2))
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 6
    assert overlay.publish(model.Event("e1", NOW, {"x": (15,)}, advertisement="a1")).recipients == ("s1", "s2")
    with pytest.raises(CatalogError, match="no concept 'cheap'"):
        overlay.change(model.Advertisement("a1", "shop", parse("x is cheap"), 2))
    assert overlay.publish(model.Event("e1", NOW, {"x": (15,)}, advertisement="a1")).recipients == ("s1", "s2")


def test_what_was_sent_for_one_advertisement_is_not_sent_again_for_another() -> None:
    overlay = small()
    overlay.subscribe(interval("s1", 0, 50), "b3")
    overlay.subscribe(interval("s2", 10, 20), "b3")
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 2
    overlay.advertise(model.Advertisement("a2", "shop", parse("x between 0 and 20"), 2), "b1", STRATEGIES["regular"])
    assert overlay.known("a2", "b1") == ("s1", "s2")
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 4  # s2, twice; s1 is there
    assert overlay.traffic.total(BrokerMessage.NOTE) == 2
    overlay.unsubscribe("s1")  # each link takes it back once
    assert overlay.traffic.total(BrokerMessage.UNSUBSCRIBE) == 2
    overlay.withdraw("a2")
    overlay.unsubscribe("s2")
    assert overlay.traffic.total(BrokerMessage.UNSUBSCRIBE) == 4


def test_what_is_outside_the_space_stays_at_home() -> None:
    overlay = small()
    overlay.subscribe(interval("s1", 101, 105), "b3")
    assert overlay.traffic.total(BrokerMessage.SUBSCRIBE) == 0
    overlay.unsubscribe("s1")
    assert overlay.traffic.total(BrokerMessage.UNSUBSCRIBE) == 0


def test_what_cannot_be_done_is_said() -> None:
    overlay = small()
    with pytest.raises(ModelError, match="no broker 'b9'"):
        overlay.subscribe(interval("s1", 0, 1), "b9")
    with pytest.raises(CatalogError, match="no subscription 's1'"):
        overlay.unsubscribe("s1")
    with pytest.raises(CatalogError, match="served already"):
        overlay.advertise(model.Advertisement("a1", "shop", parse("true"), 1), "b1", RegularCover())
    with pytest.raises(ModelError, match="no advertisement"):
        overlay.publish(model.Event("e1", NOW, {"x": (1,)}))
    with pytest.raises(CatalogError, match="outside the space"):
        overlay.publish(model.Event("e1", NOW, {"x": (101,)}, advertisement="a1"))
    with pytest.raises(ModelError, match="imprecise"):
        overlay.publish(model.Event("e1", NOW, {"x": model.Interval(1, 2)}, advertisement="a1"))


def test_ten_thousand_subscribers_on_the_paper_s_chain() -> None:
    tree = parse_topology("chain:10x5")
    overlay = Overlay(tree)
    overlay.advertise(model.Advertisement("a1", "shop", parse("x between 0 and 1000"), 1), "publisher", AncestorFairK())
    edges = [name for name in tree.leaves if name.startswith("edge")]
    overlay.subscribe_all(
        (interval(f"s{number}", number % 97, 300 + number % 89), edges[number % 50]) for number in range(10_000)
    )
    assert overlay.known("a1", "publisher") == ("s1067",)
    assert overlay.publish(model.Event("e1", NOW, {"x": (388,)}, advertisement="a1")).recipients
