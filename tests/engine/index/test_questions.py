"""Questions: what codes cannot decide is decided as plain evaluation does, each different question once."""

from datetime import UTC, datetime

import numpy as np

from rankcast.engine.index import IndexMatcher, Senses
from rankcast.engine.index.building import build
from rankcast.engine.index.matcher import draft_of
from rankcast.engine.index.questions import Questions
from rankcast.language import parse
from rankcast.matching import OracleMatcher, evaluate
from rankcast.model import Catalog, Concept, Event, Interval, LeftShoulder, Norm, Policy, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CHEAP = Concept("cheap", "price", LeftShoulder(10, 30))
THRIFTY = Concept("cheap", "price", LeftShoulder(0, 10), user="thrifty")
WHERE = parse("price is cheap [0.25, 0] and size is small [0.1, 0]")
SMALL = Concept("small", "size", LeftShoulder(1, 5))


def event(name, **attributes):
    return Event(name, NOON, attributes)


def wishes():
    users = ["ann", "thrifty", "bob", "careful"]
    return [Subscription(f"{user}'s", user, WHERE) for user in users]


def catalog_of(subscriptions):
    return Catalog([CHEAP, THRIFTY, SMALL, *subscriptions, Policy("careful", norm=Norm.PRODUCT)])


def senses_of(catalog):
    return Senses(
        lambda user: lambda attribute, term: catalog.membership(attribute, term, user),
        lambda user: catalog.policy_of(user).norm,
        catalog.membership,
    )


def turns(compiled, places):
    """When the search comes to the subscriptions at these places."""
    return np.array([compiled.place_at.tolist().index(place) for place in places], np.int32)


def test_users_who_mean_the_same_share_one_expression():
    subscriptions = wishes()
    catalog = catalog_of(subscriptions)
    draft, members = draft_of(subscriptions, senses_of(catalog).meaning_of)
    assert members.owner.tolist() == [0, 1, 0, 0]
    assert len(draft.owner_flags) == 2


def test_each_user_has_their_meaning_and_their_norm():
    subscriptions = wishes()
    catalog = catalog_of(subscriptions)
    matcher = IndexMatcher.of_catalog(subscriptions, catalog)
    senses = senses_of(catalog)
    oracle = OracleMatcher(subscriptions, senses.meaning_of, senses.norm_of, senses.shared)
    for price in (2, 8, 15, 20, 26):
        for one in (event("e", price=(price,), size=(3,)), event("e", price=Interval(price, price + 9), size=(2,))):
            expected = list(oracle.match(one))
            assert list(matcher.match(one)) == expected
    degrees = {one.user: degree for one, degree in matcher.match(event("e", price=(20,), size=(3,)))}
    assert degrees == {"ann": 0.5, "bob": 0.5, "careful": 0.25}


def test_a_question_is_evaluated_once_per_event_however_many_ask():
    subscriptions = [Subscription(f"s{i}", f"u{i}", parse("price is cheap or size is small")) for i in range(50)]
    catalog = catalog_of(subscriptions)
    senses = senses_of(catalog)
    compiled = build(*draft_of(subscriptions, senses.meaning_of))
    asked = []

    def subscription(place):
        asked.append(place)
        return subscriptions[place]

    questions = Questions(compiled, subscription, senses)
    events = [event("e1", price=(15,)), event("e2", price=Interval(0, 50))]
    pairs = np.repeat(np.arange(2, dtype=np.int32), 50), np.tile(turns(compiled, range(50)), 2)
    holds, degree = questions.decide(events, np.array([False, True]), *pairs)
    expected = [evaluate(subscriptions[0].where, one, catalog.membership).possibility for one in events]
    assert holds.all()
    assert degree.tolist() == [expected[0]] * 50 + [expected[1]] * 50
    assert asked == [0, 0, 0]  # looked at, then evaluated for each event


def test_other_norms_take_the_place_of_the_old():
    subscriptions = wishes()
    catalog = catalog_of(subscriptions)
    compiled = build(*draft_of(subscriptions, senses_of(catalog).meaning_of))
    questions = Questions(compiled, subscriptions.__getitem__, senses_of(catalog))
    one = [event("e", price=(20,), size=(3,))]
    arguments = one, np.array([False]), np.zeros(1, np.int32), turns(compiled, [3])
    assert questions.decide(*arguments)[1].tolist() == [0.25]
    catalog.put(Policy("careful", norm=Norm.MIN))
    questions.senses = senses_of(catalog)
    assert questions.decide(*arguments)[1].tolist() == [0.5]


def test_pairs_that_fail_are_told():
    subscriptions = wishes()
    catalog = catalog_of(subscriptions)
    compiled = build(*draft_of(subscriptions, senses_of(catalog).meaning_of))
    questions = Questions(compiled, subscriptions.__getitem__, senses_of(catalog))
    one = [event("e", price=(20,), size=(3,))]
    holds, degree = questions.decide(one, np.array([False]), np.zeros(2, np.int32), turns(compiled, [0, 1]))
    assert (holds.tolist(), degree.tolist()) == ([True, False], [0.5, 0.0])
