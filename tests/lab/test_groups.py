"""Filters shared by groups of similar users (semantics: Groups; thesis chapter 6)."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.choose.filters.chance import chance
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import replay
from rankcast.errors import ModelError
from rankcast.lab.groups import Group, find_groups, hand_out, shared_catalog, study_groups
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Concept, Event, Filter, FilterKind, Interval, Policy, Subscription

FILTER = Filter(FilterKind.THRESHOLD, 0.4, 10)


def catalog(**topics):
    found = Catalog()
    for user, names in topics.items():
        for name in names:
            found.add(Subscription(f"{user}-{name}", user, parse(f"topic = '{name}'")))
        found.add(Policy(user, filter=FILTER))
    return found


def events(count=120):
    topics = [("abcdef"[min(5, int(6 * chance(0, "topic", str(n)) ** 2))],) for n in range(1, count + 1)]
    return [Event(f"e{n}", EPOCH + timedelta(seconds=n), {"topic": topic}, seq=n) for n, topic in enumerate(topics, 1)]


def test_users_join_the_group_that_they_resemble_most():
    known = catalog(ann="abc", bob="abc", cat="abd", dan="ef", eve="ef")
    assert find_groups(known, 1.0) == [Group("group of ann", ("ann", "bob")), Group("group of dan", ("dan", "eve"))]
    assert find_groups(known, 0.5)[0].members == ("ann", "bob", "cat")


def test_the_order_within_a_conjunction_does_not_matter():
    known = catalog(ann="", bob="")
    known.add(Subscription("1", "ann", parse("x > 1 and y > 1")))
    known.add(Subscription("2", "bob", parse("y > 1 and x > 1")))
    assert [group.members for group in find_groups(known, 1.0)] == [("ann", "bob")]


@pytest.mark.parametrize(
    "other",
    [
        Policy("bob"),
        Policy("bob", filter=replace(FILTER, rate=0.5)),
        Concept("dear", "topic", Interval(1, 2), user="bob"),
    ],
)
def test_only_the_same_policies_and_concepts_share(other):
    known = catalog(ann="abc", bob="abc")
    known.put(other)
    assert find_groups(known) == []


def test_similarity_is_a_share():
    with pytest.raises(ModelError, match="similarity"):
        find_groups(catalog(ann="a"), 0)


def test_equal_users_get_what_they_would_get_alone():
    known = catalog(ann="abc", bob="abc", cat="def")
    groups = find_groups(known, 1.0)
    study, handed = study_groups(known, groups, events())
    assert handed == sorted(replay(known, events()), key=lambda one: one.order)
    assert study.entropy[0] == study.entropy[1]
    assert study.decisions[1] * 2 == study.decisions[0]
    assert study.messages[1] * 2 == study.messages[0]


users = st.dictionaries(st.sampled_from(["ann", "bob", "cat", "dan"]), st.sets(st.sampled_from("abcdef"), min_size=1))


@settings(max_examples=25)
@given(users, st.floats(0.1, 1))
def test_a_member_gets_exactly_what_passed_and_matches_with_every_engine(topics, similarity):
    known = catalog(**{user: sorted(names) for user, names in topics.items()})
    groups = find_groups(known, similarity)
    shared = shared_catalog(known, groups)
    passed = replay(shared, events(40))
    shard = BatchShard(shared)
    assert sorted([*shard.publish(events(40)), *shard.close()], key=lambda one: one.order) == passed
    found = hand_out(known, groups, events(40), passed)
    topic = {event.id: event.attributes["topic"][0] for event in events(40)}
    for group in groups:
        through = {one.event for one in passed if one.user == group.user}
        for member in group.members:
            got = {one.event for one in found if one.user == member}
            assert got == {event for event in through if topic[event] in topics[member]}
    grouped = {member for group in groups for member in group.members}
    assert [one for one in found if one.user not in grouped] == [one for one in passed if one.user in topics]
