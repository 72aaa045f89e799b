"""Callers: the dependencies by which routes authenticate and authorize a request."""

from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param

from rankcast.service.access import ADMINISTRATOR, Principal, Role
from rankcast.service.problems import Problem
from rankcast.service.rates import RateLimits
from rankcast.service.request_shares import CALLER, RequestCaller
from rankcast.service.service import Service

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token made by `rankcast token create` or `POST /v1/tokens`, as `Authorization: Bearer rc_…`. "
    "A service started with `--dev` needs none.",
)


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


ServiceOf: TypeAlias = Annotated[Service, Depends(_service)]
"""The service that handles the request."""


async def _caller(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Principal:
    caller = await _admitted(request, None if given is None else given.credentials)
    if caller.role is Role.BROKER:
        raise Problem(403, "brokers-only", "the token of a broker serves only to be an edge of this one")
    return caller


async def _admitted(request: Request, token: str | None) -> Principal:
    """The principal of a token; refused if the token is not valid or exceeds its rate limit."""
    service: Service = request.app.state.service
    if service.settings.dev:
        return ADMINISTRATOR
    address = _address(request)
    is_unknown = token is None or not service.access.remembers(token)
    if is_unknown:  # refuse first, so that whoever guesses tokens does not read the store
        _check_rate(service.rates, address)
    principal = None if token is None else await service.access.admit(token)
    if is_unknown and principal is not None:
        service.rates.charge(address, -1.0)
    if principal is None:
        said = "this needs a token: Authorization: Bearer rc_…" if token is None else "no such token, or it was revoked"
        raise Problem(401, "token", said, {"WWW-Authenticate": 'Bearer realm="rankcast"'})
    who = principal.token
    _check_rate(service.rates, who)
    service.shares.note(who)
    is_limited = principal.role in (Role.USER, Role.PUBLISHER)
    CALLER.set(RequestCaller(who, service.shares) if is_limited else None)
    return principal


async def admit_stranger(request: Request) -> None:
    """Refuse a request that needs no token if its network address exceeds the rate limit."""
    service: Service = request.app.state.service
    if not service.settings.dev:
        _check_rate(service.rates, _address(request))


async def admit_probe(request: Request) -> None:
    """Refuse a question about health if its network address exceeds the rate limit of these."""
    service: Service = request.app.state.service
    if not service.settings.dev:
        _check_rate(service.probe_rates, _address(request))


def _address(request: Request) -> str:
    return f"address {request.client.host if request.client else ''}"


def _check_rate(rates: RateLimits, who: str) -> None:
    wait = rates.take(who)
    if wait:
        raise Problem(
            429, "rate", f"too many requests; try again in {wait:.1f} s", {"Retry-After": str(max(1, round(wait)))}
        )


Caller: TypeAlias = Annotated[Principal, Depends(_caller)]
"""Any caller with a valid token."""


async def _owner(caller: Caller, user: Annotated[str, Path(description="The user.", examples=["addison"])]) -> str:
    if not caller.is_user(user):
        # The answer is the same whether or not the user exists.
        raise Problem(403, "not-yours", "this token may see and change only what is its own user's")
    return user


Owner: TypeAlias = Annotated[str, Depends(_owner)]
"""The user in the path, if the caller may see and change that user's data."""


async def _administrator(caller: Caller) -> Principal:
    if not caller.is_administrator:
        raise Problem(403, "administrators-only", "this needs the token of an administrator")
    return caller


Administrator: TypeAlias = Annotated[Principal, Depends(_administrator)]
"""An administrator."""


async def _broker(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Principal:
    caller = await _admitted(request, None if given is None else given.credentials)
    if caller.role not in (Role.BROKER, Role.ADMINISTRATOR):
        raise Problem(403, "brokers-only", "this needs the token of a broker")
    return caller


BrokerCaller: TypeAlias = Annotated[Principal, Depends(_broker)]
"""An edge, or an administrator."""


async def _publisher(caller: Caller) -> Principal:
    return _publishing(caller)


def _publishing(caller: Principal) -> Principal:
    if caller.role not in (Role.PUBLISHER, Role.ADMINISTRATOR):
        raise Problem(403, "publishers-only", "this needs the token of a publisher or an administrator")
    return caller


async def publishing_caller(request: Request) -> Principal:
    """The caller that `PublishingCaller` yields, for a route that parses its requests itself."""
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    return _publishing(await _admitted(request, token if scheme.lower() == "bearer" and token else None))


PublishingCaller: TypeAlias = Annotated[Principal, Depends(_publisher)]
"""A publisher, or an administrator."""
