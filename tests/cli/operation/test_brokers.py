"""``rankcast overlay status``, ``forget`` and ``rejoin``, beside running brokers."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from broker_tree import BrokerTree
from waiting import until

from rankcast.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[BrokerTree]:
    made = BrokerTree(tmp_path)
    yield made
    made.close()


@contextmanager
def served(*options: str) -> Iterator[str]:
    """A service in a process of its own; its address."""
    command = [sys.executable, "-c", "from rankcast.cli.main import main; main()", "serve", "--port", "0", "--no-page"]
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield process.stderr.readline().split("served at ")[1].split(" ")[0]
    finally:
        process.kill()
        process.wait()


def test_serve_is_the_edge_of_another_service_by_a_token(rankcast, tmp_path: Path) -> None:
    root, edge = str(tmp_path / "root.db"), str(tmp_path / "edge1.db")
    for place in (root, edge):
        Store.create(place).close()
    made = rankcast("token", "create", "--store", root, "--broker", "edge1", "--json").stdout
    admin = json.loads(rankcast("token", "create", "--store", root, "--administrator", "--json").stdout)["token"]
    with (
        served("--store", root) as above,
        served("--store", edge, "--dev", "--upstream", above, "--token", json.loads(made)["token"]) as below,
    ):
        asked = {"headers": {"Authorization": f"Bearer {admin}"}}
        httpx.put(f"{below}/v1/users/ann/subscriptions/s1", json={"where": "x > 5"}).raise_for_status()
        until(lambda: (found := httpx.get(f"{below}/v1/brokers").json())["settled"] and found["error"] is None)
        for name, x in (("e1", 9), ("e2", 1)):
            event = {"id": name, "attributes": {"x": x}}
            httpx.post(f"{above}/v1/events", json=event, **asked).raise_for_status()
        until(lambda: httpx.get(f"{below}/v1/users/ann/deliveries").json()["deliveries"])
        found = httpx.get(f"{above}/v1/brokers", **asked).json()
        assert (found["broker"], [one["name"] for one in found["brokers"]]) == ("root", ["root", "edge1"])
    with Store.open(edge) as store:
        assert [one.event.id for one in store.events()] == ["e1"]


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
