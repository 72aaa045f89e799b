"""Routed by summaries, Spark chooses the same recipients as one broker that knows everything, and visits fewer shards."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rankcast.errors import CatalogError, ModelError
from rankcast.language import dumps, encode_event, parse
from rankcast.matching import OracleMatcher
from rankcast.model import (
    Advertisement,
    Catalog,
    Concept,
    Event,
    Interval,
    LeftShoulder,
    Preference,
    Ranking,
    Subscription,
)
from rankcast.model import ScorerName as By
from rankcast.overlay import admitted, check_publication, lot
from rankcast.pipeline.spark.route import recipients, visits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOW = datetime(2026, 1, 1, tzinfo=UTC)
REGIONS = 6


def catalog(local: bool = False) -> Catalog:
    """Users of six regions, each with interests around their own, and, if not `local`, elsewhere; all rankings."""
    made = Catalog([Concept("low", "price", LeftShoulder(20, 60)), Concept("low", "price", LeftShoulder(50, 90), "u3")])
    for number in range(60):
        user, region = f"u{number}", number % REGIONS
        low = 100 * region + 50 * lot("low", str(number))
        made.add(Subscription(f"s{number}", user, parse(f"place between {low} and {low + 60}"), None, 1 + number % 3))
        if number % 5 == 0 and not local:
            wheres = (f"place > {low} and price is low", f"place < {low} or genre = 'a'", "genre startswith 'a'")
            for at, where in enumerate(wheres):
                made.add(Subscription(f"s{number}-{at}", user, parse(where), 0.25 * at))
            made.add(Preference(user, f"s{number}-0", f"s{number}"))
    space = parse("place between 0 and 600")
    for rank in Ranking:
        made.add(Advertisement(rank.value, "shop", space, 3, rank))
    for score in By:
        made.add(Advertisement(score.value, "shop", space, 3, Ranking.RELEVANCE_FAIR_TIES, score))
    return made


def published(count: int) -> list[Event]:
    under = [None, *(rank.value for rank in Ranking), *(score.value for score in By)]
    events = []
    for number in range(count):
        advertisement = under[number % len(under)]
        price = Interval(10, 70) if number % 11 == 0 else (100 * lot("price", str(number)),)
        events.append(
            Event(
                f"e{number:03}",
                NOW,
                {
                    "place": (650 * lot("place", str(number)),),
                    "price": price,
                    "genre": ("ab",) if number % 3 else ("b",),
                },
                advertisement=advertisement,
                k=2 if advertisement and number % 4 == 0 else None,
            )
        )
    return events


def expected(known: Catalog, events: list[Event]) -> list[tuple[str, str]]:
    matcher = OracleMatcher(
        known.subscriptions.values(),
        lambda user: lambda attribute, term: known.membership(attribute, term, user),
        shared=known.membership,
    )
    found = []
    for event in events:
        try:
            check_publication(known, event)
        except CatalogError:
            continue
        found += [(event.id, one.id) for one, _ in admitted(known, event, list(matcher.match(event)))]
    return sorted(found)


def frame(spark: "SparkSession", events: list[Event]) -> "DataFrame":
    return spark.createDataFrame([(dumps(encode_event(event)),) for event in events], "event string")


def by_region(user: str) -> int:
    return int(user[1:]) % REGIONS


@pytest.mark.parametrize("strategy", ["ancestor-cover", "rank-cover", "regular"])
def test_as_one_broker_that_knows_everything(spark: "SparkSession", strategy: str) -> None:
    known, events = catalog(), published(120)
    chosen = recipients(frame(spark, [*events, events[5]]), known, shards=3, strategy=strategy, json="event")
    assert sorted((row.event, row.subscription) for row in chosen.collect()) == expected(known, events)


def test_fewer_shards_are_visited_and_no_delivery_missed(spark: "SparkSession") -> None:
    known = catalog(local=True)
    events = [event for event in published(120) if isinstance(event.attributes["price"], tuple)]
    given = frame(spark, events)
    options = {"shards": REGIONS, "json": "event", "lives_in": by_region}
    routed = recipients(given, known, **options)
    assert sorted((row.event, row.subscription) for row in routed.collect()) == expected(known, events)
    everywhere = visits(given, known, broadcast=True, **options).count()
    visited = visits(given, known, **options).collect()
    assert len(visited) < 0.3 * everywhere
    assert {row.shard for row in visited} == set(range(REGIONS))


def test_columns_instead_of_json(spark: "SparkSession") -> None:
    known = catalog()
    rows = [
        (f"e{number}", NOW, 600 * lot("x", str(number)), "relevance", 1 if number % 2 else None) for number in range(20)
    ]
    given = spark.createDataFrame(rows, "id string, time timestamp, place double, advertisement string, k int")
    events = [Event(name, time, {"place": (place,)}, advertisement=under, k=k) for name, time, place, under, k in rows]
    chosen = recipients(given, known, shards=2)
    assert sorted((row.event, row.subscription) for row in chosen.collect()) == expected(known, events)


def test_what_cannot_be_is_said_at_once(spark: "SparkSession") -> None:
    given = frame(spark, published(1))
    with pytest.raises(ModelError, match="no strategy 'best'"):
        recipients(given, catalog(), strategy="best", json="event")
    with pytest.raises(ModelError, match="ancestor-fair does not find just the k best"):
        recipients(given, catalog(), strategy="ancestor-fair", json="event")
    with pytest.raises(ModelError, match="shards are 0 to 1"):
        recipients(given, catalog(), shards=2, json="event", lives_in=by_region)
    with pytest.raises(ModelError, match="no column 'json'"):
        recipients(given, catalog(), json="json")
