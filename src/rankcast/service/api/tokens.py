"""Tokens, which say who may use the service, and the sessions of the web page."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.errors import RecordError
from rankcast.language import parse_duration
from rankcast.language.declared_json import record_of
from rankcast.plain import JsonObject
from rankcast.service.access import Role
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.fields import fields_in, texts
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Administrator, Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.store import TokenRecord

router = APIRouter()


@router.get("/tokens", tags=["tokens"], responses=says("Tokens", "All tokens, without their secrets"))
def list_tokens(caller: Administrator, service: ServiceOf) -> Response:
    """All tokens, including revoked ones. Administrators only."""
    return answer([_form(token) for token in service.access.tokens()])


@router.post(
    "/tokens",
    tags=["tokens"],
    status_code=201,
    openapi_extra=body("NewToken"),
    responses=says("Token", "The token, which is shown only once", 201),
)
def create_token(caller: Administrator, service: ServiceOf, content: Body) -> Response:
    """Create a token for a user, a publisher or an administrator. It is shown only in this answer.

    With `expires`, a duration such as `90d`, it is refused after that time.
    """
    fields = fields_in(content, "a token", ("role", "name", "note", "expires"))
    role = fields.get("role")
    if role not in list(Role):
        raise RecordError(f"field 'role' must be one of {', '.join(Role)}")
    texts(fields, "name", "note", "expires")
    expires = fields.get("expires")
    lasts = None if expires is None else parse_duration(expires)
    token, kept = service.access.create(Role(role), fields.get("name"), fields.get("note") or "", lasts)
    return answer({**_form(kept), "token": token}, 201)


@router.delete("/tokens/{token}", tags=["tokens"], status_code=204, responses=says(None, "The token was revoked", 204))
def revoke_token(token: str, caller: Administrator, service: ServiceOf) -> Response:
    """Revoke a token by its id. Live feeds that it opened end. Administrators only."""
    if token not in [kept.id for kept in service.access.tokens()]:
        raise Problem(404, "not-found", f"there is no token {token!r}")
    service.access.revoke(token)
    return Response(status_code=204)


def _form(token: TokenRecord) -> JsonObject:
    return record_of(token, "id", "role", "name", "note", "created", "expires", "revoked")


@router.delete(
    "/users/{user:part}/sessions", tags=["sessions"], responses=says("EndedSessions", "How many sessions there were")
)
def sign_user_out(user: Owner, service: ServiceOf) -> Response:
    """End all sessions of a user on the web page. The user's tokens stay valid."""
    return answer({"ended": service.sessions.end_of_user(user)})


@router.delete("/sessions", tags=["sessions"], responses=says("EndedSessions", "How many sessions there were"))
def sign_everybody_out(caller: Administrator, service: ServiceOf) -> Response:
    """End all sessions on the web page. Tokens stay valid. Administrators only."""
    return answer({"ended": service.sessions.end_all()})
