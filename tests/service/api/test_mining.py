"""Mined concepts over the API: run, shown for whom, undone; on a schedule; and groups of users."""

import time

import pytest
from fastapi.testclient import TestClient

from rankcast.service import ServiceSettings, create_app


def publish(client, level: float, headers=None) -> None:
    prices = [level * group + place for place in range(20) for group in (1, 4, 9)]
    events = [{"id": f"e{level}-{at}", "attributes": {"price": price}} for at, price in enumerate(prices)]
    assert client.post("/v1/events", json=events, headers=headers).status_code == 200


def test_mining_is_shown_to_whom_it_concerns_and_undone(guarded, sign):
    admin, ann, ben = sign(), sign("user", "ann"), sign("user", "ben")
    publish(guarded, 100, admin)
    first = guarded.post("/v1/mining", json={"attribute": "price"}, headers=admin).json()
    assert [one["name"] for one in first["run"]["after"]] == ["cheap", "fair", "expensive"]
    before = guarded.get("/v1/concepts", headers=ann).json()
    guarded.put("/v1/users/ann/subscriptions/s1", json={"where": "price is cheap"}, headers=ann)
    again = guarded.post("/v1/mining", json={"attribute": "price"}, headers=admin).json()
    assert again["run"] is None
    assert "nothing moved" in again["reason"]
    for level in (300, 310, 320, 330):
        publish(guarded, level, admin)
    run = guarded.post("/v1/mining", json={"attribute": "price"}, headers=admin).json()["run"]
    assert [(one["user"], one["subscription"]) for one in run["effects"]] == [("ann", "s1")]
    listed = guarded.get("/v1/mining", headers=admin).json()
    assert [one["run"] for one in listed["runs"]] == [2, 1]
    assert (listed["attributes"], listed["every"]) == ([], None)  # off by default
    assert guarded.get("/v1/users/ann/mining", headers=ann).json()["runs"][0]["effects"] == run["effects"]
    assert guarded.get("/v1/users/ben/mining", headers=ben).json()["runs"][0]["effects"] == []
    assert guarded.get("/v1/mining", headers=ann).status_code == 403
    assert guarded.post("/v1/mining/2/undo", headers=ann).status_code == 403
    assert guarded.post("/v1/mining/2/undo", headers=admin).json()["undone"]
    assert guarded.get("/v1/concepts", headers=ann).json() == before
    assert guarded.post("/v1/mining/2/undo", headers=admin).status_code == 409
    assert guarded.post("/v1/mining/7/undo", headers=admin).status_code == 404
    entries = guarded.get("/v1/audit", headers=admin).json()["entries"]
    assert "put concept" in entries[0]["detail"]


def test_bad_requests(client):
    for body in ({}, {"attribute": 7}, {"attribute": ""}, {"attribute": "a", "more": 1}):
        assert client.post("/v1/mining", json=body).status_code == 422
    assert "0 numbers" in client.post("/v1/mining", json={"attribute": "price"}).json()["reason"]


def test_a_schedule_adapts_as_data_comes(tmp_path):
    from datetime import timedelta

    settings = ServiceSettings(
        store=str(tmp_path / "s.db"), dev=True, page=False, poll=0.05, mined=("price",), mine_every=timedelta(seconds=1)
    )
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        publish(client, 100)
        _until(lambda: len(client.get("/v1/mining").json()["runs"]) == 1)
        for level in (300, 310, 320, 330):
            publish(client, level)
        _until(lambda: len(client.get("/v1/mining").json()["runs"]) >= 2)
        listed = client.get("/v1/mining").json()
        assert (listed["attributes"], listed["every"]) == (["price"], "1s")
        assert client.post(f"/v1/mining/{listed['runs'][0]['run']}/undo").status_code == 200
        _until(lambda: "was undone" in client.get("/v1/mining").json()["states"]["price"]["reason"])
        audit = client.get("/v1/audit").json()["entries"]
        assert "mining (schedule)" in {one["who"] for one in audit}


def _until(holds) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen within a minute")


def test_groups(client):
    policy = {"filter": {"novelty": "threshold", "scoring": "rate", "rate": 0.2, "period": 20}}
    for user in ("ann", "ben", "cid"):
        client.put(f"/v1/users/{user}/policy", json=policy)
        for number in range(3 if user != "cid" else 1):
            client.put(f"/v1/users/{user}/subscriptions/{user}{number}", json={"where": f"n = {number}"})
    client.post("/v1/events", json=[{"id": f"e{at}", "attributes": {"n": at % 3}} for at in range(90)])
    (row,) = client.get("/v1/groups", params={"similarity": 0.9}).json()["groups"]
    assert list(row["members"].values()) == [["ann", "ben"]]
    assert row["decisions"] == {"alone": 180, "shared": 90}
    assert row["messages"]["shared"] < row["messages"]["alone"]
    assert row["entropy"]["shared"] <= row["entropy"]["alone"] + 1e-9
    assert client.get("/v1/groups", params={"similarity": 0}).status_code == 422


def test_groups_are_for_administrators(guarded, sign):
    assert guarded.get("/v1/groups", headers=sign("user", "ann")).status_code == 403
