"""What a team receives in one process, with its figures (semantics: Teams)."""

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.errors import ModelError
from rankcast.lab.evenness import evenness
from rankcast.lab.teams import matches_of_user, serve_as_team
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Event, Filter, FilterKind, Policy, Subscription

TOPICS = "abcdefgh"


@pytest.fixture
def catalog():
    known = Catalog([Subscription(f"s-{topic}", "desk", parse(f"topic = '{topic}'")) for topic in TOPICS])
    known.add(Subscription("other", "ann", parse("topic exists")))
    known.add(Policy("desk", filter=Filter(FilterKind.THRESHOLD, 0.25, 40)))
    return known


def events(count=400):
    """Topics, of which the first are frequent."""
    topics = ["abcdefghaaabbc"[number % 14] for number in range(count)]
    return [Event(f"e{at:03}", EPOCH, {"topic": (topic,)}, seq=at) for at, topic in enumerate(topics, 1)]


def serve(catalog, published, nodes, rounds=10):
    return serve_as_team(catalog, "desk", published, matches_of_user(catalog, "desk", published), rounds, nodes)


def test_one_node_is_the_plain_filter(catalog):
    found = serve(catalog, events(), 1)
    expected = [one for one in replay(catalog, events()) if one.user == "desk"]
    assert [(one.seq, one.event) for one in found.deliveries] == [(one.seq, one.event) for one in expected]
    assert [one.round for one in found.deliveries] == [1 + (one.seq - 1) // 40 for one in expected]


def test_more_nodes_deliver_as_much_as_evenly(catalog):
    alone, many = serve(catalog, events(), 1), serve(catalog, events(), 4)
    assert len(alone.deliveries) <= len(many.deliveries) <= 0.25 * 400
    assert many.entropy == pytest.approx(alone.entropy, abs=0.01)
    assert many.entropy == pytest.approx(evenness(catalog, "desk", events()).optimum.entropy, abs=0.01)
    assert many.to_json()["share"] == len(many.deliveries) / 400
    assert many.to_json()["bytes"] == round(many.traffic / 40, 1) > 0


def test_nothing_matches_and_nothing_is_published(catalog):
    for published in ([], [Event("e1", EPOCH, {"x": (1,)}, seq=1)]):
        found = serve(catalog, published, 3)
        assert (found.matched, found.deliveries) == (0, ())
        assert found.to_json()["share"] == 0


@pytest.mark.parametrize(
    ("user", "rounds", "nodes", "reason"),
    [("ann", 1, 1, "threshold or sampling filter"), ("desk", 0, 1, "rounds is 0"), ("desk", 1, 0, "nodes is 0")],
)
def test_what_is_refused(catalog, user, rounds, nodes, reason):
    with pytest.raises(ModelError, match=reason):
        serve_as_team(catalog, user, [], [], rounds, nodes)
