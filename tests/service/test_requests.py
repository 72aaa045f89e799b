"""Requests that follow the OpenAPI document, and some that do not: none may make the server fail.

They are made while this file is collected, which takes seconds, so `make check` leaves the file out.
"""

from tempfile import TemporaryDirectory

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


folder = TemporaryDirectory()
"""Vanishes with the process: the requests are made while tests are collected."""


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
