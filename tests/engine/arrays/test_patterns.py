"""CrowdPatterns: asked once for each set of a member's subscriptions, numbered, with rank and degree."""

import numpy as np
import pytest

from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.patterns import CrowdPatterns, Pattern
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.language import parse
from rankcast.model import EPOCH, Aggregate, Catalog, Event, Policy, Subscription


@pytest.mark.parametrize("is_wide", [False, True])
def test_each_set_is_ranked_once(is_wide):
    asked = []

    def rank(member, places):
        asked.append((member, places))
        names = tuple(f"s{place}" for place in places)
        return Pattern(names, names[-1:], places[-1] / 10)

    patterns = CrowdPatterns(rank)
    places = np.array([0, 2, 1, 0, 2, 2])
    starts, ends, members = np.array([0, 2, 3, 5]), np.array([2, 3, 5, 6]), np.array([7, 7, 7, 9])

    def numbers_of():
        masks = np.array([0b101, 0b10, 0b101, 0b100]) * (not is_wide)
        return patterns.number(members, masks, starts, ends, places)

    numbers = numbers_of()
    assert [patterns.all[number].matching for number in numbers] == [("s0", "s2"), ("s1",), ("s0", "s2"), ("s2",)]
    assert patterns.ranks.values[numbers].tolist() == [0.2, 0.1, 0.2, 0.2]
    assert patterns.grids.values[numbers].tolist() == [2 * 10**11, 10**11, 2 * 10**11, 2 * 10**11]
    assert (numbers_of() == numbers).all()
    assert sorted(asked) == [(7, [0, 2]), (7, [1]), (9, [2])]
    degrees = np.array([1.0, 0.5, 0.7, 0.2, 0.9, 0.3])
    assert patterns.degrees(starts, ends, numbers, places, degrees).tolist() == [0.5, 0.7, 0.9, 0.3]


def test_masks_of_all_subscriptions_are_told_apart():
    patterns = CrowdPatterns(lambda member, places: Pattern(tuple(map(str, places)), (), 0.0))
    pairs = [(one, other) for one in range(62) for other in range(one)]
    masks = np.array([1 << one | 1 << other for one, other in pairs])
    places = np.array([place for pair in pairs for place in sorted(pair)])
    starts = np.arange(0, len(places), 2)
    for _ in range(2):
        numbers = patterns.number(np.zeros(len(pairs), np.int64), masks, starts, starts + 2, places)
        assert [set(map(int, patterns.all[number].matching)) for number in numbers.tolist()] == list(map(set, pairs))
    assert len(patterns.all) == 62 * 61 // 2


@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("specific", [True, False])
def test_a_member_ranks_as_the_reference_engine_does(aggregate, specific):
    wheres = ("x > 1", "x > 2", "y = 'a'")
    subscriptions = [
        Subscription(f"s{n}", "u", parse(where), 0.1 + 0.3 * n, weight=0.3 + n) for n, where in enumerate(wheres)
    ]
    catalog = Catalog([*subscriptions, Policy("u", aggregate=aggregate, specific=specific)])
    member, oracle = Member("u", catalog), Subscriber("u", catalog)
    for places in ([0], [2], [0, 1], [0, 1, 2]):
        candidate = oracle.candidate(Event("e", EPOCH, {}), [(subscriptions[place], 1.0) for place in places])
        assert member.pattern(places) == Pattern(candidate.matching, candidate.specific, candidate.rank)
