"""Reading the log of events, and what the document says about events and explanations."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rankcast.service import ServiceSettings, create_app

Sign = Callable[..., dict[str, str]]


def event(number: int) -> dict[str, Any]:
    return {"id": f"e{number}", "time": "2020-01-01", "attributes": {"x": number}}


def pages(client: TestClient, headers: dict[str, str] | None = None, **asked: Any) -> list[str]:
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        given = {**asked, **({"cursor": cursor} if cursor else {})}
        page = client.get("/v1/events", params=given, headers=headers).json()
        assert len(page["events"]) <= asked["limit"]
        found += [one["id"] for one in page["events"]]
        cursor = page["next"]
    return found


def test_events_are_listed_page_by_page(client: TestClient) -> None:
    assert pages(client, limit=5) == []
    client.post("/v1/events", json=[event(number) for number in range(7)])
    names = [f"e{number}" for number in range(7)]
    for limit in (1, 3, 7, 100):
        assert pages(client, limit=limit) == names
        assert pages(client, limit=limit, order="newest") == names[::-1]
    assert client.get("/v1/events", params={"limit": 1}).json()["events"][0]["seq"] == 1


def test_a_publisher_sees_its_own(guarded: TestClient, sign: Sign) -> None:
    studio, other, reader = sign("publisher", "studio"), sign("publisher", "other"), sign("user", "ann")
    for number in range(6):
        guarded.post("/v1/events", json=event(number), headers=studio if number % 2 else other)
    assert pages(guarded, studio, limit=2) == ["e1", "e3", "e5"]
    assert pages(guarded, other, limit=2, order="newest") == ["e4", "e2", "e0"]
    assert len(pages(guarded, reader, limit=2)) == 6
    assert guarded.get("/v1/events").status_code == 401


@pytest.mark.parametrize("page", [False, True])
def test_unknown_paths_are_problems(tmp_path: Path, page: bool) -> None:
    settings = ServiceSettings(store=str(tmp_path / "s.db"), dev=True, page=page, pipeline=False)
    client = TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False)
    for method, path, status in (("GET", "/v1/nothing", 404), ("POST", "/v1/a/b", 404), ("PATCH", "/v1/events", 405)):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
        assert answer.json()["detail"]
    assert "POST" in client.request("PATCH", "/v1/events").headers["allow"]


def test_the_document_is_complete(client: TestClient) -> None:
    document = client.get("/v1/openapi.json").json()
    names = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 30
    posted = document["paths"]["/v1/events"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert posted["$ref"].endswith("/EventOrEvents")
    client.put("/v1/users/ann/subscriptions/s", json={"where": "x >= 0"})
    client.post("/v1/events", json=event(1))
    told = client.get("/v1/users/ann/explanations/e1").json()
    declared = document["components"]["schemas"]["Explanation"]
    assert set(told) == set(declared["properties"]) == set(declared["required"])
    assert set(told["decision"]) == set(declared["properties"]["decision"]["anyOf"][0]["properties"])
    assert set(told["subscriptions"][0]) == set(declared["properties"]["subscriptions"]["items"]["properties"])
