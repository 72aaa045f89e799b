"""Add, remove, compact and restart in any order: the index finds what plain evaluation over the same set finds."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.engine.index import LiveIndex, Senses
from rankcast.errors import CatalogError, StoreError
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import Event, Subscription
from rankcast.testing import strategies

START = datetime(2026, 1, 1, tzinfo=UTC)


def meaning(attribute, term):
    return strategies.CONCEPTS[attribute, term.concept]


SENSES = Senses(lambda user: meaning, shared=meaning)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 7), strategies.expressions(2, fuzzy=True)),
        st.tuples(st.just("remove"), st.integers(0, 7)),
        st.tuples(st.just("match"), strategies.events(fuzzy=True)),
        st.tuples(st.just("match"), strategies.events()),
        st.tuples(st.just("compact")),
        st.tuples(st.just("restart")),
    ),
    max_size=14,
)


def event(**attributes):
    return Event("e", START, {name: (value,) for name, value in attributes.items()})


def some(count):
    return [Subscription(f"s{i}", f"u{i % 2}", parse(f"a >= {i}"), (i % 4) / 4) for i in range(count)]


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_any_interleaving_equals_plain_evaluation(layout, steps):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        live = LiveIndex.create(path, [], SENSES)
        there = {}
        for step in steps:
            match step:
                case "put", number, where:
                    subscription = Subscription(f"s{number}", "u", where)
                    there.pop(subscription.id, None)
                    there[subscription.id] = subscription
                    live.put(subscription)
                case "remove", number:
                    if f"s{number}" in there:
                        del there[f"s{number}"]
                        live.remove(f"s{number}")
                    else:
                        with pytest.raises(CatalogError):
                            live.remove(f"s{number}")
                case "match", one:
                    oracle = OracleMatcher(there.values(), SENSES.meaning_of, shared=meaning)
                    expected = sorted((s.id, degree) for s, degree in oracle.match(one))
                    assert sorted((s.id, degree) for s, degree in live.match(one)) == expected
                    found = live.match_batch([one])
                    assert sorted(zip(found.subscription, found.degree.tolist(), strict=True)) == expected
                case ("compact",):
                    live.compact()
                case _:
                    live = LiveIndex(path, SENSES)
            assert len(live) == len(there)
        assert {one.id: one for one in live.subscriptions()} == there


def test_segments_stay_few():
    live = LiveIndex.create(None, some(3))
    for number in range(100):
        live.put(Subscription(f"n{number}", "u", parse(f"b = {number}")))
        assert [one.id for one, _ in live.match(event(b=number))] == [f"n{number}"]
    assert live.stats()["segments"] < 9


@pytest.mark.parametrize("n", [1, 3, 8, 30])
def test_the_best_by_score(n):
    live = LiveIndex.create(None, some(20))
    live.remove("s3")
    live.put(Subscription("top", "u", parse("a exists")))
    one = event(a=15)
    ranked = sorted(
        ((s.id, 1.0 if s.score is None else s.score) for s, _ in live.match(one)), key=lambda p: (-p[1], p[0])
    )
    assert live.top(one, n) == ranked[:n]


def test_only_some_users():
    live = LiveIndex.create(None, some(6))
    found = live.match_batch([event(a=9), event(a=1)], users=["u1", "nobody"])
    assert list(zip(found.event.tolist(), found.subscription, found.user, strict=True)) == [
        (0, "s1", "u1"),
        (0, "s3", "u1"),
        (0, "s5", "u1"),
        (1, "s1", "u1"),
    ]


def test_why_a_subscription_matches_or_not():
    live = LiveIndex.create(None, [Subscription("s", "u", parse("a = 1 and b = 2"))])
    assert live.explain("s", event(a=1)).lines() == [
        "all of these: no, 1 of 2 holds",
        "  a = 1: yes, a is 1",
        "  b = 2: no, there is no b",
    ]
    with pytest.raises(CatalogError):
        live.explain("nobody's", event(a=1))


def test_a_change_that_was_cut_off_is_left_out_and_a_damaged_one_refused(tmp_path):
    path = tmp_path / "index"
    live = LiveIndex.create(path, some(2))
    live.put(Subscription("new", "u", parse("a = 1")))
    log = next(tmp_path.glob("*.changes"))
    whole = log.read_bytes()
    log.write_bytes(whole + whole[:20])
    assert len(LiveIndex(path)) == 3
    assert log.read_bytes() == whole
    log.write_bytes(b"{]\n" + whole)
    with pytest.raises(StoreError, match="line 1 is damaged"):
        LiveIndex(path)


def test_a_compaction_leaves_one_file_and_no_log(tmp_path):
    live = LiveIndex.create(tmp_path / "index", some(2))
    live.put(Subscription("new", "u", parse("a = 1")))
    live.match_batch([event(a=1)])
    live.compact()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert live.stats()["segments"] == 1


def test_a_damaged_file_is_replaced_by_a_new_one(tmp_path):
    path = tmp_path / "index"
    LiveIndex.create(path, some(2)).put(Subscription("ghost", "u", parse("a = 1")))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreError, match="damaged"):
        LiveIndex(path)
    LiveIndex.create(path, some(2))
    assert [one.id for one in LiveIndex(path).subscriptions()] == ["s0", "s1"]


def test_many_changes_are_made_together_or_not_at_all(tmp_path):
    live = LiveIndex.create(tmp_path / "index", some(3))
    with pytest.raises(CatalogError, match="'nobody'"):
        live.change(put=[Subscription("new", "u", parse("a = 1"))], remove=["s1", "nobody"])
    assert [one.id for one in live.subscriptions()] == ["s0", "s1", "s2"]
    live.change(
        put=[Subscription("s1", "u", parse("b = 1")), Subscription("new", "u", parse("a = 1"))], remove=["s0", "s1"]
    )
    assert [one.id for one in LiveIndex(tmp_path / "index").subscriptions()] == ["s2", "s1", "new"]


@pytest.mark.parametrize("damage", ["cut", "changed", "log", "gone"])
def test_a_damaged_index_is_built_again_from_the_catalog(tmp_path, damage):
    path = tmp_path / "index"
    live = LiveIndex.create(path, some(3))
    live.put(Subscription("new", "u", parse("a = 1")))
    content = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(content[:1000])
        case "changed":
            path.write_bytes(content[:-100] + b"x" + content[-99:])
        case "log":
            next(tmp_path.glob("*.changes")).write_bytes(b"{]\n")
        case _:
            path.unlink()
    said = []
    there = [*some(3), Subscription("new", "u", parse("a = 1"))]
    again = LiveIndex.restored(path, there, told=said.append)
    assert [one.id for one in again.subscriptions()] == ["s0", "s1", "s2", "new"]
    assert len(said) == 1
    assert said[0].endswith("; it is built again from the catalog")
    assert [one.id for one in LiveIndex.restored(path, [], told=said.append).subscriptions()] == [
        one.id for one in there
    ]
    assert len(said) == 1


def test_numbers_follow_the_changes():
    numbers = {"s0": 4, "s1": 7, "s2": 9, "new": 5}
    live = LiveIndex.create(None, some(3), number_of=lambda one: numbers[one.id])
    live.change(put=[Subscription("new", "u", parse("a = 1"))], remove=["s0"])
    found = live.match_numbers([event(a=1), event(a=2)])
    assert list(zip(found.event.tolist(), found.subscription.tolist(), strict=True)) == [(0, 5), (0, 7), (1, 7), (1, 9)]
    live.renumber(np.arange(10) - 4)
    assert live.match_numbers([event(a=1)]).subscription.tolist() == [1, 3]


def test_segments_in_memory_are_joined_when_most_is_new():
    live = LiveIndex.create(None, some(4))
    live.match_batch([event(a=1)])
    live.change(put=[Subscription(f"n{i}", "u", parse("a = 1")) for i in range(8)])
    live.match_batch([event(a=1)])
    assert live.stats()["segments"] == 1
