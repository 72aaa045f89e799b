"""``rankcast watch``: the feed of a user in the terminal."""

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

from rankcast.cli.operation.watch import delivery_lines
from rankcast.store import Store

COMMAND = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


@pytest.fixture
def served(store: Any, lines: Any) -> Any:
    store("subscribe", "--user", "ann", "genre = 'drama'", "--id", "ann-drama")
    attributes = [{"title": f"Film {n}", "votes": 41199, "genre": "drama"} for n in range(3)]
    lines("e.jsonl", ({"id": f"e{n}", "time": "2004-02-13", "attributes": one} for n, one in enumerate(attributes)))
    store("publish", "e.jsonl")
    store("run")
    return store


def test_a_delivery_with_its_title_and_what_matched(served: Any) -> None:
    with Store.open("rankcast.db") as store:
        (_, delivery), *_ = store.deliveries("ann")
        logged = store.event(delivery.event)
        assert logged is not None
        assert delivery_lines(delivery, logged.event, store.catalog()) == [
            "2004-02-13 00:00:00  Film 0  (rank 1.00)",
            "    genre drama, votes 41,199",
            "    matches ann-drama: genre is drama",
            "",
        ]


def test_programs_get_the_last_records(served: Any) -> None:
    shown = served("watch", "ann", "--last", "2", "--once").stdout
    assert [json.loads(line)["event"] for line in shown.splitlines()] == ["e1", "e2"]


def test_an_unknown_user_is_told_the_likely_name(served: Any) -> None:
    assert "there is no user 'anne'" in served("watch", "anne", "--once", code=1).stderr


def test_it_follows_the_feed(served: Any) -> None:
    with subprocess.Popen([*COMMAND, "watch", "ann", "--last", "1"], stdout=subprocess.PIPE) as watching:
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["event"] == "e2"
        served("publish", "--attr", "genre=drama", "--id", "e9")
        served("run")
        assert json.loads(watching.stdout.readline())["event"] == "e9"
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 0
