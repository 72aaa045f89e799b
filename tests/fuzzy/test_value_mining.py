"""Concepts for strings: planted groups are found, noise is not, and data added later counts as data at once."""

from datetime import UTC, datetime
from random import Random

import pytest

from rankcast.errors import ModelError
from rankcast.fuzzy import ValueSummary, degree, mine_values
from rankcast.fuzzy.value_summary import MOST_VALUES
from rankcast.language import parse
from rankcast.model import Event

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
GROUPS = (("new", "renovated", "mint"), ("worn", "used"), ("derelict", "ruined", "burnt"))


def flats(count: int, random: Random, told: float = 1.0) -> list[Event]:
    """Events whose condition goes with price and heating, but for a share that is random, and titles of their own."""
    found = []
    for number in range(count):
        group = random.randrange(len(GROUPS))
        seen = group if random.random() < told else random.randrange(len(GROUPS))
        attributes = {
            "condition": (random.choice(GROUPS[group]),),
            "price": (random.gauss(3000 - 1000 * seen, 150),),
            "heating": (("central", "stove", "none")[seen],),
            "title": (f"flat {random.random()}",),
            "floor": (random.randrange(9),),
        }
        found.append(Event(f"e{number}", NOON, attributes))
    return found


@pytest.mark.parametrize("seed", range(10))
def test_planted_groups_are_found(seed):
    mined = mine_values(ValueSummary.of("condition", flats(600, Random(seed), told=0.9)))
    assert {frozenset(cluster) for cluster in mined.clusters} == {frozenset(group) for group in GROUPS}
    assert dict(mined.associations).keys() == {"price", "heating"}  # neither titles nor floors, which say nothing
    for cluster, concept in zip(mined.clusters, mined.concepts, strict=True):
        assert concept.name == f"like_{cluster[0]}"
        assert all(degree(concept.membership, (), value) >= 0.5 for value in cluster)
        others = [value for group in mined.clusters if group != cluster for value in group]
        assert all(degree(concept.membership, (), value) <= 0.5 for value in others)


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_no_meaning(seed):
    mined = mine_values(ValueSummary.of("condition", flats(600, Random(seed), told=0.0)))
    assert (mined.concepts, mined.reason) == ((), "nothing tells the strings of 'condition' apart")


def test_what_subscriptions_accept_together_belongs_together():
    wheres = [parse("genre in ('drama', 'romance')"), parse("genre = 'drama' or genre = 'romance'")] * 4
    wheres += [parse("genre in ('horror', 'thriller') and year > 2000")] * 8 + [parse("genre != 'drama'")]
    mined = mine_values(ValueSummary.of("genre", [], wheres))
    assert {frozenset(cluster) for cluster in mined.clusters} == {
        frozenset({"drama", "romance"}),
        frozenset({"horror", "thriller"}),
    }


def test_summaries_add_up_and_survive_json():
    events = flats(400, Random(3))
    whole = ValueSummary.of("condition", events)
    parts = ValueSummary.of("condition", events[:150]).merged(ValueSummary.of("condition", events[150:]))
    assert parts == whole == ValueSummary.of_json(whole.to_json())
    assert mine_values(parts).concepts == mine_values(whole).concepts
    with pytest.raises(ModelError, match="is none of 'condition'"):
        whole.merged(ValueSummary.of("heating", []))
    with pytest.raises(ModelError, match="no summary"):
        ValueSummary.of_json({})


def test_the_order_of_events_does_not_matter():
    events = flats(400, Random(4), told=0.8)
    shuffled = Random(5).sample(events, len(events))
    one, other = (mine_values(ValueSummary.of("condition", each)) for each in (events, shuffled))
    assert one.concepts == other.concepts


def test_clusters_keep_the_names_that_they_had():
    first = mine_values(ValueSummary.of("condition", flats(400, Random(6))), names=("a", "b", "c"))
    later = mine_values(ValueSummary.of("condition", flats(800, Random(7))), count=3, known=first.concepts)
    for concept in later.concepts:
        (same,) = (one for one in first.concepts if one.name == concept.name)
        assert {value for value, one in same.membership.degrees if one >= 0.5} == {
            value for value, one in concept.membership.degrees if one >= 0.5
        }


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["a", "b"] * 10, "'kind' has 2 distinct strings; it takes at least 3"),
        ([f"v{n}" for n in range(MOST_VALUES + 1)], "more than 200 distinct strings"),
        (["a", "b", "c"] * 10, "nothing tells the strings of 'kind' apart"),
    ],
)
def test_poor_data_is_answered_with_a_reason(values, reason):
    events = [Event(f"e{at}", NOON, {"kind": (value,), "same": (1,)}) for at, value in enumerate(values)]
    assert reason in mine_values(ValueSummary.of("kind", events)).reason


def test_the_number_may_be_fixed():
    summary = ValueSummary.of("condition", flats(400, Random(8)))
    assert len(mine_values(summary, count=2).concepts) == 2
    with pytest.raises(ModelError, match="fewer than 2"):
        mine_values(summary, count=1)
