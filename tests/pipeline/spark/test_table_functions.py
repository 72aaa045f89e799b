"""The table functions of SQL give what the reference engine gives, however the table is partitioned."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.reference.shard import Shard, replay
from rankcast.language import parse
from rankcast.model import (
    Advertisement,
    Catalog,
    Event,
    Length,
    Mode,
    Policy,
    Subscription,
    Unit,
    in_publication_order,
)
from rankcast.pipeline.spark import register

START = datetime(2026, 1, 1, tzinfo=UTC)


def catalog_of(chance: random.Random, users: int) -> Catalog:
    catalog = Catalog()
    for number in range(users):
        user = f"u{number}"
        for each in range(3):
            where = parse(f"genre = 'g{chance.randrange(5)}' and price > {chance.randrange(50)}")
            catalog.add(Subscription(f"{user}.{each}", user, where, score=chance.randrange(10) / 10))
        mode = chance.choice([Mode.SLIDING, Mode.PERIODIC, Mode.ALL])
        if mode is not Mode.ALL:
            length = chance.choice([Length(7), Length(timedelta(minutes=30), Unit.TIME)])
            catalog.add(Policy(user, mode=mode, k=2, length=length, sigma=chance.choice([1.0, 0.5])))
    return catalog


def rows_of(chance: random.Random, count: int) -> list[tuple[str, datetime, str | None, int]]:
    return [
        (f"e{number}", START + timedelta(minutes=chance.randrange(300)), f"g{chance.randrange(6)}", number % 90)
        for number in range(count)
    ]


def events_of(rows) -> list[Event]:
    return in_publication_order(
        [Event(name, time, {"genre": (genre,), "price": (price,)}) for name, time, genre, price in rows]
    )


def view(spark, rows, partitions: int) -> None:
    frame = spark.createDataFrame(rows, "id string, time timestamp, genre string, price int")
    frame.repartition(partitions).createOrReplaceTempView("films")


@pytest.mark.parametrize(("seed", "users", "count", "partitions"), [(1, 5, 60, 3), (2, 150, 400, 1), (3, 40, 200, 7)])
def test_the_rows_are_those_of_the_reference(spark, seed, users, count, partitions):
    chance = random.Random(seed)
    catalog, rows = catalog_of(chance, users), rows_of(chance, count)
    register(spark, catalog)
    view(spark, rows, partitions)
    shard = Shard(catalog)
    matched = spark.sql("SELECT * FROM rankcast_match(TABLE(films))").collect()
    assert sorted((row.event, row.subscription, row.user) for row in matched) == sorted(
        (one.event, one.subscription, one.user) for event in events_of(rows) for one in shard.match(event)
    )
    delivered = spark.sql("SELECT * FROM rankcast_deliver(TABLE(films) WITH SINGLE PARTITION)").collect()
    expected = list(replay(catalog, events_of(rows)))
    assert sorted((row.user, row.event, row.seq, row.rank, row.window) for row in delivered) == sorted(
        (one.user, one.event, one.seq, one.rank, one.window) for one in expected
    )
    assert expected


def test_the_result_is_a_table_like_others(spark):
    register(spark, Catalog([Subscription("s", "ann", parse("price > 1"))]))
    view(spark, [(f"e{n}", START, "war", n) for n in range(5)], 2)
    query = """
        SELECT user, count(*) AS films, max(price) AS dearest
        FROM rankcast_match(TABLE(SELECT * FROM films WHERE price < 4)) AS found JOIN films ON found.event = films.id
        GROUP BY user
    """
    assert [tuple(row) for row in spark.sql(query).collect()] == [("ann", 2, 3)]


def test_of_a_repeated_id_the_earliest_event_is_delivered_and_invalid_rows_are_left_out(spark):
    register(spark, Catalog([Subscription("s", "ann", parse("price > 1"))]))
    later = START + timedelta(hours=1)
    rows = [("e1", later, "war", 9), ("e1", START, "war", 1), ("e2", later, "war", 5), (None, later, "war", 5)]
    view(spark, rows, 2)
    found = spark.sql("SELECT event FROM rankcast_deliver(TABLE(films) WITH SINGLE PARTITION)").collect()
    assert [row.event for row in found] == ["e2"]


def test_ids_may_be_integers_and_advertisements_count(spark):
    catalog = Catalog([Subscription(f"s{n}", f"u{n}", parse("price > 0"), score=n / 10) for n in range(5)])
    catalog.add(Advertisement("a", "shop", parse("price > 0"), k=2))
    register(spark, catalog)
    spark.sql(
        "SELECT 7 AS id, timestamp'2026-01-01' AS time, 'a' AS advertisement, 3 AS price"
    ).createOrReplaceTempView("offers")
    found = spark.sql("SELECT user, event FROM rankcast_deliver(TABLE(offers) WITH SINGLE PARTITION)").collect()
    event = Event("7", START, {"price": (3,)}, advertisement="a", seq=1)
    assert sorted((row.user, row.event) for row in found) == sorted((one.user, "7") for one in replay(catalog, [event]))
    assert len(found) == 2
    assert spark.sql("SELECT * FROM rankcast_match(TABLE(offers))").count() == 5


@pytest.mark.parametrize("clause", ["", "PARTITION BY genre"])
def test_a_part_of_the_events_is_refused(spark, clause):
    register(spark, Catalog([Subscription("s", "ann", parse("price > 1"))]))
    view(spark, [(f"e{n}", START, f"g{n}", n) for n in range(60)], 4)
    with pytest.raises(Exception, match=r"needs all events together: .* WITH SINGLE PARTITION"):
        spark.sql(f"SELECT * FROM rankcast_deliver(TABLE(films) {clause})").collect()


def test_a_table_without_a_time_is_refused(spark):
    register(spark, Catalog([Subscription("s", "ann", parse("price > 1"))]))
    with pytest.raises(Exception, match="the events have no column 'time'; columns are id, price"):
        spark.sql("SELECT * FROM rankcast_match(TABLE(SELECT 'e' AS id, 5 AS price))").collect()
