"""A token of one user reads and changes nothing of another's, whatever the route: new routes are found by themselves."""

import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from rankcast.language import decode_event, decode_record
from rankcast.service import Service, ServiceSettings, create_app
from rankcast.service.access import Role

Sign = Callable[[str, str], dict[str, str]]

BODIES: dict[str, Any] = {
    "subscriptions": {"where": "genre = 'horror'"},
    "preferences": {"prefer": "bob-1", "over": "bob-2"},
    "policy": {"mode": "sliding", "k": 1, "length": 2},
    "concepts": {"trapezoid": [0, 0, 1, 2]},
    "expression": {"where": "true"},
    "events": {"id": "new", "attributes": {"genre": "drama"}},
    "advertisements": {"where": "true", "k": 1},
    "tokens": {"role": "administrator"},
}
OPEN = {"/v1/health/live", "/v1/health/ready", "/v1/openapi.json", "/v1/docs"}
"""What needs no token, on purpose."""
OF_ANYBODY = {
    "/v1/me",
    "/v1/users",
    "/v1/concepts",
    "/v1/concepts/{attribute}/{name}",
    "/v1/events",
    "/v1/events/{event}",
}
"""What any user may read: it is not one user's, or only one's own is in it."""
NAMES = {
    "user": "bob",
    "subscription": "bob-1",
    "prefer": "bob-1",
    "over": "bob-2",
    "attribute": "price",
    "name": "cheap",
    "event": "e1",
    "advertisement": "a1",
    "token": "0123456789ab",
    "broker": "edge",
    "session": "0123456789ab",
}


def every_request() -> list[tuple[str, str]]:
    """Method and path of all routes there are."""
    with TemporaryDirectory() as folder:
        app = create_app(ServiceSettings(store=f"{folder}/store.db", page=False))
        app.state.service.stop()
    found = [
        (method, re.sub(r":(name|part)}", "}", one.path or ""))
        for one in iter_route_contexts(app.routes)
        if one.path != "/v1/{rest:path}"  # what there is not
        for method in sorted(one.methods or ())
    ]
    return sorted((method, path) for method, path in found if method != "HEAD")


REQUESTS = every_request()


def test_the_list_of_routes_is_whole() -> None:
    assert len(REQUESTS) > 30
    with TemporaryDirectory() as folder:
        app = create_app(ServiceSettings(store=f"{folder}/store.db", page=False))
        app.state.service.stop()
    documented = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    assert documented <= set(REQUESTS)
    assert {("GET", "/v1/users/{user}/deliveries/live"), ("POST", "/v1/events")} <= documented


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service in which bob and a publisher have something of everything. Nobody may change it, so all tests share it."""
    app = create_app(ServiceSettings(store=str(tmp_path_factory.mktemp("other") / "store.db"), page=False, poll=0.05))
    with TestClient(app, base_url="http://rankcast.test", raise_server_exceptions=False) as client:
        _fill(app.state.service)
        yield client


@pytest.fixture(scope="module")
def sign(other: TestClient) -> Sign:
    """The headers of a token, the same for the same role and name."""

    @cache
    def signed(role: str, name: str) -> dict[str, str]:
        token, _ = other.app.state.service.access.create(Role(role), name)
        return {"Authorization": f"Bearer {token}"}

    return signed


def _fill(service: Service) -> None:
    service.put(
        *map(
            decode_record,
            [
                {"kind": "subscription", "id": "bob-1", "user": "bob", "where": "genre = 'drama'"},
                {"kind": "subscription", "id": "bob-2", "user": "bob", "where": "genre = 'comedy'"},
                {"kind": "preference", "user": "bob", "prefer": "bob-1", "over": "bob-2"},
                {"kind": "policy", "user": "bob", "mode": "sliding", "k": 5, "length": 10},
                {"kind": "concept", "name": "cheap", "attribute": "price", "trapezoid": [0, 0, 5, 9]},
                {"kind": "concept", "name": "cheap", "attribute": "price", "user": "bob", "trapezoid": [0, 0, 1, 2]},
                {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "true", "k": 1},
            ],
        )
    )
    service.publish([decode_event({"id": "e1", "time": "2004-01-01", "attributes": {"genre": "drama"}})])
    for _ in range(200):
        if service.deliveries("bob"):
            return
        time.sleep(0.02)
    raise AssertionError(service.runner.error)


def ask(client: TestClient, method: str, path: str, headers: dict[str, str]) -> Any:
    at = re.sub(r"\{(\w+)\}", lambda found: NAMES.get(found[1], "bob-1"), path)
    body = next((value for name, value in BODIES.items() if f"/{name}" in path), {})
    json = body if method in ("POST", "PUT", "PATCH") else None
    return client.request(method, at, headers=headers, json=json)


def everything(service: Service) -> tuple[object, ...]:
    """All that a request could change."""
    return service.store.version(), service.store.last_offset(), service.access.tokens()


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_another_user_gets_nothing(method: str, path: str, other: TestClient, sign: Sign) -> None:
    service: Service = other.app.state.service
    ann = sign("user", "ann")
    before = everything(service)
    answer = ask(other, method, path, ann)
    assert everything(service) == before
    assert "bob" not in answer.text
    if path in OPEN or (method == "GET" and path in OF_ANYBODY):
        assert answer.status_code in (200, 404)
    else:
        assert answer.status_code == 403, answer.text


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_without_a_token_there_is_nothing(method: str, path: str, other: TestClient) -> None:
    service: Service = other.app.state.service
    before = everything(service)
    for headers in (
        {},
        {"Authorization": "Bearer rc_000000000000_" + "A" * 43},
        {"Authorization": "Basic Ym9iOmJvYg=="},
    ):
        answer = ask(other, method, path, headers)
        assert everything(service) == before
        assert (answer.status_code in (200, 503)) if path in OPEN else (answer.status_code == 401), answer.text


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_a_publisher_gets_nothing_of_users_and_other_publishers(
    method: str, path: str, other: TestClient, sign: Sign
) -> None:
    service: Service = other.app.state.service
    bob = sign("publisher", "bob")
    before = service.store.version(), service.access.tokens()
    answer = ask(other, method, path, bob)
    assert (service.store.version(), service.access.tokens()) == before
    if "{user}" in path or path in ("/v1/tokens", "/v1/sessions", "/v1/stats", "/v1/deliveries", "/v1/deliveries/live"):
        assert answer.status_code == 403
    if "advertisements/" in path:
        assert answer.status_code in (404, 409)


def test_the_user_gets_what_is_theirs(other: TestClient, sign: Sign) -> None:
    bob = sign("user", "bob")
    for path in (
        "",
        "/subscriptions",
        "/preferences",
        "/policy",
        "/concepts",
        "/deliveries",
        "/stats",
        "/explanations/e1",
    ):
        answer = other.get(f"/v1/users/bob{path}", headers=bob)
        assert answer.status_code == 200, answer.text
    assert other.get("/v1/users", headers=bob).json() == ["bob"]
    assert other.get("/v1/users/bob/deliveries", headers=bob).json()["deliveries"][0]["event"] == "e1"
