"""A backtest is one replay per policy, and its measures are those of the deliveries."""

from datetime import UTC, datetime, timedelta

import pytest

from rankcast.choose import Candidate, Distance, DivRank
from rankcast.engine.reference.shard import replay
from rankcast.errors import ModelError
from rankcast.language import dumps, encode_event, parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, Preference, Subscription
from rankcast.pipeline.spark import backtest, backtest_measures, backtest_overlap

START = datetime(2026, 1, 1, tzinfo=UTC)
TRIED = {
    "now": None,
    "sliding": Policy("-", mode=Mode.SLIDING, k=2, length=Length(6), sigma=0.5),
    "periodic": Policy("-", mode=Mode.PERIODIC, k=1, length=Length(5)),
}


@pytest.fixture(scope="module")
def catalog():
    made = Catalog([Policy("ann", mode=Mode.HISTORY, k=1, length=Length(9))])
    for user in ("ann", "bob"):
        made.add(Subscription(f"{user}-1", user, parse("genre = 'drama'")))
        made.add(Subscription(f"{user}-2", user, parse("genre = 'comedy' and year > 3"), 0.4))
    made.add(Preference("bob", "bob-1", "bob-2"))
    return made


@pytest.fixture(scope="module")
def events():
    return [
        Event(
            f"e{n:02}",
            START + timedelta(minutes=n),
            {"genre": (("drama", "comedy", "short")[n % 3],), "year": (n,)},
            seq=n,
        )
        for n in range(1, 41)
    ]


@pytest.mark.spark
def test_the_lab(spark, catalog, events):
    frame = spark.createDataFrame([(dumps(encode_event(event)),) for event in events], "event string")
    sent = backtest(frame, catalog, TRIED, json="event", shards=2).cache()
    found = {(row.policy, row.user, row.event, tuple(row.subscriptions), row.window) for row in sent.collect()}
    expected = {}
    for name, policy in TRIED.items():
        tried = Catalog(list(catalog.records()))
        for user in catalog.users() if policy else []:
            tried.put(Policy(user, policy.mode, policy.k, policy.length, policy.sigma))
        expected[name] = replay(tried, events)
    assert found == {
        (name, one.user, one.event, one.subscriptions, one.window) for name, sent in expected.items() for one in sent
    }

    measured = {row.policy: row for row in backtest_measures(sent, frame, catalog, json="event").collect()}
    by_id = {event.id: event for event in events}
    for name, deliveries in expected.items():
        row = measured[name]
        assert row.delivered == len(deliveries)
        assert row.users == len({one.user for one in deliveries})
        assert row.rank == pytest.approx(sum(one.rank for one in deliveries) / len(deliveries))
        assert row.wait == pytest.approx(sum(one.freshness.total_seconds() for one in deliveries) / len(deliveries))
        screens = []
        for user in ("ann", "bob"):
            mine = sorted(
                (one for one in deliveries if one.user == user), key=lambda one: (one.forwarded, one.window, one.seq)
            )
            seen = [Candidate(by_id[one.event], 1.0) for one in mine]
            screens += [seen[start : start + 10] for start in range(0, len(seen), 10)]
        divs = [DivRank(0.0, Distance()).div(screen) for screen in screens if len(screen) > 1]
        assert row.diversity == pytest.approx(sum(divs) / len(divs))

    overlap = {(row.policy, row.other): row.overlap for row in backtest_overlap(sent).collect()}
    sets = {name: {(one.user, one.event) for one in sent} for name, sent in expected.items()}
    assert overlap == {
        (one, other): pytest.approx(len(sets[one] & sets[other]) / len(sets[one] | sets[other]))
        for one in TRIED
        for other in TRIED
    }


@pytest.mark.spark
def test_it_needs_policies_with_names(spark, catalog):
    frame = spark.createDataFrame([("{}",)], "event string")
    with pytest.raises(ModelError, match="at least one policy"):
        backtest(frame, catalog, {}, json="event")
    with pytest.raises(ModelError, match="name of a policy"):
        backtest(frame, catalog, {"": None}, json="event")
