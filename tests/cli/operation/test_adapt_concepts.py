"""``rankcast concepts adapt --every``: mined concepts follow the data by themselves, in the process and on Spark."""

import json
from types import SimpleNamespace

import pytest

from rankcast.cli.files.mining_sources import MiningEngine
from rankcast.cli.operation import adapt_concepts
from rankcast.errors import StoreError
from rankcast.store import IN_PROCESS, SPARK, Store


def events(prices, name):
    return [
        {"id": f"{name}{n}", "time": "2026-01-01T00:00:00Z", "attributes": {"price": price}}
        for n, price in enumerate(prices)
    ]


@pytest.fixture
def rounds(monkeypatch):
    """What happens in the pauses of a schedule; after the last one it is asked to stop."""

    def plan(*pauses):
        left = list(pauses)

        def wait(seconds, stopped):
            assert seconds == 3600
            if not left:
                raise KeyboardInterrupt
            left.pop(0)()

        monkeypatch.setattr(adapt_concepts, "_wait", wait)

    return plan


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_a_schedule_adapts_as_data_comes(store, lines, rounds, engine):
    store("publish", lines("first.jsonl", events([100, 101, 102, 500, 501, 502] * 2, "a")))

    def more_comes():
        store("subscribe", "--user", "ann", "--id", "s1", "price is cheap")
        store("publish", lines("later.jsonl", events([4000, 4001, 4002] * 10, "b")))

    rounds(more_comes, lambda: store("concepts", "undo", "2"))
    schedule = ("concepts", "adapt", "--attribute", "price", "--engine", engine, "--every", "1h")
    told = store(*schedule, code=None)
    assert [json.loads(line)["run"] for line in told.stdout.splitlines()] == [1, 2]
    assert "price: run 2 was undone" in told.stderr
    made, moved = (json.loads(line) for line in told.stdout.splitlines())
    assert [one["name"] for one in made["after"]] == ["cheap", "expensive"]
    assert [one["subscription"] for one in moved["effects"]] == ["s1"]
    assert [one["left_shoulder"] for one in moved["after"] if one["name"] == "cheap"] == [[510, 4000]]
    audited = [json.loads(line)["who"] for line in store("audit", "--json").stdout.splitlines()]
    assert "mining (schedule)" in audited


def test_a_schedule_leaves_alone_what_was_made_by_hand_and_survives_failures(store, lines, rounds, monkeypatch):
    store("publish", lines("first.jsonl", events([100, 101, 102, 500, 501, 502] * 2, "a")))
    store("concept", "cheap", "--attribute", "price", "--left-shoulder", "1", "2")
    read, tries = adapt_concepts.from_store, []

    def fails_once(*arguments):
        tries.append(arguments)
        if len(tries) == 1:
            raise StoreError("the store is locked")
        return read(*arguments)

    monkeypatch.setattr(adapt_concepts, "from_store", fails_once)
    rounds(lambda: None)
    told = store("concepts", "adapt", "--attribute", "price", "--every", "1h", code=None)
    assert "nothing was mined: the store is locked" in told.stderr
    assert "price: made or changed by hand: cheap" in told.stderr
    assert not told.stdout


def test_too_short_a_pause(store):
    assert "at least 1 second" in store("concepts", "adapt", "--attribute", "a", "--every", "1ms", code=2).stderr


@pytest.mark.parametrize("engine", [MiningEngine.LOCAL, MiningEngine.SPARK])
def test_counts_where_the_pipeline_runs(store, monkeypatch, engine):
    known = SimpleNamespace(engine=SPARK if engine is MiningEngine.SPARK else IN_PROCESS)
    monkeypatch.setattr(Store, "pipeline", lambda self: known)
    found = []
    monkeypatch.setattr(adapt_concepts, "from_store", lambda attributes, place, engine, out: found.append(engine) or [])
    store("concepts", "adapt", "--attribute", "price", code=1)
    assert found == [engine]
