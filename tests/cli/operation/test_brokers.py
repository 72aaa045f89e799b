"""``rankcast overlay status``, ``forget`` and ``rejoin``, beside running brokers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker_tree import BrokerTree

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[BrokerTree]:
    made = BrokerTree(tmp_path)
    yield made
    made.close()


def test_the_tree_is_shown_and_an_edge_is_removed(rankcast, tree) -> None:
    tree.start("root")
    alone = rankcast("overlay", "status", "--url", tree.addresses["root"])
    assert [json.loads(line)["name"] for line in alone.stdout.splitlines()] == ["root"]
    tree.start("edge", "root")
    tree.put("edge", {"kind": "subscription", "id": "s1", "user": "ann", "where": "x > 1"})
    tree.settle()
    shown = rankcast("overlay", "status", "--url", tree.addresses["root"]).stdout.splitlines()
    root, edge = (json.loads(line) for line in shown)
    assert (root["here"], root["links"][0]["to"], edge["upstream"]) == (True, "edge", "root")
    tree.stop("edge")
    rankcast("overlay", "forget", "edge", "--url", tree.addresses["root"])
    rankcast("overlay", "forget", "edge", "--url", tree.addresses["root"], code=1)
    done = rankcast("overlay", "rejoin", "--store", str(tree.folder / "edge.db"), "--json")
    assert json.loads(done.stdout)["broker"] == "edge"
    tree.open("edge")
    tree.settle()


def test_an_edge_says_why_it_has_no_upstream(rankcast, tree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.settle()
    tree.stop("root")
    tree.error("edge", "onnect")
    result = rankcast("overlay", "status", "--url", tree.addresses["edge"], code=1)
    assert result.stderr.startswith("edge: ")
