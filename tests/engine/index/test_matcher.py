"""The index finds what plain evaluation finds: same subscriptions, same degrees, same order (semantics: Events and subscriptions; semantics: Approximate matching)."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.engine.index import IndexMatcher
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import (
    And,
    Between,
    Compare,
    Event,
    Exists,
    Gaussian,
    Interval,
    Is,
    Norm,
    Not,
    OneOf,
    Op,
    Or,
    Predicate,
    Subscription,
    Table,
    Term,
    Thresholds,
    is_operand,
)
from rankcast.testing import strategies, wild

START = datetime(2026, 1, 1, tzinfo=UTC)


def meaning(attribute, term):
    return strategies.CONCEPTS[attribute, term.concept]


def same(subscriptions, events, **settings):
    oracle = OracleMatcher(subscriptions, **settings)
    index = IndexMatcher(subscriptions, **settings)
    expected = [list(oracle.match(event)) for event in events]
    assert [list(index.match(event)) for event in events] == expected
    together = index.match_batch(events)
    pairs = [(place, one, degree) for place, found in enumerate(expected) for one, degree in found]
    assert together.event.tolist() == [place for place, _, _ in pairs]
    assert [subscriptions[place] for place in together.subscription.tolist()] == [one for _, one, _ in pairs]
    assert together.degree.tolist() == [degree for _, _, degree in pairs]


def event(**attributes):
    return Event(
        "e",
        START,
        {
            name: value if isinstance(value, tuple | Interval | Table) else (value,)
            for name, value in attributes.items()
        },
    )


def found(texts, one):
    subscriptions = [Subscription(text, "u", parse(text)) for text in texts]
    same(subscriptions, [one])
    return [subscription.id for subscription, _ in IndexMatcher(subscriptions).match(one)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(subscriptions=strategies.subscriptions(max_size=12), events=st.lists(strategies.events(), max_size=4))
def test_crisp_subscriptions_and_events_of_every_structure(layout, subscriptions, events):
    same(subscriptions, events)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    subscriptions=strategies.subscriptions(max_size=8, fuzzy=True),
    events=st.lists(strategies.events(fuzzy=True), max_size=4),
    norm=st.sampled_from(Norm),
)
def test_vague_subscriptions_and_imprecise_events(layout, subscriptions, events, norm):
    same(subscriptions, events, meaning_of=lambda user: meaning, shared=meaning, norm_of=lambda user: norm)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    wheres=st.lists(wild.expressions(), min_size=1, max_size=5),
    events=st.lists(wild.events(), max_size=3),
    membership=wild.memberships(),
)
def test_anything_that_the_model_allows(layout, wheres, events, membership):
    subscriptions = [Subscription(str(number), "u", where) for number, where in enumerate(wheres)]
    same(subscriptions, events, meaning_of=lambda user: lambda *_: membership, shared=lambda *_: membership)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    numbers=st.lists(
        st.one_of(
            st.integers(2**53 - 2, 2**53 + 2),
            st.integers(2**63 - 1026, 2**63 - 1),
            st.floats(2.0**53, 2.0**63),
            st.integers(-(2**63), -(2**63) + 3),
        ),
        min_size=2,
        max_size=6,
    )
)
def test_large_integers_and_floats_compare_exactly(layout, numbers):
    wheres = [Predicate("x", Compare(op, number)) for number in numbers for op in Op if op.sides]
    wheres += [Predicate("x", Between(*sorted(numbers[:2]))), Predicate("x", OneOf(tuple(numbers)))]
    subscriptions = [Subscription(str(place), "u", where) for place, where in enumerate(wheres)]
    nearby = {other for number in numbers for other in (number, int(number) - 1, float(number))}
    same(subscriptions, [event(x=number) for number in nearby if -(2**63) <= number < 2**63])


def test_kinds_do_not_mix(layout):
    texts = ["x = 1", "x = true", "x = '1'", "x != 2", "x != 'a'", "x exists", "x in (1, true, '1')", "not (x = 1)"]
    assert found(texts, event(x=True)) == ["x = true", "x exists", "x in (1, true, '1')", "not (x = 1)"]
    assert found(texts, event(x=1.0)) == ["x = 1", "x != 2", "x exists", "x in (1, true, '1')"]
    assert found(texts, event(y=1)) == ["not (x = 1)"]


def test_several_values_are_looked_at_one_by_one(layout):
    texts = ["p between 'b' and 'c'", "p = 'a' and p = 'd'", "p != 'a'", "not (p = 'd')", "p in ('a', 'd')"]
    assert found(texts, event(p=("a", "d"))) == ["p = 'a' and p = 'd'", "p != 'a'", "p in ('a', 'd')"]


def test_alternatives_that_both_hold_are_found_once(layout):
    texts = ["a = 1 or b = 2", "(a = 1 or b = 2) and (a = 1 or c = 3)", "a in (1, 2) or a < 5", "p in ('x', 'y')"]
    assert found(texts, event(a=1, b=2, c=3, p=("x", "y"))) == texts


def test_predicates_on_one_imprecise_value_are_one_question(layout):
    texts = [
        "a < 1000 and a > 1500",
        "a >= 1000 and a <= 1500",
        "a between 1000 and 1500",
        "a < 1000",
        "a <= 1500 and not (a < 1000)",
        "a <= 1200 [1, 1] or a > 1200 [1, 1]",
    ]
    ends = Table(((900, 1.0), (1600, 1.0)))
    assert found(texts, event(a=Interval(900, 1600))) == texts[1:]
    assert found(texts, event(a=ends)) == ["a < 1000", *texts[5:]]


def test_identical_subscriptions_are_all_found(layout):
    subscriptions = [Subscription(f"s{i}", f"u{i % 3}", parse("a = 1 and b = 2")) for i in range(5)]
    matcher = IndexMatcher(subscriptions)
    assert [one.id for one, _ in matcher.match(event(a=1, b=2))] == ["s0", "s1", "s2", "s3", "s4"]
    assert matcher.index.compiled.group_ends.tolist() == [[0, 5]]


def test_a_bell_and_a_table_of_strings(layout):
    meanings = {"about": Gaussian(5, 1), "nice": Table((("x", 1.0), ("y", 0.4)))}
    wheres = [
        Predicate("a", Is(Term("about")), Thresholds(possibility, necessity))
        for possibility in (0, 0.2, 0.9)
        for necessity in (0, 0.5)
    ]
    wheres += [Predicate("p", Is(Term("nice")), Thresholds(0.4, 0)), Not(Predicate("p", Is(Term("nice"))))]
    subscriptions = [Subscription(str(place), "u", where) for place, where in enumerate(wheres)]
    events = [event(a=x / 8) for x in range(80)] + [event(p="x"), event(p=("y", "z")), event(p="q")]
    events += [Event("e", START, {"a": Gaussian(4, 2)}), Event("e", START, {"p": Table((("x", 0.5), ("z", 1.0)))})]
    named = lambda attribute, term: meanings[term.concept]  # noqa: E731
    same(subscriptions, events, meaning_of=lambda user: named, shared=named)


def test_more_literals_than_a_posting_has_room_for(layout):
    texts = {op: " and ".join(f"a{i} {op} {i}" for i in range(70)) for op in ("=", ">=", "!=", "<")}
    subscriptions = [Subscription(op, "u", parse(text)) for op, text in texts.items()]
    events = [event(**{f"a{i}": i + (i == 69) * more for i in range(70)}) for more in (0, 1)]
    events.append(event(**{f"a{i}": i - 1 for i in range(70)}))
    same(subscriptions, events)
    found = [[one.id for one, _ in IndexMatcher(subscriptions).match(each)] for each in events]
    assert found == [["=", ">="], [">="], ["!=", "<"]]


def test_nothing_to_match():
    assert list(IndexMatcher([]).match(event(a=1))) == []
    assert list(IndexMatcher([Subscription("s", "u", parse("true"))]).match(event())) != []
    assert len(IndexMatcher([]).match_batch([]).event) == 0


def _random_predicate(chance):
    name = chance.choice(["a", "b", "c", "p", "q", "t"])
    if name in "pq":
        value = chance.choice(["", "x", "y", "xy", "yx", "xyx", "xx"])
        return Predicate(
            name,
            chance.choice(
                [
                    Compare(chance.choice([op for op in Op if is_operand(op, value)]), value),
                    OneOf((value, "y")),
                    Exists(),
                ]
            ),
        )
    if name == "t":
        return Predicate(
            name, Compare(chance.choice([Op.LT, Op.GE, Op.EQ]), START + timedelta(days=chance.randrange(5)))
        )
    low = chance.randrange(20)
    tests = [
        Compare(chance.choice([op for op in Op if op.sides]), low),
        Between(low, low + chance.randrange(5)),
    ]
    return Predicate(name, chance.choice(tests))


def _random_expression(chance, depth):
    if depth == 0 or chance.random() < 0.2:
        return _random_predicate(chance)
    parts = tuple(_random_expression(chance, depth - 1) for _ in range(chance.randrange(2, 4)))
    return chance.choice([And(parts), And(parts), Or(parts), Not(parts[0])])


def _random_event(chance):
    attributes = {name: (chance.randrange(40) / 2,) for name in "abc" if chance.random() < 0.8}
    for name in "pq":
        if chance.random() < 0.7:
            attributes[name] = tuple(chance.sample(["x", "y", "xy", "yx", "xyx", "z"], chance.randrange(1, 4)))
    if chance.random() < 0.5:
        attributes["t"] = (START + timedelta(hours=12 * chance.randrange(10)),)
    return Event("e", START, attributes)


@pytest.mark.slow
def test_a_million_random_pairs(layout):
    chance = random.Random(7)
    subscriptions = [Subscription(str(i), "u", _random_expression(chance, 2)) for i in range(1000)]
    events = [_random_event(chance) for _ in range(1000)]
    oracle = OracleMatcher(subscriptions)
    pairs = IndexMatcher(subscriptions).match_batch(events)
    expected = [(place, int(one.id)) for place, event in enumerate(events) for one, _ in oracle.match(event)]
    assert len(expected) > 100_000
    assert list(zip(pairs.event.tolist(), pairs.subscription.tolist(), strict=True)) == expected
