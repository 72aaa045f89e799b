"""The preferential subscription graph (DEBS'09, section 6.1)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.cover import SubscriptionGraph
from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, OracleMatcher, matches
from rankcast.model import EPOCH, Catalog, Concept, Event, Interval, LeftShoulder, Subscription
from rankcast.rank import Specificity
from rankcast.testing import strategies


def holds(node, event):
    return matches(node.where, event, NO_CONCEPTS)


@pytest.fixture(scope="module")
def figure_9():
    """Carson's and Addison's subscriptions."""
    wheres = {
        "s1": "cinema = 'ster' and genre = 'drama' and time > 21",
        "s2": "genre = 'drama' and time > 21",
        "s3": "cinema = 'ster'",
        "s4": "cinema = 'odeon' and genre = 'drama' and time > 21",
    }
    having = {"carson-1": "s1", "carson-2": "s2", "carson-3": "s3", "addison-1": "s1", "addison-4": "s4"}
    scores = dict(zip(having, (0.9, 0.7, 0.5, 0.6, 0.3), strict=True))
    return SubscriptionGraph(
        [Subscription(name, name.split("-")[0], parse(wheres[which])) for name, which in having.items()], scores
    )


def test_figure_9_has_four_nodes_one_of_them_shared(figure_9):
    assert len(figure_9.nodes) == 4
    shared = figure_9.nodes[0]
    assert [(one.user, one.score, one.refined) for one in shared.interests] == [
        ("carson", 0.9, False),
        ("addison", 0.6, False),
    ]
    by_name = {node.interests[0].subscription: node for node in figure_9.nodes}
    assert {name: node.children for name, node in by_name.items()} == {
        "carson-1": (),
        "carson-2": (0, 3),
        "carson-3": (0,),
        "addison-4": (),
    }
    assert [by_name[name].interests[0].refined for name in ("carson-2", "carson-3")] == [True, True]
    assert figure_9.roots == (1, 2)


def test_nothing_below_a_miss_is_visited(figure_9):
    elsewhere = Event("e", EPOCH, {"cinema": ("rex",), "genre": ("comedy",), "time": (22,)})
    assert figure_9.match(elsewhere, holds).visited == 2
    event = Event("e", EPOCH, {"cinema": ("ster",), "genre": ("drama",), "time": (21.5,)})
    found = figure_9.match(event, holds)
    assert found.visited == 4
    assert found.specific == {"addison": ("addison-1",), "carson": ("carson-1",)}


def test_plain_matching_stops_where_everybody_below_is_served():
    wheres = ["x > 1", "x > 2", "x > 3"]
    event = Event("e", EPOCH, {"x": (9,)})
    of_one = SubscriptionGraph([Subscription(where, "ann", parse(where)) for where in wheres])
    assert (of_one.match_any(event, holds).visited, of_one.match(event, holds).visited) == (1, 3)
    of_two = SubscriptionGraph(
        [Subscription(where, user, parse(where)) for where, user in zip(wheres, "aba", strict=True)]
    )
    assert (of_two.match_any(event, holds).visited, of_two.match(event, holds).visited) == (2, 3)


@given(strategies.subscriptions(users=("u1", "u2", "u3"), max_size=8), strategies.events())
def test_it_finds_what_plain_matching_finds(subscriptions, event):
    graph = SubscriptionGraph(subscriptions)
    matching = [one for one in subscriptions if matches(one.where, event, NO_CONCEPTS)]
    found = graph.match(event, holds)
    assert {one.subscription for number in found.nodes for one in graph.nodes[number].interests} == {
        one.id for one in matching
    }
    assert found.visited <= len(graph.nodes)
    for user, names in found.specific.items():
        mine = [one for one in matching if one.user == user]
        assert set(names) == set(Specificity(mine).most_specific([one.id for one in mine]))
    satisfied = {one.user for number in graph.match_any(event, holds).nodes for one in graph.nodes[number].interests}
    assert satisfied == {one.user for one in matching} == set(found.specific)


@given(st.data())
def test_edges_lead_to_what_is_directly_below(data):
    subscriptions = data.draw(strategies.subscriptions(max_size=6))
    graph = SubscriptionGraph(subscriptions)
    for node in graph.nodes:
        for child in node.children:
            assert graph.nodes[child].level > node.level
    assert all(graph.nodes[root].level == 1 for root in graph.roots)


def test_a_walk_prunes_only_for_crisp_values():
    catalog = Catalog([Concept("cheap", "price", LeftShoulder(1000, 2000))])
    wheres = {"s1": "price is cheap [0.5, 0.5]", "s2": "price is very cheap"}
    for name, where in wheres.items():
        catalog.add(Subscription(name, "ann", parse(where)))
    graph = SubscriptionGraph(catalog.subscriptions.values(), meaning_of=catalog.meaning_of)
    assert [node.children for node in graph.nodes] == [(1,), ()]
    event = Event("e", EPOCH, {"price": Interval(1000, 1900)})

    def agrees(node, event):
        return matches(node.where, event, catalog.meaning_of("ann"))

    expected = [one.id for one, _ in OracleMatcher.of(catalog).match(event)]
    assert expected == ["s2"]
    assert graph.match(event, agrees).specific == graph.match_any(event, agrees).specific == {"ann": ("s2",)}


@given(strategies.subscriptions(users=("u1", "u2"), max_size=5, fuzzy=True), strategies.events(fuzzy=True))
@settings(max_examples=40)
def test_a_walk_finds_what_the_oracle_finds_whatever_the_event(subscriptions, event):
    def meaning(attribute, term):
        return strategies.CONCEPTS[attribute, term.concept]

    graph = SubscriptionGraph(subscriptions, meaning_of=lambda user: meaning)
    found = graph.match(event, lambda node, event: matches(node.where, event, meaning))
    expected = {one.id for one, _ in OracleMatcher(subscriptions, lambda user: meaning, shared=meaning).match(event)}
    assert {one.subscription for number in found.nodes for one in graph.nodes[number].interests} == expected
