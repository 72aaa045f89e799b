"""``rankcast deliveries``."""

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

from rankcast.cli.operation.deliveries import delivery_columns
from rankcast.language import decode_record
from rankcast.model import Catalog

COMMAND = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


@pytest.fixture
def served(store: Any, lines: Any) -> Any:
    """Two users; five events, of which bob gets those with an even number."""
    store("subscribe", "--user", "ann", "n >= 0")
    store("subscribe", "--user", "bob", "even = true")
    lines(
        "e.jsonl",
        [
            {"id": f"e{n}", "time": f"2004-02-13T20:0{n}:00Z", "attributes": {"n": n, "even": n % 2 == 0}}
            for n in range(1, 6)
        ],
    )
    store("publish", "e.jsonl")
    store("run")
    return store


def test_without_deliveries_it_says_what_to_do_next(store: Any, lines: Any) -> None:
    store("subscribe", "--user", "ann", "n > 9")
    assert "no deliveries yet; publish events with: rankcast publish FILE" in store("deliveries").stderr
    lines("e.jsonl", [{"id": "e1", "time": "2004-02-13T20:00:00Z", "attributes": {"n": 1}}])
    store("publish", "e.jsonl")
    assert "no deliveries yet; serve events with: rankcast run" in store("deliveries", "--user", "ann").stderr
    store("run")
    said = store("deliveries", "--user", "ann", "--after", "3").stderr
    assert "no deliveries after 3 yet; ask for the reason with: rankcast explain ann EVENT" in said


def shown(rankcast: Any, *options: str) -> list[tuple[str, str]]:
    told = map(json.loads, rankcast("deliveries", *options).stdout.splitlines())
    return [(one["user"], one["event"]) for one in told]


ALL = [("ann", "e1"), ("ann", "e2"), ("bob", "e2"), ("ann", "e3"), ("ann", "e4"), ("bob", "e4"), ("ann", "e5")]


def test_all_or_some(served: Any) -> None:
    assert shown(served) == ALL
    assert shown(served, "--user", "bob") == [("bob", "e2"), ("bob", "e4")]
    assert shown(served, "--limit", "2") == ALL[-2:]
    assert shown(served, "--user", "bob", "--limit", "1") == [("bob", "e4")]
    assert shown(served, "--after", "2") == ALL[2:]
    assert shown(served, "--after", "2", "--limit", "2") == ALL[2:4]
    assert "there is no user 'eve'" in served("deliveries", "--user", "eve", code=1).stderr


def test_where_to_go_on(served: Any) -> None:
    assert (
        served("deliveries", "--after", "0", "--limit", "3").stderr
        == "more deliveries follow; continue with --after 3\n"
    )
    assert served("deliveries", "--after", "0", "--limit", "7").stderr == ""


def test_form_of_spec_9(served: Any) -> None:
    line = served("deliveries", "--limit", "1").stdout
    assert line == (
        '{"user":"ann","event":"e5","seq":5,"rank":1.0,"subscriptions":["ann-1"],'
        '"published":"2004-02-13T20:05:00Z","forwarded":"2004-02-13T20:05:00Z","window":5}\n'
    )


def test_cells_say_why() -> None:
    record = {"kind": "subscription", "id": "s1", "user": "ann", "where": "genre = 'drama'"}
    columns = delivery_columns(Catalog([decode_record(record)]))
    delivery = {
        "user": "ann",
        "event": "e1",
        "rank": 2 / 3,
        "subscriptions": ["s1", "gone"],
        "forwarded": "2004-02-13T20:05:00Z",
        "window": 4,
    }
    row = [column.cell(delivery) for column in columns]
    assert row == ["4", "2004-02-13 20:05:00", "ann", "e1", "0.667", "s1: genre is drama\ngone"]


@pytest.mark.slow
def test_follow_tells_what_comes(served: Any, lines: Any) -> None:
    with subprocess.Popen([*COMMAND, "deliveries", "--follow", "--user", "bob"], stdout=subprocess.PIPE) as following:
        assert following.stdout is not None
        assert [json.loads(following.stdout.readline())["event"] for _ in range(2)] == ["e2", "e4"]
        served("publish", "--attr", "even=true", "--id", "e6")
        served("run")
        assert json.loads(following.stdout.readline())["event"] == "e6"
        following.send_signal(signal.SIGINT)
        assert following.wait(60) == 0
