"""``rankcast advertise``: made, changed, published under, listed and withdrawn."""

import json
from typing import Any

import pytest

MADE = {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "n <= 100", "k": 2}
EVENTS = [
    {"id": f"e{n}", "time": f"2026-01-01T00:0{n}:00Z", "attributes": {"n": 5}, "advertisement": "a1"} for n in range(2)
]


def told(store: Any, *options: str, code: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in store("advertise", *options, "--json", code=code).stdout.splitlines()]


def test_from_beginning_to_end(store: Any, lines: Any) -> None:
    for name, bound in (("wide", 50), ("mean", 20), ("slim", 10)):
        store("subscribe", f"n between 0 and {bound}", "--user", name, "--id", name)
    assert told(store, "a1", "n <= 100", "--publisher", "shop", "-k", "2") == [MADE]
    store("publish", lines("first.jsonl", EVENTS[:1]))
    assert told(store, "a1", "--k", "1", "--rank", "relevance-fair", "--score", "weight") == [
        {**MADE, "k": 1, "rank": "relevance-fair", "score": "weight"}
    ]
    assert told(store, "a1", "--rank", "relevance", "--score", "area") == [{**MADE, "k": 1}] == told(store)
    store("publish", lines("second.jsonl", EVENTS[1:]))
    store("run")
    sent = [json.loads(line) for line in store("deliveries").stdout.splitlines()]
    assert [(one["event"], one["user"]) for one in sent] == [("e0", "mean"), ("e0", "wide"), ("e1", "wide")]
    assert told(store, "a1", "--withdraw") == [{"kind": "advertisement", "id": "a1"}]
    assert told(store) == []
    said = store("publish", lines("third.jsonl", [{**EVENTS[0], "id": "late"}]), code=1).stderr
    assert "a1" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--k", "1"), "needs an ID"),
        (("a1", "n <", "--publisher", "shop", "--k", "1"), "where a value should be"),
        (("a1", "n < 1", "--k", "1"), "publisher"),
        (("a1", "--withdraw"), "there is no advertisement 'a1'"),
        (("a1", "n < 1", "--publisher", "shop", "--k", "1", "--function", "none"), "no ranking function 'none'"),
    ],
)
def test_what_cannot_be(store: Any, options: tuple[str, ...], said: str) -> None:
    assert said in store("advertise", *options, code=None).stderr
    assert told(store) == []
    assert told(store, "a1", code=1) == []
