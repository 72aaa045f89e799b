"""``rankcast publish``: what is acknowledged is on disk, once; what cannot be used is kept."""

import gzip
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rankcast.store import Store

COMMAND = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


def logged(path: str = "rankcast.db") -> list[str]:
    with Store.open(path) as store:
        return [entry.event.id for entry in store.events()]


def numbered(count: int) -> list[dict[str, Any]]:
    return [{"id": f"e{n}", "time": "2004-02-13T20:05:00Z", "attributes": {"n": n}} for n in range(count)]


def test_a_file(store: Any, lines: Any) -> None:
    result = store("publish", lines("e.jsonl", numbered(3)))
    assert (result.stdout, result.stderr) == ("", "published 3 events\n")
    assert logged() == ["e0", "e1", "e2"]
    again = store("publish", "e.jsonl", "--json")
    assert [json.loads(line) for line in again.stdout.splitlines()] == [
        {"id": f"e{n}", "offset": n + 1} for n in range(3)
    ]
    assert again.stderr == "published 0 events; 3 already in the log\n"
    assert logged() == ["e0", "e1", "e2"]


def test_a_thousand_bad_lines_among_a_thousand_good_ones(store: Any, lines: Any, wrong_events: list[str]) -> None:
    good = numbered(1000)
    for n, event in enumerate(good):
        event["id"] = f"g{n}"
    file = lines("e.jsonl", [line for pair in zip(good, wrong_events, strict=True) for line in pair])
    result = store("publish", file, "--json", code=1)
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [f"g{n}" for n in range(1000)]
    assert logged() == [f"g{n}" for n in range(1000)]
    told = result.stderr.splitlines()
    assert all(line.startswith(f"e.jsonl:{2 * n}: ") for n, line in enumerate(told[:10], 1))
    assert told[10:] == ["… and 990 more", "published 1,000 events; rejected 1,000 lines (see: rankcast rejects)"]
    kept = [json.loads(line) for line in store("rejects").stdout.splitlines()]
    assert [reject["line"] for reject in kept] == list(range(2, 2001, 2))
    assert [reject["raw"] for reject in kept] == wrong_events
    assert all(reject["reason"] for reject in kept)


def test_by_hand(store: Any) -> None:
    attributes = ("--attr", "genre=drama", "--attr", "genre=comedy", "--attr", "year=2004")
    result = store("publish", *attributes, "--id", "e9", "--time", "2004-02-13", "--source", "imdb")
    assert (result.stdout, result.stderr) == ("e9\n", "published e9 at offset 1\n")
    made_up = store("publish", "--attr", "x=1").stdout.strip()
    assert json.loads(store("publish", "--attr", "x=1", "--json").stdout)["offset"] == 3
    with Store.open("rankcast.db") as opened:
        events = {entry.event.id: entry.event for entry in opened.events()}
    assert events["e9"].attributes == {"genre": ("drama", "comedy"), "year": (2004,)}
    assert events["e9"].source == "imdb"
    assert made_up in events


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ([], 2, "either"),
        (["e.jsonl", "--attr", "x=1"], 2, "either"),
        (["--attr", "x"], 2, "name=value"),
        (["--attr", "x=1", "--time", "soon"], 2, "is not a time"),
        (["--attr", f"x={'a' * 99}", "--max-event-size", "100"], 2, "100"),
        (["--attr", 'x={"is": "cheap"}'], 1, "no concept 'cheap'"),
        (["--attr", "x=[1, true]"], 2, "values of different types"),
        (["missing.jsonl"], 3, "no file 'missing.jsonl'"),
    ],
)
def test_mistakes(store: Any, options: list[str], code: int, said: str) -> None:
    assert said in " ".join(store("publish", *options, code=code).stderr.replace("│", "").split())
    assert logged() == []


def test_an_id_with_other_content_is_refused(store: Any, lines: Any) -> None:
    store("publish", lines("e.jsonl", numbered(1)))
    changed = {**numbered(1)[0], "attributes": {"n": 99}}
    result = store("publish", lines("f.jsonl", [changed, numbered(2)[1]]), code=1)
    assert "f.jsonl:1: event 'e0' is in the log already, at offset 1, with other content" in result.stderr
    assert logged() == ["e0", "e1"]


def test_events_without_a_time_can_be_published_again(store: Any, lines: Any) -> None:
    file = lines("e.jsonl", [{"id": f"e{n}", "attributes": {"n": n}} for n in range(3)])
    store("publish", file)
    again = store("publish", file, "--json")
    assert [json.loads(line)["offset"] for line in again.stdout.splitlines()] == [1, 2, 3]
    assert again.stderr == "published 0 events; 3 already in the log\n"
    assert "other content" in store("publish", lines("f.jsonl", [{"id": "e0", "attributes": {}}]), code=1).stderr


def test_a_publication_outside_its_advertisement_is_rejected(store: Any, lines: Any) -> None:
    form = {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "price <= 100", "k": 1}
    store("subscribe", "--file", lines("c.jsonl", [form]))
    under = {"time": "2004-02-13", "advertisement": "a1"}
    events = [{"id": f"at-{price}", "attributes": {"price": price}, **under} for price in (99, 101)]
    assert "e.jsonl:2: event 'at-101' is outside the space" in store("publish", lines("e.jsonl", events), code=1).stderr
    assert logged() == ["at-99"]


def test_hostile_lines(store: Any, tmp_path: Path) -> None:
    hostile = [
        b'{"id": "a", "attributes": ' + b"[" * 100_000,
        b'{"id": "b", "attributes": {"x": "' + b"y" * 10_000_001 + b'"}}',
        b'{"id": "c", "attributes": {"x": "\xff\xfe"}}',
        b'{"id": "d", "attributes": {"x": Infinity}}',
        b'{"id": "e", "attributes": {"x": 123456789012345678901234567890}}',
        b'{"id": "", "attributes": {}}',
        b"\x00\x01\x02",
        b'{"id": "f", "attributes": {"x": "\\udfff"}}',
        b'{"id": "g", "time": "10000-01-01", "attributes": {}}',
    ]
    (tmp_path / "e.jsonl").write_bytes(b"\n".join([*hostile, b'{"id": "ok", "attributes": {"x": "\x7f"}}', b""]))
    result = store("publish", "e.jsonl", code=1)
    assert logged() == ["ok"]
    assert [line.split(":")[1] for line in result.stderr.splitlines()[:-1]] == [str(n) for n in range(1, 10)]
    assert all(character.isprintable() or character == "\n" for character in result.stderr)
    assert len(store("rejects").stdout.splitlines()) == 9


@pytest.mark.slow
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_stdin_that_is_a_table(process: Any, pack: Any) -> None:
    process("init")
    result = process("publish", "-", "--json", stdin=pack(b"id,time,price\na,2020-01-01,5\nb,2020-01-02,x\nc,,7\n"))
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["a", "b", "c"]
    assert result.stderr.startswith(b"stdin is read as CSV, one event per row; attributes: price (text);")
    assert result.returncode == 0


@pytest.mark.slow
def test_stdin(process: Any) -> None:
    process("init")
    result = process(
        "publish", "-", "--json", stdin=b'{"id": "a", "attributes": {}}\n\nnonsense\r\n{"id": "b", "attributes": {}}'
    )
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"id": "a", "offset": 1},
        {"id": "b", "offset": 2},
    ]
    assert result.stderr.startswith(b"-:3: not valid JSON")
    assert result.returncode == 1


@pytest.mark.slow
def test_what_a_slow_writer_wrote_is_acknowledged_before_more_is_waited_for(process: Any) -> None:
    process("init")
    with subprocess.Popen([*COMMAND, "publish", "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as slow:
        assert slow.stdin is not None
        assert slow.stdout is not None
        for n in range(3):
            slow.stdin.write(f'{{"id": "e{n}", "attributes": {{}}}}\n'.encode())
            slow.stdin.flush()
            assert json.loads(slow.stdout.readline()) == {"id": f"e{n}", "offset": n + 1}
        slow.stdin.close()
        assert slow.wait(60) == 0


@pytest.mark.slow
def test_every_acknowledged_event_survives_kill_9_once(process: Any, lines: Any) -> None:
    count = 100_000
    process("init")
    lines("e.jsonl", numbered(count))
    with subprocess.Popen([*COMMAND, "publish", "e.jsonl", "--json"], stdout=subprocess.PIPE) as publishing:
        assert publishing.stdout is not None
        acknowledged = [json.loads(publishing.stdout.readline()) for _ in range(count // 3)]
        os.kill(publishing.pid, signal.SIGKILL)
        rest = publishing.stdout.read().splitlines(keepends=True)
        acknowledged += [json.loads(line) for line in rest if line.endswith(b"\n")]
        assert publishing.wait(60) == -signal.SIGKILL
    log = logged()
    assert len(acknowledged) <= len(log) < count, "it was not killed in the middle"
    assert max(Counter(log).values()) == 1
    assert all(log[one["offset"] - 1] == one["id"] for one in acknowledged)
    again = process("publish", "e.jsonl")
    assert again.returncode == 0, again.stderr
    assert logged() == [f"e{n}" for n in range(count)]


def test_events_that_are_too_large_or_of_the_far_future_are_rejects(store: Any, lines: Any) -> None:
    good, large, future = numbered(3)
    large["attributes"] = {f"text{n}": "x" * 60_000 for n in range(5)}
    future["time"] = "9999-01-01T00:00:00Z"
    result = store("publish", lines("e.jsonl", [good, large, future]), code=1)
    assert "e.jsonl:2: an event of 300,125 bytes" in result.stderr
    assert "e.jsonl:3: time 9999-01-01T00:00:00Z is" in result.stderr
    assert logged() == ["e0"]
    assert [json.loads(line)["line"] for line in store("rejects").stdout.splitlines()] == [2, 3]
    store("publish", "e.jsonl", "--max-event-size", "400000", "--max-ahead", "3000000d", "--json")
    assert logged() == ["e0", "e1", "e2"]
    assert "ahead of the clock" in store("publish", "--attr", "a=1", "--time", "9999-01-01", code=2).stderr


ROWS = [("e1", "2020-01-01T00:00:00Z", "drama", 1999), ("e2", "2020-01-02T00:00:00.123456789Z", "noir", 2000)]


def contents(path: str = "rankcast.db") -> list[tuple[str, dict[str, Any]]]:
    with Store.open(path) as store:
        return [(entry.event.id, dict(entry.event.attributes)) for entry in store.events()]


def test_a_json_array_over_several_lines(store: Any) -> None:
    Path("e.json").write_text(json.dumps(numbered(3), indent=2))
    result = store("publish", "e.json")
    assert result.stderr.splitlines() == [
        "e.json is read as a JSON array, one event per element",
        "published 3 events",
    ]
    assert logged() == ["e0", "e1", "e2"]
    Path("cut.json").write_text(json.dumps(numbered(3), indent=2)[:-5])
    assert "begins like a JSON array, but is not one" in store("publish", "cut.json", code=3).stderr


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["films.csv", "films.txt"])
def test_csv(store: Any, separator: str, name: str) -> None:
    lines = [("id", "time", "genre", "year"), *ROWS, ("", "", "comedy", "")]
    Path(name).write_text("\n".join(separator.join(map(str, row)) for row in lines))
    result = store("publish", name)
    assert "read as CSV, one event per row; attributes: genre (text), year (number)" in result.stderr
    assert "published 3 events; gave an id to 1" in result.stderr
    found = contents()
    assert found[0] == ("e1", {"genre": ("drama",), "year": (1999,)})
    assert found[2][1] == {"genre": ("comedy",)}
    assert "published 0 events; 3 already in the log" in store("publish", name).stderr


def test_parquet(store: Any) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns = {name: [row[at] for row in ROWS] for at, name in enumerate(("id", "time", "genre", "year"))}
    parquet.write_table(pa.table({**columns, "tags": [["a", "b"], None]}), "films.parquet")
    store("publish", "films.parquet")
    assert contents()[0] == ("e1", {"genre": ("drama",), "year": (1999,), "tags": ("a", "b")})
    Path("bad.parquet").write_bytes(b"PAR1 and nothing more")
    assert "cannot be read as Parquet" in store("publish", "bad.parquet", code=3).stderr


def test_lines_may_omit_ids(store: Any, lines: Any) -> None:
    same = {"attributes": {"genre": "drama"}}
    result = store("publish", lines("e.jsonl", [same, same, {"id": "e3", "attributes": {"id": 7}}]))
    assert result.stderr == "published 3 events; gave an id to 2\n"
    assert "3 already in the log" in store("publish", "e.jsonl").stderr


def test_the_same_event_twice_by_hand(store: Any) -> None:
    store("publish", "--attr", "genre=drama", "--id", "e1")
    assert "e1 is already in the log, at offset 1" in store("publish", "--attr", "genre=drama", "--id", "e1").stderr
    assert "with other content" in store("publish", "--attr", "genre=noir", "--id", "e1", code=1).stderr
    assert logged() == ["e1"]


def test_attributes_beside_the_fields_of_an_event(store: Any, lines: Any) -> None:
    """The likely mistake is a missing 'attributes', and not a typo in 'time'."""
    told = store("publish", lines("flat.jsonl", [{"title": "Laura", "genre": "drama"}]), code=1).stderr
    assert "an event has no field 'title'; what describes the event goes into 'attributes'" in told
    assert "published 0 events; rejected 1 line" in told
