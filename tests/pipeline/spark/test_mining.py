"""Summaries on Spark: the same as those of numbers at hand, from columns, structs and JSON."""

from datetime import UTC, datetime
from random import Random

import pytest

from rankcast.errors import ModelError
from rankcast.fuzzy import NumberSummary, ValueSummary, mine, mine_values
from rankcast.language import parse
from rankcast.model import Catalog, Concept, Event, LeftShoulder, Subscription
from rankcast.pipeline.spark import match, summarise, summarise_values, values_of

NOON = datetime(2026, 1, 1, 12)


def assert_same(found: NumberSummary, expected: NumberSummary) -> None:
    assert (found.attribute, found.digits, found.missing) == (expected.attribute, expected.digits, expected.missing)
    assert found.buckets.keys() == expected.buckets.keys()
    for key, bucket in expected.buckets.items():
        assert found.buckets[key].numbers == bucket.numbers
        assert found.buckets[key].total == pytest.approx(bucket.total)


def test_columns_are_counted_as_numbers_at_hand(spark):
    random = Random(1)
    numbers = [random.lognormvariate(13, 0.5) for _ in range(2_000)] + [None, float("nan"), float("inf"), 0.0, -12.5]
    frame = spark.createDataFrame([(x,) for x in numbers], "price double").repartition(3)
    assert_same(summarise(frame, "price"), NumberSummary.of("price", numbers))
    whole = spark.createDataFrame([(x,) for x in [1900, 1950, 2024, None]], "year int")
    assert_same(summarise(whole, "year"), NumberSummary.of("year", [1900, 1950, 2024, None]))


def test_nothing_but_nulls(spark):
    found = summarise(spark.createDataFrame([(None,)] * 3, "price double"), "price")
    assert (found.count, found.missing) == (0, 3)
    assert "0 numbers" in mine(found).reason


def test_imprecise_values_count_by_their_middle(spark):
    rows = [("e1", NOON, {"between": [50.0, 60.0], "value": None}), ("e2", NOON, {"value": 70}), ("e3", NOON, None)]
    schema = "id string, time timestamp, size struct<value: int, between: array<double>>"
    values = values_of(spark.createDataFrame(rows, schema), "size").collect()
    assert sorted((row.value for row in values), key=lambda x: (x is None, x)) == [55.0, 70.0, None]


def test_events_as_json(spark):
    told = [
        '"price": 5',
        '"price": {"trapezoid": [0, 1, 3, 9]}',
        '"price": "five"',
        '"size": 1',
        '"price": {"is": "cheap"}',
    ]
    lines = [f'{{"id": "e", "time": "2026-01-01T00:00:00Z", "attributes": {{{value}}}}}' for value in told]
    frame = spark.createDataFrame([(line,) for line in [*lines, "no event"]], "value string")
    found = summarise(frame, "price", json="value")
    assert (found.points(), found.missing) == ([(2.0, 1), (5.0, 1)], 4)


def test_what_is_no_number_is_refused(spark):
    frame = spark.createDataFrame([("a", 1.0)], "city string, price double")
    with pytest.raises(ModelError, match="no attribute 'prise'; did you mean 'price'"):
        summarise(frame, "prise")
    with pytest.raises(ModelError, match="'city' is a string"):
        summarise(frame, "city")


def test_struct_columns_are_matched_as_imprecise_values(spark):
    catalog = Catalog(
        [
            Concept("cheap", "price", LeftShoulder(500, 900)),
            Subscription("s1", "u", parse("price is cheap")),
            Subscription("s2", "u", parse("price is cheap [1, 0.5]")),
            Subscription("s3", "u", parse("price <= 700 [1, 0]")),
        ]
    )
    rows = [
        ("e1", NOON, {"between": [400.0, 1000.0], "is": None}),
        ("e2", NOON, {"between": [400.0, 600.0], "is": None}),
        ("e3", NOON, {"between": None, "is": "cheap"}),
        ("e4", NOON, {"between": None, "is": "not cheap"}),
    ]
    schema = "id string, time timestamp, price struct<between: array<double>, is: string>"
    found = match(spark.createDataFrame(rows, schema), catalog).collect()
    assert sorted((row.event, row.subscription, round(row.degree, 6)) for row in found) == [
        ("e1", "s1", 1.0),
        ("e1", "s3", 1.0),
        ("e2", "s1", 1.0),
        ("e2", "s2", 1.0),
        ("e2", "s3", 1.0),
        ("e3", "s1", 1.0),
        ("e3", "s2", 1.0),
        ("e3", "s3", 1.0),
        ("e4", "s1", 0.5),
    ]


def test_strings_are_counted_as_at_hand(spark):
    random = Random(3)
    kinds = [(["flat"], ["room", "flat"]), (["villa"], ["castle"])]
    rows = []
    for number in range(200):
        group = random.randrange(2)
        kind = random.choice(kinds[group]) if number % 9 else None
        rows.append((f"e{number}", NOON, kind, 1000.0 * group + number, f"t{number}", group == 0))
    schema = "id string, time timestamp, kind array<string>, price double, title string, new boolean"
    events = [
        Event(
            name,
            NOON.replace(tzinfo=UTC),
            {"price": (price,), "title": (title,), "new": (new,)} | ({"kind": tuple(kind)} if kind else {}),
        )
        for name, _, kind, price, title, new in rows
    ]
    expected = ValueSummary.of("kind", events)
    assert summarise_values(spark.createDataFrame(rows, schema).repartition(3), "kind") == expected
    assert len(mine_values(expected).concepts) == 2
    with pytest.raises(ModelError, match="no attribute 'kid'; did you mean 'kind'"):
        summarise_values(spark.createDataFrame(rows, schema), "kid")
