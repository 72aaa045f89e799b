"""Events that were decoded ahead are those of the log."""

import random
from datetime import UTC, datetime

import pytest
from sqlalchemy import update

from rankcast.model import Event
from rankcast.pipeline.spark.live.intake import Intake, event_of_row
from rankcast.pipeline.spark.live.reading import LogReader
from rankcast.store import Store, schema

TIME = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "s.db") as store:
        yield store


def publish(store, first, count):
    store.publish([Event(f"e{n}", TIME, {"place": (n,)}) for n in range(first, first + count)])


@pytest.mark.parametrize("seed", range(5))
def test_rows_and_events_are_those_of_the_log_however_they_were_read(store, seed):
    chance = random.Random(seed)
    log, at, published = LogReader(store), 0, 0
    for _ in range(12):
        count = chance.randrange(700)
        publish(store, published, count)
        published += count
        turns = iter([True] * chance.randrange(4))
        log.look_ahead(lambda turns=turns: next(turns, False))
        at = max(0, at - 20) if chance.random() < 0.2 else at  # a micro-batch tried again
        end = chance.randint(at, published)
        log.forget(at)
        rows = log.rows(at, end)
        assert rows == store.log_rows(at, end)
        assert [log.event(row) for row in rows] == [event_of_row(row) for row in rows]
        at = end


def test_what_cannot_be_read_is_set_aside_as_ever(store):
    publish(store, 0, 10)
    with store.database.writing() as connection:
        connection.execute(update(schema.events).where(schema.events.c.event_offset == 4).values(content="{"))
    log = LogReader(store)
    log.look_ahead(lambda: True)
    taken = Intake().take_log(log.rows(0, 10), log.event)
    assert [event.seq for _, events in taken.groups for event in events] == [1, 2, 3, 5, 6, 7, 8, 9, 10]
    assert [(row.user, row.event, row.seq) for row in taken.set_aside] == [(None, "e3", 4)]


def test_nothing_is_read_ahead_while_somebody_waits(store):
    publish(store, 0, 10)
    log = LogReader(store)
    log.look_ahead(lambda: False)
    assert log._ahead == {}
