"""On Spark the recipients of a publication are those that one broker chooses that knows everything."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rankcast.errors import CatalogError
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
from rankcast.overlay import admitted, check_publication, lot, register_scorer
from rankcast.pipeline.spark import recipients

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def catalog() -> Catalog:
    """Sixty users with overlapping interests, and advertisements of all rankings."""
    made = Catalog([Concept("low", "price", LeftShoulder(20, 60)), Concept("low", "price", LeftShoulder(50, 90), "u3")])
    for number in range(60):
        user, low = f"u{number}", 100 * (number % 6) + 50 * lot("low", str(number))
        made.add(Subscription(f"s{number}", user, parse(f"place between {low} and {low + 60}"), None, 1 + number % 3))
        if number % 5 == 0:
            wheres = (f"place > {low} and price is low", f"place < {low} or genre = 'a'", "genre startswith 'a'")
            for at, where in enumerate(wheres):
                made.add(Subscription(f"s{number}-{at}", user, parse(where), 0.25 * at))
            made.add(Preference(user, f"s{number}-0", f"s{number}"))
    space = parse("place between 0 and 600")
    for rank in Ranking:
        made.add(Advertisement(rank.value, "shop", space, 3, rank))
    for score in By:
        made.add(Advertisement(score.value, "shop", space, 3, Ranking.RELEVANCE_FAIR_TIES, score))
    register_scorer("last digits", lambda event, subscription, degree: degree * int(subscription.id[-1]))
    made.add(Advertisement("own", "shop", space, 3, Ranking.RELEVANCE, function="last digits"))
    return made


def published(count: int) -> list[Event]:
    under = [None, *(rank.value for rank in Ranking), *(score.value for score in By), "own"]
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


def expected(known: Catalog, events: list[Event]) -> list[tuple[str, str, float]]:
    matcher = OracleMatcher.of(known, list(known.subscriptions.values()))
    found = []
    for event in events:
        try:
            check_publication(known, event)
        except CatalogError:
            continue
        found += [(event.id, one.id, degree) for one, degree in admitted(known, event, list(matcher.match(event)))]
    return sorted(found)


def test_as_one_broker_that_knows_everything(spark: "SparkSession") -> None:
    known, events = catalog(), published(120)
    rows = [(dumps(encode_event(event)),) for event in [*events, events[5]]]
    chosen = recipients(spark.createDataFrame(rows, "event string").repartition(3), known, json="event")
    wanted = expected(known, events)
    assert sorted((row.event, row.subscription, row.degree) for row in chosen.collect()) == wanted
    assert len(wanted) > 300


def test_columns_instead_of_json(spark: "SparkSession") -> None:
    known = catalog()
    rows = [
        (f"e{number}", NOW, 600 * lot("x", str(number)), "relevance", 1 if number % 2 else None) for number in range(20)
    ]
    given = spark.createDataFrame(rows, "id string, time timestamp, place double, advertisement string, k int")
    events = [Event(name, time, {"place": (place,)}, advertisement=under, k=k) for name, time, place, under, k in rows]
    chosen = recipients(given, known).collect()
    assert sorted((row.event, row.subscription, row.degree) for row in chosen) == expected(known, events)
