"""The seam between matcher and arrays."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.engine.arrays import BatchShard, matching
from rankcast.engine.arrays import roster as rosters
from rankcast.engine.arrays.matching import IndexMatching, MatchingBySize, OneByOneMatcher
from rankcast.engine.arrays.roster import Roster
from rankcast.engine.choice import shard_for
from rankcast.engine.reference.shard import Shard
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Concept, LeftShoulder, Norm, Policy, Subscription
from rankcast.testing import strategies

CONCEPTS = [Concept(name, attribute, membership) for (attribute, name), membership in strategies.CONCEPTS.items()]
changes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 6), strategies.expressions(2, fuzzy=True)),
        st.tuples(st.just("put"), st.integers(0, 6), strategies.expressions(2, fuzzy=True)),
        st.tuples(st.just("remove"), st.integers(0, 6)),
        st.tuples(st.just("norm"), st.integers(0, 2), st.sampled_from(Norm)),
        st.tuples(st.just("meaning"), st.sampled_from(CONCEPTS), st.one_of(st.none(), st.integers(0, 2))),
        st.tuples(st.just("match"), strategies.events(fuzzy=True)),
        st.tuples(st.just("match"), strategies.events()),
    ),
    max_size=16,
)


def change(catalog, step):
    match step:
        case "put", number, where:
            catalog.put(Subscription(f"s{number}", f"user{number % 3}", where))
        case "remove", number:
            if f"s{number}" in catalog.subscriptions:
                catalog.remove(catalog.subscriptions[f"s{number}"])
        case "norm", number, norm:
            catalog.put(Policy(f"user{number}", norm=norm))
        case "meaning", concept, number:
            user = None if number is None else f"user{number}"
            numeric = not isinstance(getattr(concept.membership, "degrees", ((0,),))[0][0], str)
            other = LeftShoulder(0, 3) if numeric else concept.membership
            catalog.put(Concept(concept.name, concept.attribute, other, user=user))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(changes, st.sampled_from([0, 1000]), st.booleans())
def test_the_index_follows_any_changes(steps, spare, in_place):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rosters, "_SPARE", spare)
        catalog = Catalog(CONCEPTS)
        roster, through, plain = (
            Roster(lambda user: user != "user2"),
            IndexMatching(),
            matching.RebuiltMatching(matching._plain),
        )
        for step in steps:
            change(catalog, step)
            if step[0] != "match":
                continue
            now = catalog if in_place else catalog.copy()
            found = roster.update(now)
            through.update(roster, found, now)
            plain.update(roster, found, now)
            ours, theirs = through.match_batch([step[1]] * 2), plain.match_batch([step[1]] * 2)
            assert [column.tolist() for column in ours] == [column.tolist() for column in theirs]


@pytest.mark.parametrize("seed", range(3))
def test_a_shard_through_the_index_delivers_as_the_oracle_while_the_catalog_changes(worlds, seed, monkeypatch):
    monkeypatch.setattr(matching, "INDEX_FROM", 0)
    chance = random.Random(seed)
    catalog = worlds.catalog(chance)
    events = worlds.events(chance, 200)
    plain, fast = Shard(catalog), BatchShard(catalog)
    assert isinstance(fast._matched.matching._matching, IndexMatching)
    for start in range(0, len(events), 20):
        batch = events[start : start + 20]
        assert fast.publish(batch) == plain.publish(batch)
        catalog = catalog.copy()
        for _ in range(3):
            user = f"user{chance.randrange(10)}"
            mine = catalog.subscriptions_of(user)
            if mine and chance.random() < 0.5:
                catalog.remove(chance.choice(mine))
            else:
                where = chance.choice(worlds.subscriptions(chance, user)).where
                catalog.put(Subscription(f"{user}-{chance.randrange(3)}", user, where, chance.random()))
        assert fast.update(catalog) == plain.update(catalog)
    assert fast.close() == plain.close()


def test_many_subscriptions_are_found_through_the_index_few_are_asked(worlds, monkeypatch):
    catalog = worlds.catalog(random.Random(4))
    roster, by_size = Roster(lambda user: True), MatchingBySize()
    monkeypatch.setattr(matching, "INDEX_FROM", len(catalog.subscriptions) + 1)
    by_size.update(roster, roster.update(catalog), catalog)
    assert isinstance(by_size._matching, matching.RebuiltMatching)
    catalog.add(Subscription("one more", "user1", worlds.subscriptions(random.Random(1), "user1")[0].where))
    by_size.update(roster, roster.update(catalog), catalog)
    assert isinstance(by_size._matching, IndexMatching)


def test_few_pairs_are_for_the_oracle(worlds):
    catalog = worlds.catalog(random.Random(5))
    assert isinstance(shard_for(10, catalog), Shard)
    assert isinstance(shard_for(1_999_999 // len(catalog.subscriptions), catalog), BatchShard)
    assert isinstance(shard_for(5_000, Catalog()), BatchShard)


def test_one_by_one_gives_what_the_matcher_gives(worlds):
    chance = random.Random(0)
    catalog = worlds.catalog(chance)
    given = list(catalog.subscriptions.values())
    matcher = OracleMatcher(
        given, lambda user: lambda name, term: catalog.membership(name, term, user), shared=catalog.membership
    )
    events = worlds.events(chance, 20)
    found = OneByOneMatcher(given, matcher).match_batch(events)
    expected = [(place, s.id, degree) for place, event in enumerate(events) for s, degree in matcher.match(event)]
    pairs = zip(found.event.tolist(), found.subscription.tolist(), found.degree.tolist(), strict=True)
    assert [(place, given[number].id, degree) for place, number, degree in pairs] == expected
    assert [len(column) for column in OneByOneMatcher([], OracleMatcher([])).match_batch(events)] == [0, 0, 0]
