"""Paths under /v1 that do not exist are answered by the API, and not by the page."""

from fastapi import Depends, FastAPI, Request
from starlette.responses import Response
from starlette.routing import Match, Mount

from rankcast.service.callers import admit_stranger
from rankcast.service.problems import Problem

__all__ = ["add_unknown"]

_NAME = "unknown"
_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]


def add_unknown(app: FastAPI) -> None:
    """Add the route that answers unknown paths with a problem. It must be the last one under /v1."""

    async def unknown(request: Request) -> Response:
        others = [route for route in app.routes if not isinstance(route, Mount) and getattr(route, "name", "") != _NAME]
        allowed = [
            method
            for method in _METHODS
            if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in others)
        ]
        path = request.url.path[:200]
        if allowed:
            listed = ", ".join(allowed)
            detail = f"{path!r} cannot be asked with {request.method}; use {listed}"
            raise Problem(405, "method-not-allowed", detail, {"Allow": listed})
        raise Problem(404, "not-found", f"there is no {path!r}; /v1/openapi.json lists what there is")

    app.add_api_route(
        "/v1/{rest:path}",
        unknown,
        methods=_METHODS,
        include_in_schema=False,
        name=_NAME,
        dependencies=[Depends(admit_stranger)],
    )
