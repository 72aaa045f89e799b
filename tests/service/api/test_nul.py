"""A NUL character in a name is a 422 that says where, on every database. PostgreSQL cannot keep one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rankcast.service import ServiceSettings, create_app

NUL = "a\0b"
HOOK = "http://127.0.0.1:9/"
SHAPE = {"trapezoid": [0, 0, 1, 2]}
EVENT = {"id": "e", "attributes": {"x": 1}}

BODIES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/users/ann/subscriptions", {"id": NUL, "where": "true"}),
    ("POST", "/v1/users/ann/subscriptions", {"where": '"a\0b" = 1'}),
    ("PUT", "/v1/users/ann/subscriptions/s", {"where": "a\0b = 1"}),
    ("POST", "/v1/users/ann/preferences", {"prefer": NUL, "over": "s"}),
    ("PUT", "/v1/users/ann/policy", {"weights": {NUL: 1}}),
    ("PUT", "/v1/users/ann/policy", {"authority": {NUL: 1}}),
    ("PUT", "/v1/users/ann/concepts/n/c", {**SHAPE, "name": NUL}),
    ("PUT", "/v1/advertisements/a", {"publisher": NUL, "where": "true", "k": 1}),
    ("POST", "/v1/events", {**EVENT, "id": NUL}),
    ("POST", "/v1/events", {**EVENT, "source": NUL}),
    ("POST", "/v1/events", {**EVENT, "advertisement": NUL}),
    ("POST", "/v1/events", {**EVENT, "attributes": {NUL: 1}}),
    ("POST", "/v1/events", {**EVENT, "attributes": {"x": {"is": NUL}}}),
    ("POST", "/v1/tokens", {"role": "user", "name": NUL}),
    ("POST", "/v1/tokens", {"role": "publisher", "name": NUL}),
    ("POST", "/v1/users/ann/webhooks", {"url": HOOK, "description": NUL}),
    ("POST", "/v1/users/ann/webhooks", {"url": HOOK + NUL, "description": ""}),
    ("PUT", "/v1/users/ann/quiet-hours", {"from": "22:00", "to": "07:00", "zone": NUL}),
    ("PUT", "/v1/users/ann/digest-schedule", {"days": ["mon"], "at": "08:00", "zone": NUL}),
    ("POST", "/v1/users/ann/trials/expression", {"where": "a\0b = 1"}),
    ("POST", "/v1/mining", {"attribute": NUL}),
    ("POST", "/v1/set-aside/serve-again", {"user": NUL}),
]


@pytest.fixture(params=["sqlite", "postgresql"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TestClient]:
    """A client of a service without tokens, over each database."""

    def made(place: str) -> TestClient:
        settings = ServiceSettings(store=place, dev=True, page=False, pipeline=False, private_webhooks=True)
        return TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False)

    if request.param == "sqlite":
        with made(str(tmp_path / "store.db")) as one:
            yield one
        return
    with request.getfixturevalue("postgresql").place() as url, made(url) as one:
        yield one


def test_in_a_body_and_in_an_address_it_is_refused_by_name(client: TestClient) -> None:
    for method, path, body in BODIES:
        answer = client.request(method, path, json=body)
        assert answer.status_code == 422, (method, path, body, answer.status_code, answer.text)
        assert any(said in answer.json()["detail"] for said in ("U+0000", "NUL", "\\x00", "\0")), answer.text
    for path in ("/v1/users/a%00b/deliveries", "/v1/users/ann/subscriptions/a%00b", "/v1/events?source=a%00b"):
        assert client.get(path).status_code == 422, path
    bulk = client.post("/v1/events", json=[{**EVENT, "id": NUL}, {**EVENT, "source": NUL}, EVENT])
    assert bulk.status_code == 200
    assert [one["index"] for one in bulk.json()["rejected"]] == [0, 1]
    assert [one["id"] for one in bulk.json()["published"]] == ["e"]


def test_in_a_value_it_is_kept(client: TestClient) -> None:
    held = {"id": "v", "attributes": {"text": NUL}}
    assert client.post("/v1/events", json=held).status_code == 201
    assert client.get("/v1/events/v").json()["attributes"] == {"text": NUL}
