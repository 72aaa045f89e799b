"""``rankcast run``: serves what was published, once, whenever it is stopped."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Timer
from typing import Any

import pytest

from rankcast.cli.operation import run as operation_run
from rankcast.cover.strict_covers import StrictCovers
from rankcast.store import Store

COMMAND = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


@pytest.fixture
def sliding(store: Any, lines: Any) -> Any:
    """A store with the catalog of the sliding example of semantics: Delivery modes; the events are in `e.jsonl`."""
    scores = {"comedy": 0.9, "romance": 0.9, "drama": 0.8}
    for genre, score in scores.items():
        store("subscribe", "--user", "ann", f"genre = '{genre}'", "--score", str(score))
    store("policy", "--user", "ann", "--mode", "sliding", "--k", "2", "--length", "4", "--sigma", "0.5")
    genres = ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"]
    events = [
        {"id": f"e{n}", "time": f"2004-02-13T20:0{n}:00Z", "attributes": {"genre": genre}}
        for n, genre in enumerate(genres, 1)
    ]
    lines("e.jsonl", events)
    lines("first.jsonl", events[:3])
    return store


def sent(rankcast: Any) -> list[str]:
    return [json.loads(line)["event"] for line in rankcast("deliveries").stdout.splitlines()]


EXPECTED = ["e1", "e2", "e4", "e5", "e3", "e6", "e7", "e8"]


def test_serves_what_is_there_once(sliding: Any) -> None:
    sliding("publish", "e.jsonl")
    assert sliding("run").stderr == "served 8 events; 8 deliveries\n"
    assert sliding("run").stderr == "served 0 events; 0 deliveries\n"
    assert sent(sliding) == EXPECTED


@pytest.mark.parametrize("shards", ["1", "3"])
def test_goes_on_where_it_stopped(sliding: Any, shards: str) -> None:
    sliding("publish", "first.jsonl")
    assert json.loads(sliding("run", "--shards", shards, "--json").stdout) == {
        "offset": 3,
        "events": 3,
        "delivered": 2,
        "set_aside": 0,
    }
    sliding("publish", "e.jsonl")
    assert json.loads(sliding("run", "--json").stdout) == {"offset": 8, "events": 5, "delivered": 6, "set_aside": 0}
    assert sent(sliding) == EXPECTED


def test_the_number_of_shards_stays(sliding: Any) -> None:
    sliding("publish", "first.jsonl")
    sliding("run", "--shards", "2")
    assert "is in 2 shards" in " ".join(sliding("run", "--shards", "3", code=2).stderr.replace("│", "").split())
    sliding("run", "--shards", "2")


def test_a_replay_of_the_same_says_the_same(sliding: Any, lines: Any) -> None:
    sliding("publish", "e.jsonl")
    sliding("run", "--close")
    records = [*sliding("subscriptions").stdout.splitlines(), *sliding("policy").stdout.splitlines()]
    replayed = sliding("replay", "--catalog", lines("c.jsonl", records), "--events", "e.jsonl").stdout
    assert sliding("deliveries", "--json").stdout == replayed


def test_close_ends_an_unfinished_period(sliding: Any) -> None:
    sliding("policy", "--user", "ann", "--mode", "periodic", "--length", "10")
    sliding("publish", "e.jsonl")
    served, waiting = sliding("run").stderr.splitlines()
    assert served == "served 8 events; 0 deliveries"
    assert (
        waiting == "8 candidates of 1 user wait for the end of a period; end all periods now with: rankcast run --close"
    )
    assert sliding("run", "--close").stderr == "served 0 events; 2 deliveries\n"


@pytest.mark.parametrize("polite", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_follow_serves_what_comes_until_it_is_asked_to_stop(sliding: Any, polite: signal.Signals) -> None:
    with subprocess.Popen(
        [*COMMAND, "run", "--follow", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as following:
        assert following.stdout is not None
        assert following.stderr is not None
        sliding("publish", "first.jsonl")
        assert json.loads(following.stdout.readline())["offset"] == 3
        sliding("publish", "e.jsonl")
        assert json.loads(following.stdout.readline())["offset"] == 8
        following.send_signal(polite)
        assert following.wait(60) == 0
        assert following.stderr.read() == b"served 8 events; 8 deliveries\n"
    assert sent(sliding) == EXPECTED


def test_following_compares_many_subscriptions_before_the_first_event(
    store: Any, lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = 700
    likes = [{"kind": "subscription", "id": f"s{n}", "user": "ann", "where": f"x >= {n}"} for n in range(many)]
    lines("likes.jsonl", likes)
    store("subscribe", "--file", "likes.jsonl")
    compared: list[int] = []
    add = StrictCovers.add
    monkeypatch.setattr(StrictCovers, "add", lambda self, new: compared.append(len(new)) or add(self, new))

    @contextmanager
    def until_compared() -> Iterator[Callable[[], bool]]:
        yield lambda: sum(compared) == many

    def wait(seconds: float) -> None:
        raise AssertionError("it waits for events before it has compared the subscriptions")

    monkeypatch.setattr(operation_run, "stoppable", until_compared)
    monkeypatch.setattr(operation_run.time, "sleep", wait)
    store("run", "--follow")
    assert sum(compared) == many


def test_follow_ends_periods_by_the_clock(store: Any) -> None:
    store("subscribe", "x > 0", "--user", "ann")
    store("policy", "--user", "ann", "--mode", "periodic", "--k", "1", "--length", "2s")
    store("publish", "--attr", "x=1")
    with subprocess.Popen([*COMMAND, "run", "--follow", "--json"], stdout=subprocess.PIPE) as following:
        patience = Timer(60, following.kill)
        patience.start()
        try:
            assert following.stdout is not None
            said = [json.loads(following.stdout.readline()) for _ in range(2)]
            assert [(one["offset"], one["events"], one["delivered"]) for one in said] == [(1, 1, 0), (1, 0, 1)]
        finally:
            patience.cancel()
            following.terminate()
    with Store.open("rankcast.db") as opened:
        ((_, made),) = opened.deliveries()
        logged = opened.event(made.event)
        assert logged is not None
        assert made.matched is not None
        assert made.matched - logged.logged < timedelta(
            seconds=2 + 2 + 2
        )  # the period, the promise, and a busy machine


def test_what_waits_is_told_with_its_end(store: Any, lines: Any) -> None:
    for user, length in (("ann", "1w"), ("ben", "10")):
        store("subscribe", "--user", user, "x > 0")
        store("policy", "--user", user, "--mode", "periodic", "--k", "1", "--length", length)
    store("publish", "--attr", "x=1")
    store("publish", "--attr", "x=2")
    served, waiting = store("run").stderr.splitlines()
    assert served == "served 2 events; 0 deliveries"
    said = (
        r"4 candidates of 2 users wait for the end of a period, the first until \d{4}-\d\d-\d\dT00:00:01Z; .* --close"
    )
    assert re.fullmatch(said, waiting), waiting
