"""Matching in the tasks that read the events: the same as the reference, whatever the subscriptions and the events."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.engine.reference.shard import Shard
from rankcast.errors import ModelError
from rankcast.language import dumps, encode_event, parse
from rankcast.language.tables import events_of_table
from rankcast.model import Catalog, Concept, Event, Norm, Policy, Subscription, Trapezoid
from rankcast.pipeline.spark import match
from rankcast.testing.strategies import CONCEPTS, events, subscriptions

START = datetime(2026, 1, 1, tzinfo=UTC)


def frame_of(spark, given, partitions=3):
    lines = [(dumps(encode_event(event)),) for event in given]
    return spark.createDataFrame(lines, "event string").repartition(partitions)


def found(frame):
    return sorted((row.event, row.subscription, row.user, row.degree) for row in frame.collect())


def wanted(catalog, given):
    shard = Shard(catalog)
    return sorted((one.event, one.subscription, one.user, one.degree) for event in given for one in shard.match(event))


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    subscriptions(max_size=12, fuzzy=True),
    st.lists(events(fuzzy=True), min_size=1, max_size=12),
    st.sampled_from(Norm),
)
def test_random_subscriptions_and_events_match_as_in_the_reference(spark, wishes, drawn, norm):
    catalog = Catalog([Concept(name, attribute, shape) for (attribute, name), shape in CONCEPTS.items()])
    for wish in wishes:
        catalog.add(wish)
    catalog.add(Policy("u2", norm=norm))
    given = [Event(f"e{number}", START, event.attributes) for number, event in enumerate(drawn)]
    assert found(match(frame_of(spark, given), catalog, json="event")) == wanted(catalog, given)


def test_a_users_own_concept_counts_for_that_user(spark):
    catalog = Catalog([Concept("cheap", "price", Trapezoid(0, 0, 10, 20))])
    catalog.add(Concept("cheap", "price", Trapezoid(0, 0, 100, 200), user="rich"))
    for user in ("ann", "rich"):
        catalog.add(Subscription(f"{user}-1", user, parse("price is cheap")))
    given = [Event(f"e{price}", START, {"price": (price,)}) for price in (5, 14, 60, 140, 900)]
    got = found(match(frame_of(spark, given), catalog, json="event"))
    assert got == wanted(catalog, given)
    assert [event for event, _, user, _ in got if user == "rich"] == ["e14", "e140", "e5", "e60"]


def test_of_events_with_one_id_the_earliest_valid_one_counts(spark):
    catalog = Catalog([Subscription("s1", "ann", parse("x exists"))])
    late, early = Event("a", START + timedelta(hours=1), {"x": (1,)}), Event("a", START, {"y": (1,)})
    same, smaller = Event("b", START, {"x": (2,)}), Event("b", START, {"x": (1,), "y": (1,)})
    rows = [dumps(encode_event(event)) for event in (late, early, same, smaller, Event("c", START, {"x": (1,)}))]
    rows += [rows[-1], '{"id": "d"}', '{"id": "d", "time": "2026-01-01", "attributes": {"x": 3}}', "{"]
    frame = spark.createDataFrame([(row,) for row in random.Random(1).sample(rows, len(rows))], "event string")
    # Of the two events named a, the earlier one has no x.
    assert [event for event, *_ in found(match(frame.repartition(4), catalog, json="event"))] == ["b", "c", "d"]


def test_columns_with_rows_of_every_kind(spark):
    """Plain rows are matched by columns, the others as objects: the same subscriptions are found."""
    catalog = Catalog([Concept("cheap", "price", Trapezoid(0, 0, 10, 20))])
    for number, where in enumerate(
        [
            "price is cheap",
            "price < 15 and genre = 'noir'",
            "genre has 'drama'",
            "seen = true",
            "shown > time '2026-01-01'",
            "bids contains 5 and not bids contains 7",
            "bids > 6",
        ]
    ):
        catalog.add(Subscription(f"s{number}", f"user{number % 2}", parse(where)))
    chance = random.Random(3)
    rows = [
        (
            chance.choice([f"e{number}", f"é{number}", f"e{number // 2}"]) if number % 17 else None,
            START.replace(tzinfo=None) + timedelta(minutes=number),
            chance.choice([None, 5.0, 14.0, 30.0, float("nan")]),
            chance.choice([None, [], ["noir"], ["noir", None, "drama"], ["Drama queen"]]),
            chance.choice([None, True, False]),
            chance.choice([None, datetime(2025, 5, 5), datetime(2026, 5, 5)]),
            chance.choice([None, [], [5.0], [5.0, 7.0], [7.0, 7.0], [5.0, 8.0], [8.0, None]]),
        )
        for number in range(200)
    ]
    schema = "id string, time timestamp, price double, genre array<string>, seen boolean, shown timestamp, bids array<double>"
    table = spark.createDataFrame(rows, schema)
    first = {}
    for outcome in events_of_table(table.toArrow()):
        if isinstance(outcome, Event):
            known = first.setdefault(outcome.id, outcome)
            first[outcome.id] = min(known, outcome, key=lambda event: event.time)
    got = found(match(table.repartition(3), catalog))
    assert got == wanted(catalog, first.values())
    assert len(got) > 100


def test_nested_columns_are_attributes_with_dotted_names(spark):
    catalog = Catalog([Subscription("s", "ann", parse("size.width < 40 and size.marks contains 2"))])
    rows = [("a", START, (30, [1, 2])), ("b", START, (50, [1, 2])), ("c", START, (30, [3])), ("d", START, None)]
    table = spark.createDataFrame(rows, "id string, time timestamp, size struct<width: int, marks: array<int>>")
    assert [event for event, *_ in found(match(table, catalog))] == ["a"]


def test_a_catalog_without_subscriptions_matches_nothing(spark):
    given = [Event("e1", START, {"x": (1,)})]
    assert found(match(frame_of(spark, given), Catalog(), json="event")) == []


def test_a_stream_is_refused(spark):
    with pytest.raises(ModelError, match="the events are a stream"):
        match(spark.readStream.format("rate").load(), Catalog())
