"""On Spark the same as in-process, whatever the shards, the partitions and the order of the rows."""

import random
from dataclasses import replace

import pytest

from rankcast.engine.reference.shard import Shard, replay
from rankcast.errors import ModelError
from rankcast.language import dumps, encode_event, parse
from rankcast.model import (
    Advertisement,
    Catalog,
    Concept,
    LeftShoulder,
    Length,
    Mode,
    Policy,
    Ranking,
    ScorerName,
    Subscription,
    in_publication_order,
)
from rankcast.pipeline.spark import deliver, match, rejects

GENRES = ("comedy", "drama", "horror", "short")


def catalog() -> Catalog:
    modes = [Mode.ALL, Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY]
    made = Catalog([Concept("early", "year", LeftShoulder(1990, 1995))])
    for number in range(8):
        user = f"user{number}"
        made.add(Subscription(f"{user}-a", user, parse(f"genre = '{GENRES[number % 4]}'"), 0.5))
        made.add(
            Subscription(f"{user}-b", user, parse("genre = 'drama' and year >= 1993 or year is early [0.4, 0]"), 0.8)
        )
        made.add(Policy(user, mode=modes[number % 4], k=2, length=Length(7), sigma=0.5 if number < 4 else 1.0))
    return made


def rows(count: int) -> list[tuple]:
    from datetime import datetime, timedelta

    chance = random.Random(5)
    start = datetime(2026, 1, 1)
    return [
        (
            f"e{number:03}",
            start + timedelta(minutes=number // 2),
            chance.sample(GENRES, chance.randint(0, 2)),
            chance.choice([None, 1990, 1992, 1994, 1996]),
        )
        for number in range(count)
    ]


SCHEMA = "id string, time timestamp, genre array<string>, year int"


def events_of(given: list[tuple]):
    from datetime import UTC

    from rankcast.model import Event

    return in_publication_order(
        [
            Event(
                name,
                time.replace(tzinfo=UTC),
                {**({"genre": tuple(genre)} if genre else {}), **({"year": (year,)} if year else {})},
            )
            for name, time, genre, year in given
        ]
    )


def collected(frame) -> list[tuple]:
    from datetime import UTC

    return sorted(
        (
            row.window,
            row.user,
            row.seq,
            row.event,
            row.rank,
            tuple(row.subscriptions),
            row.published.astimezone(UTC),
            row.forwarded.astimezone(UTC),
        )
        for row in frame.collect()
    )


def expected(deliveries) -> list[tuple]:
    return sorted(
        (d.window, d.user, d.seq, d.event, d.rank, d.subscriptions, d.published, d.forwarded) for d in deliveries
    )


def test_deliveries_do_not_depend_on_shards_partitions_or_order(spark):
    given, users = rows(80), catalog()
    wanted = expected(replay(users, events_of(given)))
    assert len(wanted) > 100
    for shards, partitions, seed in ((1, 1, 0), (2, 3, 1), (5, 2, 2)):
        shuffled = random.Random(seed).sample(given, len(given))
        frame = spark.createDataFrame(shuffled, SCHEMA).repartition(partitions)
        assert collected(deliver(frame, users, shards=shards)) == wanted


def test_matches_are_those_of_the_shard(spark):
    given, users = rows(40), catalog()
    shard = Shard(users)
    wanted = sorted(
        (found.event, found.subscription, found.user, found.degree)
        for event in events_of(given)
        for found in shard.match(event)
    )
    got = match(spark.createDataFrame(given, SCHEMA), users).collect()
    assert sorted((row.event, row.subscription, row.user, row.degree) for row in got) == wanted
    assert any(0 < degree < 1 for *_, degree in wanted)


def test_json_events_with_rejects(spark):
    users = catalog()
    events = events_of(rows(30))
    lines = [dumps(encode_event(event)) for event in events]
    bad = ["{", '{"id": "x"}', '{"id": "y", "time": "2026-01-01", "attributes": {"year": {"is": "erly"}}}']
    frame = spark.createDataFrame([(line,) for line in [*lines, *bad, lines[0]]], "event string")
    assert collected(deliver(frame, users, shards=2, json="event")) == expected(replay(users, events))
    reasons = {row.raw: row.reason for row in rejects(frame, users, json="event").collect()}
    assert len(reasons) == 4
    assert reasons[lines[0]] == "duplicate event 'e000'"
    assert any("did you mean 'early'" in reason for reason in reasons.values())
    assert all(reasons.values())


def test_what_cannot_work_is_refused_before_any_job(spark):
    frame = spark.createDataFrame(rows(1), SCHEMA)
    with pytest.raises(ModelError, match="no column 'event'"):
        deliver(frame, catalog(), json="event")
    with pytest.raises(ModelError, match="no column 'time'"):
        deliver(frame.drop("time"), catalog())
    with pytest.raises(ModelError, match="shards is -1"):
        deliver(frame, catalog(), shards=-1)
    stream = spark.readStream.format("rate").load()
    with pytest.raises(ModelError, match="no column 'id'"):
        deliver(stream, catalog())


def test_integer_ids_and_times_as_strings_are_read(spark):
    films = spark.createDataFrame(
        [(7, "2026-01-01", "war"), (8, "2026-01-02T10:00:00+01:00", "war")], "id long, time string, genre string"
    )
    wanted = Catalog([Subscription("s1", "ann", parse("genre = 'war'"))])
    assert sorted((row.event, row.published.day) for row in deliver(films, wanted, shards=1).collect()) == [
        ("7", 1),
        ("8", 2),
    ]
    assert sorted(row.event for row in match(films, wanted).collect()) == ["7", "8"]


def test_no_events_and_no_users(spark):
    empty = spark.createDataFrame([], SCHEMA)
    assert deliver(empty, catalog()).collect() == []
    assert deliver(spark.createDataFrame(rows(3), SCHEMA), Catalog()).collect() == []


def test_a_publication_outside_its_advertisement_is_a_reject(spark):
    users = catalog()
    users.add(Advertisement("a1", "shop", parse("year > 1990"), k=2))
    lines = [
        '{"id": "x", "time": "2026-01-01", "attributes": {"year": 1980}, "advertisement": "a1"}',
        '{"id": "y", "time": "2026-01-01", "attributes": {"year": 1999}, "advertisement": "a1", "k": 3}',
        '{"id": "z", "time": "2026-01-01", "attributes": {"year": 1999}, "advertisement": "a2"}',
    ]
    frame = spark.createDataFrame([(line,) for line in lines], "event string")
    reasons = [row.reason for row in rejects(frame, users, json="event").orderBy("raw").collect()]
    assert [
        part in reason
        for part, reason in zip(["outside the space", "k is 3", "no advertisement 'a2'"], reasons, strict=True)
    ] == [True] * 3
    assert deliver(frame, users, json="event").collect() == []


def test_advertised_events_go_to_the_best_of_all_shards(spark):
    users = catalog()
    for number in range(8):
        users.put(replace(users.subscriptions[f"user{number}-b"], weight=1.0 + number))
    users.add(Advertisement("a1", "shop", parse("year > 1990"), k=3, score=ScorerName.WEIGHT))
    users.add(Advertisement("a2", "shop", parse("year > 1990"), k=3, rank=Ranking.FAIR))
    events = []
    for number, event in enumerate(events_of(rows(40))):
        under = (None, "a1", "a2")[number % 3] if event.attributes.get("year", (0,))[0] > 1990 else None
        events.append(replace(event, advertisement=under, seq=0))
    events = in_publication_order(events)
    assert sum(event.advertisement is not None for event in events) > 10
    wanted = expected(replay(users, events))
    frame = spark.createDataFrame([(dumps(encode_event(event)),) for event in events], "event string")
    assert collected(deliver(frame, users, shards=3, json="event")) == wanted


def test_rejects_repeated_ids_times_without_a_zone_and_equal_times(spark):
    """Columns of every kind in one table: of repeated ids the earliest counts, and ties in time are by id."""
    users, chance = catalog(), random.Random(8)
    users.add(Advertisement("a1", "shop", parse("year > 1990"), k=3, score=ScorerName.WEIGHT))
    given = []
    for name, time, genre, year in rows(60):
        under = "a1" if year and year > 1990 and chance.random() < 0.3 else None
        given.append((name if chance.random() < 0.8 else "e007", time.replace(minute=0), genre, year, under))
    given += [(None, given[0][1], [], 1990, None), ("x", None, [], 1990, None), ("y", given[0][1], [], 1980, "a1")]
    first = {}
    for row in sorted((row for row in given[:-3]), key=lambda row: (row[1], dumps(encode_event(as_event(row))))):
        first.setdefault(row[0], as_event(row))
    wanted = expected(replay(users, in_publication_order(list(first.values()))))
    assert len(first) < 55
    assert len(wanted) > 80
    frame = spark.createDataFrame(given, f"{SCHEMA}, advertisement string").repartition(3)
    assert collected(deliver(frame, users, shards=3)) == wanted
    without_zone = frame.withColumn("time", frame["time"].cast("timestamp_ntz"))
    assert collected(deliver(without_zone, users, shards=2)) == wanted


def as_event(row):
    (event,) = events_of([row[:4]])
    return replace(event, advertisement=row[4], seq=0)
