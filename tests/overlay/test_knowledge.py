"""Brokers that tell each other items decide as the simulation, and as one broker that knows everything."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import msgspec
from broker_strategies import concepts, one_broker, subscriptions, trees
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast import model
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model.policies import Length, Mode
from rankcast.overlay import (
    PLAIN,
    STRATEGIES,
    Knowledge,
    Overlay,
    RegularCover,
    SubscribedItem,
    Tree,
    item_of_json,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOP_K = [name for name, strategy in STRATEGIES.items() if strategy.is_top_k]


class Brokers:
    """Knowledge of all brokers of a tree; items go over its links as JSON until nothing changes."""

    def __init__(self, tree: Tree, strategy: str = "ancestor-cover") -> None:
        self.tree = tree
        self.at = {name: Knowledge(name, lambda advertisement: strategy) for name in tree.brokers}
        self._sent: dict[tuple[str, str], dict[str, bytes]] = {}

    def settle(self) -> None:
        moved = True
        while moved:
            moved = False
            for sender, knowledge in self.at.items():
                for receiver in self.tree.neighbours[sender]:
                    told = {key: msgspec.json.encode(one.to_json()) for key, one in knowledge.tell(receiver).items()}
                    before = self._sent.get((sender, receiver), {})
                    put = [
                        item_of_json(msgspec.json.decode(text)) for key, text in told.items() if before.get(key) != text
                    ]
                    removed = [key for key in before if key not in told]
                    if put or removed:
                        moved = True
                        self.at[receiver].learn(sender, put, removed)
                        self._sent[sender, receiver] = told

    def publish(self, event: model.Event, at: str) -> tuple[str, ...]:
        """The recipients of a publication under an advertisement that was made at a broker."""
        name = f"{at}/{event.advertisement}"
        found: list[str] = []
        pending = [(at, self.at[at].choose(name, event))]
        while pending:
            broker, chosen = pending.pop()
            found += chosen.pop("", [])
            for neighbour, ids in chosen.items():
                below = self.at[neighbour]
                drawn = isinstance(ids, int)
                passed = below.choose(name, event, ids) if drawn else below.locate(name, ids, broker)
                assert broker not in passed
                pending.append((neighbour, passed))
        return tuple(sorted(found))

    def known_plainly(self, at: str, home: str) -> set[str]:
        """What a broker was told for events without an advertisement, from the side away from another broker."""
        towards = self.tree.towards(home).get(at)
        return {
            item.subscription.id
            for neighbour in self.tree.neighbours[at]
            if neighbour != towards
            for item in self.at[neighbour].tell(at).values()
            if isinstance(item, SubscribedItem) and PLAIN in dict(item.needs)
        }

    def reached(self, event: model.Event, at: str) -> set[str]:
        """The brokers that a plain event reaches."""
        seen, pending = {at}, [(at, "")]
        while pending:
            broker, came_from = pending.pop()
            for neighbour in self.tree.neighbours[broker]:
                if neighbour != came_from and self.at[broker].wants(neighbour, event):
                    seen.add(neighbour)
                    pending.append((neighbour, broker))
        return seen


@settings(max_examples=60)
@given(
    data=st.data(),
    tree=trees(),
    ranking=st.sampled_from(model.Ranking),
    score=st.sampled_from(model.ScorerName),
    strategy=st.sampled_from(TOP_K),
)
def test_recipients_are_those_of_one_broker_and_forwarding_is_that_of_the_simulation(
    data: st.DataObject, tree: Tree, ranking: model.Ranking, score: model.ScorerName, strategy: str
) -> None:
    brokers, simulated = Brokers(tree, strategy), Overlay(tree, model.Catalog(concepts()))
    catalogs = {name: model.Catalog(concepts()) for name in tree.brokers}
    everything = model.Catalog(concepts())
    home = data.draw(st.sampled_from(tree.brokers))
    space = model.And((model.Predicate("a", model.Between(0, 5)), model.Predicate("b", model.Between(0, 5))))
    advertisement = model.Advertisement("a1", "shop", space, data.draw(st.integers(1, 3)), ranking, score)
    catalogs[home].put(advertisement)
    everything.put(advertisement)
    simulated.advertise(advertisement, home, STRATEGIES[strategy])
    simulated.advertise(model.Advertisement("plain", "nobody", model.Always(), 1), home, RegularCover())
    places: dict[str, str] = {}
    lives: dict[str, str] = {}
    for step in range(data.draw(st.integers(1, 14))):
        if places and data.draw(st.integers(0, 3)) == 0:  # a subscription goes, or its user moves with all of them
            name = data.draw(st.sampled_from(sorted(places)))
            gone = everything.subscriptions[name]
            goes = everything.subscriptions_of(gone.user) if data.draw(st.booleans()) else [gone]
            for one in goes:
                catalogs[places.pop(one.id)].remove(one)
                simulated.unsubscribe(one.id)
                everything.remove(one)
            if len(goes) > 1 or goes[0] is not gone or data.draw(st.booleans()):
                lives[gone.user] = data.draw(st.sampled_from(tree.brokers))
                if not everything.subscriptions_of(gone.user):
                    for one in goes:
                        _place(one, lives[gone.user], catalogs, places, everything, simulated)
        else:
            new = data.draw(subscriptions(f"s{step}"))
            at = lives.setdefault(new.user, data.draw(st.sampled_from(tree.brokers)))
            if not everything.subscriptions_of(new.user) or places[everything.subscriptions_of(new.user)[0].id] == at:
                _place(new, at, catalogs, places, everything, simulated)
        if data.draw(st.booleans()):
            for name, catalog in catalogs.items():
                brokers.at[name].own(catalog)
            brokers.settle()
    for name, catalog in catalogs.items():
        brokers.at[name].own(catalog)
    brokers.settle()
    for name in tree.brokers:
        assert brokers.at[name].known(f"{home}/a1") == simulated.known("a1", name)
        own = {one for one, at in places.items() if at == name}
        assert brokers.known_plainly(name, home) == set(simulated.known("plain", name)) - own
    for at in range(3):
        values = {"a": (data.draw(st.integers(0, 5)),), "b": (data.draw(st.integers(0, 5)),)}
        event = model.Event(f"e{at}", NOW, values, advertisement="a1")
        found = brokers.publish(event, home)
        if STRATEGIES[strategy].is_exact(ranking):
            assert found == one_broker(everything, event)
        assert found == simulated.publish(event).recipients
        plain = model.Event(f"p{at}", NOW, values)
        wanted = {places[one.id] for one, _ in OracleMatcher.of(everything).match(plain)}
        start = data.draw(st.sampled_from(tree.brokers))
        assert brokers.reached(plain, start) >= wanted
        trace = simulated.publish(model.Event(f"p{at}", NOW, values, advertisement="plain"))
        assert set(trace.recipients) == {one.id for one, _ in OracleMatcher.of(everything).match(plain)}
        assert brokers.reached(plain, home) == set(trace.visited)


def _place(
    one: model.Subscription,
    at: str,
    catalogs: dict[str, model.Catalog],
    places: dict[str, str],
    everything: model.Catalog,
    simulated: Overlay,
) -> None:
    catalogs[at].put(one)
    places[one.id] = at
    everything.put(one)
    simulated.subscribe(one, at)


def chain(size: int) -> Brokers:
    names = [f"b{at}" for at in range(size)]
    return Brokers(Tree(list(pairwise(names)), names))


def test_a_plain_event_goes_only_where_somebody_wants_it() -> None:
    brokers = chain(4)
    brokers.at["b2"].own(model.Catalog([model.Subscription("s1", "ann", parse("x > 5"))]))
    brokers.settle()
    assert brokers.reached(model.Event("e1", NOW, {"x": (6,)}), "b0") == {"b0", "b1", "b2"}
    assert brokers.reached(model.Event("e2", NOW, {"x": (5,)}), "b0") == {"b0"}
    assert brokers.reached(model.Event("e3", NOW, {"x": model.Interval(0, 9)}), "b3") == {"b3", "b2"}


def test_preferences_and_own_concepts_travel_with_subscriptions() -> None:
    brokers = chain(3)
    ann = model.Catalog([model.Concept("cheap", "x", model.Trapezoid(0, 0, 1, 2))])
    ann.put(model.Concept("cheap", "x", model.Trapezoid(0, 0, 50, 60), "ann"))
    ann.put(model.Subscription("s1", "ann", parse("x is cheap")))
    ann.put(model.Subscription("s2", "ann", parse("x is cheap and y > 1")))
    ann.put(model.Preference("ann", "s2", "s1"))
    brokers.at["b2"].own(ann)
    where = parse("x >= 0")
    made = model.Advertisement("a1", "shop", where, 1, score=model.ScorerName.PREFERENCE)
    brokers.at["b0"].own(model.Catalog([model.Subscription("s0", "bob", parse("x >= 0"), 0.6), made]))
    brokers.settle()
    event = model.Event("e1", NOW, {"x": (40,), "y": (2,)}, advertisement="a1")
    assert brokers.publish(event, "b0") == ("s2",)
    assert brokers.publish(model.Event("e2", NOW, {"x": (40,)}, advertisement="a1"), "b0") == ("s0",)
    assert brokers.reached(model.Event("e3", NOW, {"x": (40,)}), "b0") == {"b0", "b1", "b2"}


def test_a_neighbour_cannot_displace_a_subscription_of_another_by_its_id() -> None:
    brokers = Brokers(Tree([("root", "good"), ("root", "bad")]))
    brokers.at["root"].own(model.Catalog([model.Advertisement("a1", "shop", parse("x >= 0"), 1)]))
    brokers.at["good"].own(model.Catalog([model.Subscription("s1", "ann", parse("x >= 0"))]))
    brokers.settle()
    brokers.at["bad"].own(model.Catalog([model.Subscription("s1", "eve", parse("x >= 0"))]))
    brokers.settle()
    event = model.Event("e1", NOW, {"x": (1,)}, advertisement="a1")
    assert brokers.at["root"].choose("root/a1", event) == {"good": ["s1"]}
    brokers.at["good"].own(model.Catalog())  # the user moves
    brokers.settle()
    assert brokers.at["root"].choose("root/a1", event) == {"bad": ["s1"]}


def test_a_broker_that_starts_again_remembers_who_came_first() -> None:
    wide = model.Subscription("s1", "00@good", parse("x >= 0"))
    items = {name: SubscribedItem(replace(wide, user=f"00@{name}"), (("root/a1", 1),)) for name in ("bad", "good")}
    again = Knowledge("root")
    again.own(model.Catalog([model.Advertisement("a1", "shop", parse("x >= 0"), 1)]))
    for name, item in items.items():
        again.learn(name, [item], whole=True)
    event = model.Event("e1", NOW, {"x": (1,)}, advertisement="a1")
    assert again.choose("root/a1", event) == {"bad": ["s1"]}
    again.order_claims({"s/s1": ["good", "bad"]})
    assert again.choose("root/a1", event) == {"good": ["s1"]}


def test_a_recipient_that_is_not_known_any_more_is_looked_for_behind_all_other_neighbours() -> None:
    brokers = Brokers(Tree([("root", "mid"), ("mid", "left"), ("mid", "right")]))
    brokers.at["root"].own(model.Catalog([model.Advertisement("a1", "shop", parse("x >= 0"), 1)]))
    brokers.at["left"].own(model.Catalog([model.Subscription("s1", "ann", parse("x >= 0"))]))
    brokers.at["right"].own(model.Catalog([model.Subscription("s3", "bob", parse("y >= 0"))]))
    brokers.settle()
    mid = brokers.at["mid"]
    assert mid.locate("root/a1", ["s1"], "root") == {"left": ["s1"]}
    assert mid.locate("root/a1", ["s2"], "root") == {"left": ["s2"], "right": ["s2"]}
    assert mid.locate("root/a0", ["s2"], "left") == {"root": ["s2"], "right": ["s2"]}


def test_a_publication_comes_from_where_it_was_advertised() -> None:
    brokers = Brokers(Tree([("root", "good"), ("root", "bad")]))
    brokers.at["good"].own(model.Catalog([model.Advertisement("a1", "shop", parse("x >= 0"), 1)]))
    brokers.settle()
    root = brokers.at["root"]
    assert root.may_publish("good", "good/a1")
    assert not root.may_publish("bad", "good/a1")
    assert not root.may_publish("bad", "root/a1")
    assert root.may_publish("good", "good/withdrawn")


def test_a_broker_whose_users_count_published_events_wants_all_of_them() -> None:
    brokers = chain(3)
    counting = model.Policy("ann", mode=Mode.SLIDING, k=1, length=Length(3))
    brokers.at["b2"].own(model.Catalog([model.Subscription("s1", "ann", parse("x > 5")), counting]))
    brokers.settle()
    assert brokers.reached(model.Event("e1", NOW, {"x": (0,)}), "b0") == {"b0", "b1", "b2"}
    brokers.at["b2"].own(model.Catalog([model.Subscription("s1", "ann", parse("x > 5"))]))
    brokers.settle()
    assert brokers.reached(model.Event("e1", NOW, {"x": (0,)}), "b0") == {"b0"}


def test_a_withdrawn_advertisement_takes_its_subscriptions_along() -> None:
    brokers = chain(2)
    brokers.at["b0"].own(model.Catalog([model.Advertisement("a1", "shop", parse("x >= 0"), 1)]))
    wide, narrow = model.Subscription("s1", "ann", parse("x >= 0")), model.Subscription("s2", "bob", parse("x >= 9"))
    brokers.at["b1"].own(model.Catalog([wide, narrow]))
    brokers.settle()
    assert brokers.at["b0"].known("b0/a1") == ("s1",)
    brokers.at["b0"].own(model.Catalog([model.Advertisement("a1", "shop", parse("x >= 0"), 2)]))
    brokers.settle()
    assert brokers.at["b0"].known("b0/a1") == ("s1", "s2")
    brokers.at["b0"].own(model.Catalog())
    brokers.settle()
    assert not brokers.at["b1"].advertisements
    assert sorted(brokers.at["b1"].tell("b0")) == ["s/s1"]
    assert brokers.at["b1"].locate("b0/a1", ["s2", "gone"], "b0") == {"": ["s2"]}
