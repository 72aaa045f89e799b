"""Tokens: who may use the service."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.errors import RecordError
from rankcast.language import parse_duration
from rankcast.language.declared_json import record_of
from rankcast.language.json_text import read_object
from rankcast.plain import JsonObject
from rankcast.service.access import Role
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Administrator, ServiceOf
from rankcast.service.problems import Problem
from rankcast.store import TokenRecord

router = APIRouter(prefix="/tokens", tags=["tokens"])


@router.get("", responses=says("Tokens", "All tokens, without what makes them work"))
def list_tokens(caller: Administrator, service: ServiceOf) -> Response:
    """All tokens, including revoked ones. Administrators only."""
    return answer([_form(token) for token in service.access.tokens()])


@router.post("", status_code=201, openapi_extra=body("NewToken"), responses=says("Token", "The token, this once", 201))
def create_token(caller: Administrator, service: ServiceOf, content: Body) -> Response:
    """Create a token for a user, a publisher or an administrator. It is shown only in this answer.

    With `expires`, a duration such as `90d`, it is refused after that time.
    """
    fields = read_object(content)
    for name in fields:
        if name not in ("role", "name", "note", "expires"):
            raise RecordError(f"a token has no field {name[:60]!r}; it has role, name, note, expires")
    role = fields.get("role")
    if role not in list(Role):
        raise RecordError(f"field 'role' must be one of {', '.join(Role)}")
    for name in ("name", "note", "expires"):
        if not isinstance(fields.get(name), str | None):
            raise RecordError(f"field {name!r} must be a string")
    expires = fields.get("expires")
    lasts = None if expires is None else parse_duration(expires)
    token, kept = service.access.create(Role(role), fields.get("name"), fields.get("note") or "", lasts)
    return answer({**_form(kept), "token": token}, 201)


@router.delete("/{token}", status_code=204, responses=says(None, "It is of no use any more", 204))
def revoke_token(token: str, caller: Administrator, service: ServiceOf) -> Response:
    """Revoke a token by its id. Live feeds that it opened end. Administrators only."""
    if token not in [kept.id for kept in service.access.tokens()]:
        raise Problem(404, "not-found", f"there is no token {token!r}")
    service.access.revoke(token)
    return Response(status_code=204)


def _form(token: TokenRecord) -> JsonObject:
    return record_of(token, "id", "role", "name", "note", "created", "expires", "revoked")
