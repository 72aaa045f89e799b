"""The novelty fields of policies, tested through the whole service of a user (semantics: Novelty)."""

from collections.abc import Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.choose.filters import Filtered
from rankcast.engine.explain import explain
from rankcast.engine.reference.shard import Shard, replay
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.language import decode_record, parse
from rankcast.model import Catalog, Event, Policy, Subscription

START = datetime(2026, 1, 1, tzinfo=UTC)
SCORES = {"drama": 0.9, "comedy": 0.6, "short": 0.3}


def catalog(**policy):
    made = Catalog([Subscription(g, "ann", parse(f"genre = '{g}'"), score) for g, score in SCORES.items()])
    made.add(decode_record({"kind": "policy", "user": "ann", **policy}))
    return made


def events(genres, minutes=10, sources=()):
    return [
        Event(
            f"e{seq}",
            START + timedelta(minutes=minutes * seq),
            {"genre": (genre,)},
            source=sources[seq - 1] if sources else None,
            seq=seq,
        )
        for seq, genre in enumerate(genres, 1)
    ]


def sent(made, stream):
    return [delivery.event for delivery in replay(made, stream)]


def test_top_k_of_decaying_novelty():
    made = catalog(
        mode="periodic", k=2, length=6, score={"novelty": 1}, novelty={"scoring": "decay"}, decay={"alpha": 0.2}
    )
    stream = events(["drama"] * 4 + ["comedy", "short"])
    assert sent(made, stream) == ["e5", "e6"], "1 each, and more recent than the first drama, which is 1, too"
    assert [round(d.rank, 3) for d in replay(made, events(["drama"] * 6))] == [1.0, 0.8]


def test_threshold_delivery_on_decaying_novelty_fixed_and_adaptive():
    fixed = catalog(filter={"novelty": "minimum", "scoring": "decay", "minimum": 0.5}, decay={"alpha": 0.25})
    assert sent(fixed, events(["drama"] * 5 + ["comedy"])) == ["e1", "e2", "e3", "e6"]
    adaptive = catalog(
        filter={"novelty": "threshold", "scoring": "decay", "rate": 0.5, "period": 4}, decay={"alpha": 0.1, "period": 4}
    )
    stream = events(["drama", "drama", "drama", "comedy"] * 2)
    assert sent(adaptive, stream) == ["e1", "e2", "e5", "e8"], "reset each 4 events; the bar is then 1"


def test_any_score_feeds_a_filter():
    made = catalog(filter={"novelty": "threshold", "scoring": "score", "rate": 0.5, "period": 2})
    assert sent(made, events(["drama", "short", "short", "drama"])) == ["e1", "e4"]
    made = catalog(filter={"novelty": "minimum", "scoring": "score", "minimum": 0.6})
    assert sent(made, events(["drama", "short", "comedy"])) == ["e1", "e3"]


def test_interval_novelty_in_a_score():
    made = catalog(score={"novelty": 1}, novelty={"scoring": "interval"})
    ranks = [delivery.rank for delivery in replay(made, events(["drama", "drama", "comedy"]))]
    assert ranks == [1.0, 0.5, 1.0]


def test_recency_decides_when_the_mode_chooses_and_the_explanation_names_it():
    policy = {"mode": "periodic", "k": 1, "length": 2, "score": {"preference": 0.5, "recency": 0.5}, "half_life": "10m"}
    made, stream = catalog(**policy), events(["drama", "comedy"])
    (delivery,) = replay(made, stream)
    assert (delivery.event, delivery.rank) == ("e2", 0.8), "the drama is 0.45 + 0.25 by then"
    told = explain(made, stream, "ann", "e1")
    assert told.parts == "0.7 = 0.5 * preference 0.9 + 0.5 * recency 0.5"
    assert told.rank == 0.7
    assert "rank 0.7 was never in the top 1" in told.verdict


def test_authority_of_sources():
    made = catalog(mode="periodic", k=1, length=2, score={"preference": 1, "authority": 1}, authority={"rumour": 0.1})
    assert sent(made, events(["drama", "comedy"], sources=["rumour", "agency"])) == ["e2"]


POLICIES = [
    {"score": {"novelty": 1}, "novelty": {"scoring": "decay"}, "decay": {"window": 3, "unit": "matched"}},
    {"score": {"preference": 1, "novelty": 2}, "novelty": {"scoring": "interval", "aging": 0.5}},
    {"filter": {"novelty": "sampling", "scoring": "decay", "rate": 0.5, "period": 3}, "decay": {"alpha": 0.3}},
    {"filter": {"novelty": "threshold", "scoring": "score", "rate": 0.5, "period": 3}, "score": {"novelty": 1}},
    {"mode": "sliding", "k": 1, "length": 4, "score": {"recency": 1, "preference": 1}, "half_life": "15m"},
    {"preset": "balanced"},
    {"preset": "surprise me"},
    {"preset": "calm"},
    {"preset": "headlines"},
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_a_cut_anywhere_does_not_show(policy):
    made, stream = catalog(**policy), events(["drama", "comedy", "drama", "short", "drama", "drama", "comedy"] * 3)
    expected = replay(made, stream)
    for cut in (1, 5, 11):
        first, second = Shard(made), Shard(made)
        found = first.publish(stream[:cut])
        second.restore(first.state())
        found += second.publish(stream[cut:]) + second.close()
        assert sorted(found, key=lambda delivery: delivery.order) == expected


def test_another_decay_begins_anew_and_another_weight_does_not():
    made = catalog(score={"novelty": 1}, novelty={"scoring": "decay"}, decay={"alpha": 0.2})
    stream = events(["drama"] * 4)
    shard = Shard(made)
    shard.publish(stream[:2])
    policy: Policy = made.policy_of("ann")
    heavier = Catalog([*made.subscriptions_of("ann"), replace(policy, half_life=timedelta(days=2))])
    shard.update(heavier)
    assert [delivery.rank for delivery in shard.publish(stream[2:3])] == [0.6]
    faster = Catalog([*made.subscriptions_of("ann"), replace(policy, decay=replace(policy.decay, alpha=0.5))])
    shard.update(faster)
    assert [delivery.rank for delivery in shard.publish(stream[3:])] == [1.0]


@pytest.mark.parametrize(("aggregate", "rank"), [("max", 0.7), ("min", 0.5), ("mean", 0.6)])
def test_all_matching_subscriptions_count_if_the_policy_says_so(aggregate, rank):
    general = Subscription("drama", "ann", parse("genre = 'drama'"), 0.7)
    special = Subscription("burton", "ann", parse("genre = 'drama' and director = 'Burton'"), 0.5)
    event = Event("e1", START, {"genre": ("drama",), "director": ("Burton",)}, seq=1)
    for specific, expected, because in ((True, 0.5, ["burton"]), (False, rank, ["drama", "burton"])):
        record = {"kind": "policy", "user": "ann", "specific": specific, "aggregate": aggregate}
        (delivery,) = replay(Catalog([general, special, decode_record(record)]), [event])
        assert (delivery.rank, list(delivery.subscriptions)) == (pytest.approx(expected), because)


def test_subscriptions_are_looked_up_not_searched_for_when_one_of_many_changes(monkeypatch):
    made = catalog(filter={"novelty": "sampling", "rate": 0.5, "period": 10})
    served = Subscriber("ann", made)
    told = []
    monkeypatch.setattr(Filtered, "keep", lambda self, ids: told.append(ids))
    made.put(Subscription("short", "ann", parse("genre = 'short' and x = 1")))
    made.put(Subscription("long", "ann", parse("genre = 'long'")))
    served.update(made)
    (ids,) = told
    assert isinstance(ids, Set), "a list takes time in proportion to the square of their number"
    assert ids == {*SCORES, "long"}
    assert [served.score(name) for name in ("drama", "short", "long")] == [0.9, 1.0, 1.0]
