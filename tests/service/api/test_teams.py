"""What one user's subscriptions on several nodes would deliver, over the API (semantics: Teams)."""

import json

from typer.testing import CliRunner

from rankcast.cli.main import app

FILTER = {"novelty": "threshold", "scoring": "rate", "rate": 0.25, "period": 10}
EVENTS = [
    {"id": f"e{at:02}", "time": f"2026-01-01T00:00:{at:02}Z", "attributes": {"n": at % 3 if at % 2 else 0}}
    for at in range(60)
]


def fill(client, headers=None):
    client.put("/v1/users/desk/policy", json={"filter": FILTER}, headers=headers)
    for number in range(3):
        client.put(f"/v1/users/desk/subscriptions/s{number}", json={"where": f"n = {number}"}, headers=headers)
    client.post("/v1/events", json=EVENTS, headers=headers)


def test_the_api_gives_what_the_command_gives(client, tmp_path):
    fill(client)
    found = client.get("/v1/users/desk/team", params={"nodes": 3, "rounds": 6}).json()
    assert (found["of"], found["matched"], found["rounds"]) == (60, 60, 6)
    assert [team["nodes"] for team in found["teams"]] == [1, 3]
    assert all(0 < team["share"] <= 0.25 and 0 < team["entropy"] < 1.6 for team in found["teams"])
    assert 0 < found["teams"][1]["bytes"] < 1000
    records = [{"kind": "policy", "user": "desk", "filter": FILTER}] + [
        {"kind": "subscription", "id": f"s{number}", "user": "desk", "where": f"n = {number}"} for number in range(3)
    ]
    for name, rows in (("c.jsonl", records), ("e.jsonl", EVENTS)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = ["--catalog", str(tmp_path / "c.jsonl"), "--events", str(tmp_path / "e.jsonl")]
    said = CliRunner().invoke(app, ["team", "desk", *files, "--rounds", "6", "--nodes", "3", "--json"])
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    assert found["deliveries"] == [{name: row[name] for name in ("event", "subscriptions", "round")} for row in rows]
    assert len(rows) == found["teams"][1]["delivered"]


def test_what_is_refused(client):
    client.put("/v1/users/ann/subscriptions/s", json={"where": "n = 1"})
    client.post("/v1/events", json=EVENTS[:1])
    said = client.get("/v1/users/ann/team")
    assert said.status_code == 422
    assert "threshold or sampling filter" in said.json()["detail"]
    assert client.get("/v1/users/ann/team", params={"nodes": 0}).status_code == 422


def test_it_is_for_the_user_and_administrators(guarded, sign):
    fill(guarded, sign())
    assert guarded.get("/v1/users/desk/team", headers=sign("user", "desk")).status_code == 200
    assert guarded.get("/v1/users/desk/team", headers=sign("user", "ann")).status_code == 403
