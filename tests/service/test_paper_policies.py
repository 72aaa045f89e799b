"""What the papers ask of a policy is reachable by catalog file, command and API, and both engines serve it alike.

`tests/pipeline/spark/test_paper_policies.py` shows the same on Spark, and `tests/service/page/policy` that the page has a
control for every field.
"""

import json
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from typer.testing import CliRunner

from rankcast.cli.main import app

RATE = ("--rate", "0.3", "--period", "12")
THRESHOLD = {"novelty": "threshold", "rate": 0.3, "period": 12}
WINDOW = ("--mode", "sliding", "--k", "2", "--length", "8", "--sigma", "0.2")
SLIDING = {"mode": "sliding", "k": 2, "length": 8, "sigma": 0.2}
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "paced": (
        {"filter": {**THRESHOLD, "update": "paced"}},
        ("--filter", "threshold", *RATE),  # the command paces by itself
    ),
    "turns": (
        {"filter": {**THRESHOLD, "update": "paced", "scoring": "interval"}},
        ("--filter", "threshold", *RATE, "--scoring", "interval"),
    ),
    "credit": (
        {"filter": {**THRESHOLD, "update": "eager", "credit": "most_novel"}},
        ("--filter", "threshold", *RATE, "--update", "eager", "--credit", "most_novel"),
    ),
    "period": (
        {"filter": {**THRESHOLD, "update": "eager", "rates": "period"}},
        ("--filter", "threshold", *RATE, "--update", "eager", "--rates", "period"),
    ),
    "decayed": (
        {"filter": {**THRESHOLD, "update": "eager", "rates": "decayed", "half_life": 5}},
        ("--filter", "threshold", *RATE, "--update", "eager", "--rates", "decayed", "--rates-half-life", "5"),
    ),
    "random": ({"filter": {"novelty": "random", "rate": 0.3, "period": 12}}, ("--filter", "random", *RATE)),
    "chance": (
        {"filter": {"novelty": "random", "rate": 0.3, "period": 12, "exact": False}},
        ("--filter", "random", *RATE, "--no-exact"),
    ),
    "betas": (
        {
            "filter": {"novelty": "minimum", "scoring": "decay", "minimum": 0.5},
            "decay": {"alpha": 0.02, "betas": {"betas-1": 0.9}, "preferred": True},
        },
        (
            *("--filter", "minimum", "--scoring", "decay", "--minimum", "0.5"),
            *("--decay-alpha", "0.02", "--decay-betas", "betas-1=0.9", "--decay-preferred"),
        ),
    ),
    "calm": ({**SLIDING, "calm": 0.1}, (*WINDOW, "--calm", "0.1")),
    "max_min": ({**SLIDING, "objective": "max_min"}, (*WINDOW, "--objective", "max_min")),
    "equality": ({**SLIDING, "distance": "equality"}, (*WINDOW, "--distance", "equality")),
    "all_matching": ({**SLIDING, "specific": False}, (*WINDOW, "--no-specific")),  # the maximum, as in DEBS 6.1
    "functions": (
        {**SLIDING, "specific": False, "levels": "halving", "aggregate": "mean"},
        (*WINDOW, "--no-specific", "--levels", "halving", "--aggregate", "mean"),
    ),
}
WHERES = ("x > 2", "x > 4 and y = 1", "y = 2", "x < 3")
EVENTS = [
    {
        "id": f"e{at:03}",
        "time": f"2026-01-01T{at // 60:02}:{at % 60:02}:00Z",
        "attributes": {"x": at * at % 7, "y": at % 3, "z": "abc"[at * at % 11 % 3]},
    }
    for at in range(120)
]


def told(*arguments: str) -> list[Any]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def subscriptions(user: str) -> list[dict[str, Any]]:
    return [
        {"kind": "subscription", "id": f"{user}-{number}", "user": user, "where": where, "score": 0.4 + number / 10}
        for number, where in enumerate(WHERES)
    ]


def policy(case: str) -> dict[str, Any]:
    return {"kind": "policy", "user": case, **CASES[case][0]}


def rows(deliveries: list[Any]) -> list[list[Any]]:
    return [[one[name] for name in ("event", "rank", "subscriptions", "window")] for one in deliveries]


def test_the_catalog_file_with_both_engines_and_the_api(client: TestClient, tmp_path: Path) -> None:
    records = [record for case in CASES for record in (*subscriptions(case), policy(case))]
    files = []
    for name, given in (("catalog", records), ("events", EVENTS)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in given))
        files += [f"--{name}", str(tmp_path / f"{name}.jsonl")]
    sent = told("replay", *files, "--engine", "oracle")
    assert told("replay", *files, "--engine", "local") == sent

    client.post("/v1/events", json=EVENTS)
    for case, (fields, _) in CASES.items():
        own = rows([one for one in sent if one["user"] == case])
        assert 5 < len(own) < len(EVENTS), case
        for one in subscriptions(case):
            form = {name: one[name] for name in ("where", "score")}
            assert client.put(f"/v1/users/{case}/subscriptions/{one['id']}", json=form).status_code == 201
        assert client.put(f"/v1/users/{case}/policy", json=fields).status_code in (200, 201)
        assert client.get(f"/v1/users/{case}/policy").json() == policy(case)
        trial = client.post(f"/v1/users/{case}/trials/policy", json={"policy": fields}).json()
        assert rows(trial["deliveries"]) == own, case


def test_the_command(tmp_path: Path) -> None:
    store = str(tmp_path / "own.db")
    told("init", "--store", store)
    for case, (_, options) in CASES.items():
        assert told("policy", "--user", case, *options, "--store", store, "--json") == [policy(case)]
