"""``rankcast overlay simulate``: the messages on each link, the tree on a terminal, errors."""

import json
from pathlib import Path
from typing import Any

import pytest


def test_messages_of_each_link(rankcast: Any) -> None:
    arguments = ("--topology", "b1-b2,b2-b3,b2-b4", "--subscribers", "40", "-k", "2", "--changes", "5")
    result = rankcast("overlay", "simulate", *arguments)
    links = {(row["from"], row["to"]): row for row in map(json.loads, result.stdout.splitlines())}
    assert set(links) == {("b2", "b1"), ("b1", "b2"), ("b3", "b2"), ("b2", "b3"), ("b4", "b2"), ("b2", "b4")}
    assert links["b1", "b2"] == {"from": "b1", "to": "b2", "publication": 100}
    assert 0 < links["b2", "b1"]["subscribe"] < 40
    assert links["b2", "b1"]["unsubscribe"] > 0
    assert " deliveries of 100 publications, 0 publications differ from a single broker" in result.stderr


@pytest.mark.parametrize("strategy", ["regular-cover", "regular", "rank-cover", "ancestor-cover"])
@pytest.mark.parametrize("rank", ["relevance", "fair", "relevance-fair", "diverse"])
def test_exact_strategies_choose_as_one_broker(rankcast: Any, strategy: str, rank: str) -> None:
    arguments = ("--subscribers", "20", "--publications", "10", "--strategy", strategy, "--rank", rank)
    assert " 0 publications differ from a single broker" in rankcast("overlay", "simulate", *arguments).stderr


def test_a_fair_draw_is_said_to_be_one(rankcast: Any) -> None:
    result = rankcast("overlay", "simulate", "--strategy", "ancestor-fair", "--rank", "fair", "--publications", "20")
    assert "60 deliveries of 20 publications, with ties drawn at each broker" in result.stderr
    assert any("reweigh" in line for line in result.stdout.splitlines()) is False


def test_the_same_seed_gives_the_same_traffic(rankcast: Any) -> None:
    runs = [rankcast("overlay", "simulate", "--seed", seed).stdout for seed in ("1", "1", "2")]
    assert runs[0] == runs[1] != runs[2]


CATALOG = """\
{"kind": "subscription", "id": "s1", "user": "ann", "where": "price is cheap"}
{"kind": "subscription", "id": "s2", "user": "ann", "where": "price < 60", "score": 0.5}
{"kind": "subscription", "id": "s3", "user": "bob", "where": "price < 40"}
{"kind": "subscription", "id": "s4", "user": "cid", "where": "price < 90 and kind = 'book'"}
{"kind": "preference", "user": "ann", "prefer": "s1", "over": "s2"}
{"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [10, 50]}
{"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "price between 0 and 100", "k": 2}
{"kind": "advertisement", "id": "a2", "publisher": "shop", "where": "true", "k": 1, "score": "preference"}
"""
EVENTS = """\
{"id": "e1", "time": "2026-01-01T00:00:00Z", "attributes": {"price": 20, "kind": "book"}, "advertisement": "a1"}
{"id": "e2", "time": "2026-01-01T00:01:00Z", "attributes": {"price": 35}}
{"id": "e3", "time": "2026-01-01T00:02:00Z", "attributes": {"price": 350}}
{"id": "e4", "time": "2026-01-01T00:03:00Z", "attributes": {"price": {"between": [10, 20]}}}
{"id": "e5", "time": "2026-01-01T00:04:00Z", "attributes": {"price": 35}, "advertisement": "a2"}
"""


@pytest.mark.parametrize(("advertisement", "counts"), [("a1", "4 deliveries of 2"), ("a2", "2 deliveries of 3")])
@pytest.mark.parametrize("strategy", ["regular", "rank-cover", "ancestor-cover"])
def test_own_subscriptions(rankcast: Any, tmp_path: Path, strategy: str, advertisement: str, counts: str) -> None:
    (tmp_path / "c.jsonl").write_text(CATALOG)
    (tmp_path / "e.jsonl").write_text(EVENTS)
    files = ("--catalog", str(tmp_path / "c.jsonl"), "--events", str(tmp_path / "e.jsonl"))
    arguments = (*files, "--advertisement", advertisement, "--strategy", strategy, "--changes", "1")
    said = rankcast("overlay", "simulate", *arguments, "--topology", "star:3").stderr
    assert f"{counts} publications, 0 publications differ from a single broker" in said
    assert "events were left out: outside the advertised space, under another advertisement" in said
    assert "of 3 subscriptions are known at the publisher" in said


def test_a_catalog_without_events_shows_what_is_forwarded(rankcast: Any, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("".join(CATALOG.splitlines(keepends=True)[:-1]))
    result = rankcast("overlay", "simulate", "--catalog", str(tmp_path / "c.jsonl"), "--topology", "b1-b2")
    assert json.loads(result.stdout) == {"from": "b2", "to": "b1", "subscribe": 3}
    assert "3 of 4 subscriptions are known at the publisher; 0 deliveries of 0 publications" in result.stderr
    (tmp_path / "c.jsonl").write_text(CATALOG)
    result = rankcast("overlay", "simulate", "--catalog", str(tmp_path / "c.jsonl"), code=1)
    assert "the catalog has the advertisements a1, a2; choose one with --advertisement" in result.stderr
    (tmp_path / "c.jsonl").write_text(CATALOG.splitlines()[2] + "\n")
    result = rankcast("overlay", "simulate", "--catalog", str(tmp_path / "c.jsonl"), code=1)
    assert "the catalog has no advertisement; add one" in result.stderr
    assert "go with --catalog" in rankcast("overlay", "simulate", "--advertisement", "a1", code=2).stderr


def test_errors(rankcast: Any) -> None:
    assert "use chain:10x5" in rankcast("overlay", "simulate", "--topology", "ring:3", code=2).stderr
    assert "no broker 'x'" in rankcast("overlay", "simulate", "--publisher", "x", code=2).stderr


def test_weights_that_travel_need_no_messages_of_their_own(rankcast: Any) -> None:
    fair = (
        "--strategy",
        "ancestor-fair",
        "--rank",
        "fair",
        "--subscribers",
        "60",
        "--changes",
        "20",
        "--topology",
        "b1-b2,b2-b3",
    )
    sent = [rankcast("overlay", "simulate", *fair, *more).stdout for more in ((), ("--weights-travel",))]
    assert ["reweigh" in one for one in sent] == [True, False]
