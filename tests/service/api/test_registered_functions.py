"""Functions that a program registers, over the API: F and G of a policy, and the ranking of an advertisement."""

import sys
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from rankcast.model import AGGREGATES, LEVELS
from rankcast.model import functions as of_policies
from rankcast.overlay import functions as of_advertisements

MODULE = """
from rankcast.model import AGGREGATES, LEVELS
from rankcast.overlay import register_scorer
AGGREGATES.register("product", lambda scores, weights: __import__("math").prod(sorted(scores)))
LEVELS.register("cubes", lambda level, count: ((count - level + 1) / count) ** 3)
register_scorer("last_letter", lambda event, subscription, degree: float(ord(subscription.id[-1])))
"""


@pytest.fixture(autouse=True)
def _named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that this process and the pipeline's import when they meet an unknown name."""
    (tmp_path / "functions_of_a_service.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "functions_of_a_service", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("RANKCAST_FUNCTIONS", "functions_of_a_service")
    monkeypatch.setattr(of_policies, "_imported", False)
    monkeypatch.setattr(of_advertisements, "_KNOWN", {})
    for registry in (AGGREGATES, LEVELS):
        monkeypatch.setattr(registry, "_functions", {})


def deliveries(client: TestClient, user: str, count: int) -> list[tuple[str, float, list[str]]]:
    for _ in range(300):
        found = client.get(f"/v1/users/{user}/deliveries").json()["deliveries"]
        if len(found) >= count:
            return [(one["event"], one["rank"], one["subscriptions"]) for one in found]
        time.sleep(0.1)
    pytest.fail(f"{user} got nothing within half a minute")


def test_a_policy_and_an_advertisement_name_them(client: TestClient) -> None:
    for user, names in (("ann", "ab"), ("bob", "y"), ("cid", "z")):
        for name in names:
            where = {"where": f"{'n' if name != 'b' else 'm'} > 0"}
            assert client.put(f"/v1/users/{user}/subscriptions/{user}-{name}", json=where).status_code == 201
    client.post("/v1/users/ann/preferences", json={"prefer": "ann-a", "over": "ann-b"})
    assert client.put("/v1/users/ann/policy", json={"aggregate": "product", "levels": "cubes"}).status_code == 201
    form = {"publisher": "shop", "where": "n > 0", "k": 1, "function": "last_letter"}
    assert client.put("/v1/advertisements/a1", json=form).status_code == 201
    assert client.get("/v1/advertisements/a1").json()["function"] == "last_letter"
    events = [
        {"id": "e1", "attributes": {"n": 1, "m": 1}},
        {"id": "e2", "attributes": {"n": 1, "m": 1}, "advertisement": "a1"},
    ]
    assert client.post("/v1/events", json=events).status_code == 200
    assert deliveries(client, "cid", 2) == [("e1", 1.0, ["cid-z"]), ("e2", 1.0, ["cid-z"])]
    assert deliveries(client, "bob", 1) == [("e1", 1.0, ["bob-y"])]
    assert deliveries(client, "ann", 1) == [("e1", 0.125, ["ann-a", "ann-b"])]


def test_an_unknown_name_is_refused(client: TestClient) -> None:
    said = client.put("/v1/users/ann/policy", json={"aggregate": "produkt"})
    assert said.status_code == 422
    assert "did you mean 'product'" in said.json()["detail"]
    form = {"publisher": "shop", "where": "n > 0", "k": 1, "function": "first_letter"}
    said = client.put("/v1/advertisements/a1", json=form)
    assert said.status_code == 409
    assert "no ranking function 'first_letter'" in said.json()["detail"]
