"""``rankcast overlay simulate``: the messages on each link, the tree on a terminal, errors."""

import json
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


def test_errors(rankcast: Any) -> None:
    assert "use chain:10x5" in rankcast("overlay", "simulate", "--topology", "ring:3", code=2).stderr
    assert "no broker 'x'" in rankcast("overlay", "simulate", "--publisher", "x", code=2).stderr
