"""The OpenAPI document, and requests that follow it, and some that do not: none may make the server fail."""

import re
from tempfile import TemporaryDirectory

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.types import Receive, Scope, Send

from rankcast.language import decode_event, decode_record
from rankcast.service import Limits, ServiceSettings, create_app
from rankcast.service.access import Role

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]


folder = TemporaryDirectory()
"""Vanishes with the process: the requests are made out of the document while tests are collected."""


def filled() -> FastAPI:
    """A service with something in it. No pipeline works on it, and live feeds end at once, as they do when it stops."""
    limits = Limits(history=50, rate=1e6, burst=10**6, change_rate=1e6)
    made = create_app(ServiceSettings(f"{folder.name}/store.db", page=False, pipeline=False, limits=limits))
    service = made.state.service
    service.put(
        decode_record({"kind": "subscription", "id": "0", "user": "0", "where": "genre = 'drama'"}),
        decode_record({"kind": "concept", "name": "cheap", "attribute": "price", "trapezoid": [0, 0, 5, 9]}),
    )
    service.publish([decode_event({"id": "0", "time": "2004-01-01", "attributes": {"genre": "drama"}})])
    service.feeds.end()
    return made


app = filled()
token, _ = app.state.service.access.create(Role.ADMINISTRATOR)


async def resting(scope: Scope, receive: Receive, send: Send) -> None:
    """The application, never started and never stopped."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
    else:
        await app(scope, receive, send)


schema = schemathesis.openapi.from_asgi("/v1/openapi.json", resting)


@schema.parametrize()
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@pytest.mark.slow
def test_no_request_makes_the_server_fail(case: schemathesis.Case) -> None:
    case.call_and_validate(checks=CHECKS, headers={"Authorization": f"Bearer {token}"})


def test_every_route_is_described() -> None:
    for path, methods in app.openapi()["paths"].items():
        for method, said in methods.items():
            assert len(said["description"]) > 10, (method, path)
            assert said["tags"], (method, path)
            assert "429" in said["responses"], (method, path)


def test_the_reference_shows_every_route_and_fetches_nothing() -> None:
    page = TestClient(resting).get("/v1/docs")
    for path in app.openapi()["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page.text)


def test_the_public_address_is_where_the_document_says_the_service_is() -> None:
    with TemporaryDirectory() as place:
        settings_ = ServiceSettings(f"{place}/store.db", page=False, public_url="https://rankcast.example.org/")
        assert create_app(settings_).openapi()["servers"] == [{"url": "https://rankcast.example.org"}]
    assert "servers" not in app.openapi()
