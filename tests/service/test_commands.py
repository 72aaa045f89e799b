"""``rankcast serve`` and ``rankcast token`` as people use them."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from typer.testing import CliRunner
from waiting import until

from rankcast.cli.main import app
from rankcast.language import decode_event, decode_record
from rankcast.service.access import Access
from rankcast.service.push.digests import Digests, Schedule
from rankcast.store import Store

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]
runner = CliRunner()


@contextmanager
def served(place: Path, *options: str) -> Iterator[tuple["subprocess.Popen[str]", str, list[str]]]:
    """A service in a process of its own, its address, and what it has said so far."""
    command = [*COMMAND, "serve", "--store", str(place), "--port", "0", "--no-page", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = [process.stderr.readline(), process.stderr.readline(), process.stderr.readline()]
    try:
        yield process, said[0].split("served at ")[1].split(" ")[0], said
    finally:
        process.kill()
        process.wait()


def test_one_command_from_nothing_to_the_first_delivery(tmp_path: Path) -> None:
    place = tmp_path / "new.db"
    with served(place, "--dev") as (process, address, said):
        assert "no tokens required" in said[2]
        assert httpx.put(f"{address}/v1/users/ann/subscriptions/s", json={"where": "true"}).status_code == 201
        assert httpx.post(f"{address}/v1/events", json={"id": "e1", "attributes": {}}).status_code == 201
        with Store.open(place) as store:  # what other processes publish is served too
            store.publish([decode_event({"id": "e2", "time": "2004-01-01", "attributes": {}})])
        with httpx.stream("GET", f"{address}/v1/users/ann/deliveries/live?after=0", timeout=20) as stream:
            data = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            assert [next(data)["event"], next(data)["event"]] == ["e1", "e2"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert "stopped" in process.stderr.read()


def test_the_limits_are_those_that_the_operator_sets(tmp_path: Path) -> None:
    options = ["--max-policy-cost=10", "--max-ahead=3h", "--max-event-size=1000"]
    with served(tmp_path / "limited.db", "--dev", *options) as (_, address, _):
        policy = httpx.put(f"{address}/v1/users/ann/policy", json={"mode": "sliding", "k": 1, "length": 5})
        assert "the limit is 10 µs" in policy.json()["detail"]
        now = datetime.now(UTC)
        for hours, status in ((2, 201), (4, 422)):
            ahead = {"id": f"e{hours}", "time": (now + timedelta(hours=hours)).isoformat(), "attributes": {"x": 1}}
            assert httpx.post(f"{address}/v1/events", json=ahead).status_code == status
        large = httpx.post(f"{address}/v1/events", json={"id": "large", "attributes": {"x": "y" * 1_000}})
        assert "at most 1,000 are allowed" in large.json()["detail"]


def test_old_digests_are_forgotten_after_the_days_that_were_said(tmp_path: Path) -> None:
    place = tmp_path / "old.db"
    for age in (4, 2, 0):
        made_at = datetime.now(UTC) - timedelta(days=age)
        with Store.create(place, exist_ok=True, clock=lambda made_at=made_at: made_at) as store:
            digests = Digests(SimpleNamespace(store=store))
            digests.set_schedule("ann", Schedule.of_json({"days": "daily", "at": "08:00", "zone": "UTC"}))
            digests.make("ann")
    with Store.open(place) as store, served(place, "--kept-days", "3"):
        until(lambda: len(Digests(SimpleNamespace(store=store)).digests("ann")) == 2)
    result = runner.invoke(app, ["serve", "--store", str(place), "--kept-days", "0"])
    assert result.exit_code == 2


def test_what_was_acknowledged_survives_the_hardest_end(tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    with Store.create(place) as store:
        store.change(put=[decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "true"})])
    with served(place, "--dev") as (process, address, _):
        events = [{"id": f"e{number}", "attributes": {}} for number in range(300)]
        assert len(httpx.post(f"{address}/v1/events", json=events, timeout=20).json()["published"]) == 300
        process.kill()
        process.wait()
    with served(place, "--dev") as (_, address, _):
        got: list[str] = []
        with httpx.stream("GET", f"{address}/v1/users/ann/deliveries/live?after=0", timeout=20) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    got.append(json.loads(line[6:])["event"])
                if len(got) == 300:
                    break
    assert got == [event["id"] for event in events]


def test_without_a_terminal_no_secret_is_printed_and_a_port_is_for_one(tmp_path: Path) -> None:
    with served(tmp_path / "store.db") as (_, address, said):
        assert "rankcast token create --administrator" in said[2]
        assert "rc_" not in "".join(said)
        assert httpx.get(f"{address}/v1/me").status_code == 401
        command = [*COMMAND, "serve", "--store", str(tmp_path / "two.db"), "--port", address.rsplit(":", 1)[1]]
        second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 3
    assert "choose another with --port" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_first_start_on_a_terminal_shows_an_administrators_token(tmp_path: Path) -> None:
    place = str(tmp_path / "store.db")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, "serve", "--store", place, "--port", "0", "--no-page"], stderr=theirs)
    os.close(theirs)
    said = ""
    with suppress(OSError):  # which is how a terminal ends
        while data := os.read(ours, 4096).decode():
            if "/v1/docs" not in said and "/v1/docs" in said + data:
                process.send_signal(signal.SIGINT)
            said += data
    os.close(ours)
    assert process.wait(30) == 0
    (token,) = re.findall(r"rc_\S+", said)
    with Store.open(place) as store:
        principal = Access(store).check(token)
    assert principal is not None
    assert principal.is_administrator


def test_tokens_are_made_listed_and_revoked(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store.db")]
    assert runner.invoke(app, ["init", *store]).exit_code == 0
    made = runner.invoke(app, ["token", "create", "--user", "ann", "--json", *store])
    token = json.loads(made.stdout)
    listed = runner.invoke(app, ["token", "list", "--json", *store])
    assert [json.loads(line)["name"] for line in listed.stdout.splitlines()] == ["ann"]
    assert token["token"] not in listed.stdout
    assert runner.invoke(app, ["token", "revoke", token["id"], *store]).exit_code == 0
    assert json.loads(runner.invoke(app, ["token", "list", "--json", *store]).stdout)["revoked"]
    assert runner.invoke(app, ["token", "revoke", "nothing", *store]).exit_code == 1


def test_a_token_may_expire(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store.db")]
    runner.invoke(app, ["init", *store])
    made = runner.invoke(app, ["token", "create", "--user", "ann", "--expires", "90d", "--json", *store])
    listed = json.loads(runner.invoke(app, ["token", "list", "--json", *store]).stdout)
    assert listed["expires"] == json.loads(made.stdout)["expires"]
    assert (datetime.fromisoformat(listed["expires"]) - datetime.fromisoformat(listed["created"])).days == 90
    for wrong in ("soon", "0s"):
        refused = runner.invoke(app, ["token", "create", "--user", "ann", "--expires", wrong, *store])
        assert refused.exit_code != 0


@pytest.mark.parametrize("options", [[], ["--user", "ann", "--publisher", "p"], ["--user", "a", "--administrator"]])
def test_a_token_is_of_one(tmp_path: Path, options: list[str]) -> None:
    store = ["--store", str(tmp_path / "store.db")]
    runner.invoke(app, ["init", *store])
    assert runner.invoke(app, ["token", "create", *options, *store]).exit_code == 2
