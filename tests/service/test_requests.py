"""Requests that follow the OpenAPI document, and some that do not: none may make the server fail.

Schemathesis takes seconds to load, so `make check` leaves this file out.
"""

from pathlib import Path

import pytest
import schemathesis
from fastapi import FastAPI
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


def filled(folder: Path) -> FastAPI:
    """A service with something in it. No pipeline works on it, and live feeds end at once, as they do when it stops."""
    limits = Limits(history=50, rate=1e6, burst=10**6, change_rate=1e6)
    made = create_app(ServiceSettings(str(folder / "store.db"), page=False, pipeline=False, limits=limits))
    service = made.state.service
    service.put(
        decode_record({"kind": "subscription", "id": "0", "user": "0", "where": "genre = 'drama'"}),
        decode_record({"kind": "concept", "name": "cheap", "attribute": "price", "trapezoid": [0, 0, 5, 9]}),
    )
    service.publish([decode_event({"id": "0", "time": "2004-01-01", "attributes": {"genre": "drama"}})])
    service.feeds.end()
    return made


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return filled(tmp_path_factory.mktemp("requests"))


@pytest.fixture(scope="module")
def token(app: FastAPI) -> str:
    return app.state.service.access.create(Role.ADMINISTRATOR)[0]


@pytest.fixture(scope="module")
def document(app: FastAPI) -> schemathesis.BaseSchema:
    """What the service says of itself. Its requests are made up when the test runs, and not while tests are collected, which
    every process of xdist does.
    """

    async def resting(scope: Scope, receive: Receive, send: Send) -> None:
        """The application, never started and never stopped."""
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
        else:
            await app(scope, receive, send)

    return schemathesis.openapi.from_asgi("/v1/openapi.json", resting)


schema = schemathesis.pytest.from_fixture("document")


@schema.parametrize()
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@pytest.mark.slow
def test_no_request_makes_the_server_fail(case: schemathesis.Case, token: str) -> None:
    case.call_and_validate(checks=CHECKS, headers={"Authorization": f"Bearer {token}"})
