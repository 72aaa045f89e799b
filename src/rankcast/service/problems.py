"""Errors as problem details (RFC 9457). For an invalid expression they point at the character."""

import logging
import re
from http import HTTPStatus

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rankcast.errors import CatalogError, ExpressionError, LimitError, ModelError, RankcastError, StoreError
from rankcast.plain import JsonObject

_log = logging.getLogger("rankcast.service")
_PARTS = re.compile(
    r"found (?P<found>.+?)(?: after (?P<after>.+?))?, where (?P<expected>.+) should be(?P<rest>.*)", re.S
)


class Problem(RankcastError):
    """An error response. `kind` identifies the problem for programs, and `detail` explains it to people."""

    def __init__(
        self, status: int, kind: str, detail: str, headers: dict[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}
        self.more = more

    def to_json(self) -> JsonObject:
        """The problem as a JSON object."""
        return {
            "type": f"urn:rankcast:problem:{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }


def problem_of(error: Exception) -> Problem:
    """The problem to report for an exception."""
    match error:
        case Problem():
            return error
        case ExpressionError():
            return _of_expression(error)
        case CatalogError():
            return Problem(409, "conflict", str(error))
        case StoreError():
            _log.error("the store failed: %s", error)
            return Problem(503, "store", "the store cannot be used just now; try again", {"Retry-After": "1"})
        case ModelError():
            return Problem(422, "record", str(error))
        case RankcastError():
            return Problem(422, "request", str(error))
        case RequestValidationError():
            return _of_parameters(error)
        case HTTPException():
            kind = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
            return Problem(error.status_code, kind, str(error.detail), dict(error.headers or {}))
    _log.error("a mistake of Rankcast's own", exc_info=error)
    return Problem(500, "internal", "something went wrong inside Rankcast; the log of the service says what")


def answer_of(problem: Problem) -> Response:
    """The problem as a response."""
    return Response(
        msgspec.json.encode(problem.to_json()),
        problem.status,
        problem.headers | {"Cache-Control": "no-store"},
        "application/problem+json",
    )


def add_problems(app: FastAPI) -> None:
    """Report all errors of an application as problems."""

    async def answer(request: Request, error: Exception) -> Response:
        return answer_of(problem_of(error))

    for kind in (RankcastError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)


def _of_expression(error: ExpressionError) -> Problem:
    """The problem of an invalid expression: what was found and expected, and the line with a caret at the error."""
    message, shown, caret = error.pointed().rsplit("\n", 2)
    more: JsonObject = {"pointer": "/where", "position": error.position}
    parts = _PARTS.fullmatch(message)
    if parts is not None:
        like, _, hint = parts["rest"].partition("; ")
        more |= {"found": parts["found"], "expected": parts["expected"] + like}
        if hint:
            more["hint"] = hint
    more |= {"line": shown[2:], "caret": caret[2:]}
    return Problem(422, "limit" if isinstance(error, LimitError) else "expression", str(error), **more)


def _of_parameters(error: RequestValidationError) -> Problem:
    found = [{"where": ".".join(str(part) for part in one["loc"]), "reason": str(one["msg"])} for one in error.errors()]
    detail = "; ".join(f"{one['where']}: {one['reason']}" for one in found[:5])
    return Problem(422, "parameters", detail, errors=found)
