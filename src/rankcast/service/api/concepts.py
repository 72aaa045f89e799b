"""Concepts: the meaning of vague words, for everybody or for one user."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.language import encode_record
from rankcast.model import Catalog, Concept
from rankcast.service.api.answers import Body, answer, put_record, record_answer, record_in, remove_record
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Administrator, Caller, Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.service import Service

router = APIRouter(tags=["concepts"])

_MADE = says("Concept", "The record was replaced") | says("Concept", "The record was created", 201)


@router.get("/concepts", responses=says("Concepts", "What words mean for everybody"))
def list_concepts(caller: Caller, service: ServiceOf) -> Response:
    """The shared concepts."""
    return answer([encode_record(one) for one in service.catalog().concepts.values() if one.user is None])


@router.get("/concepts/{attribute:part}/{name:name}", responses=says("Concept", "The concept"))
def show_concept(attribute: str, name: str, caller: Caller, service: ServiceOf, request: Request) -> Response:
    """The shared meaning of a word on an attribute."""
    return record_answer(_found(service.catalog(), attribute, name, None), request)


@router.put("/concepts/{attribute:part}/{name:name}", openapi_extra=body("Concept"), responses=_MADE)
def put_concept(
    attribute: str, name: str, caller: Administrator, service: ServiceOf, request: Request, content: Body
) -> Response:
    """Define the shared meaning of a word. Administrators only."""
    return _put(service, request, content, attribute, name, None)


@router.delete("/concepts/{attribute:part}/{name:name}", status_code=204, responses=says(None, "Removed", 204))
def remove_concept(attribute: str, name: str, caller: Administrator, service: ServiceOf, request: Request) -> Response:
    """Remove a shared concept. Refused while something refers to it. Administrators only."""
    return _remove(service, request, attribute, name, None)


@router.get("/users/{user:part}/concepts", responses=says("Concepts", "What words mean for this user"))
def list_own_concepts(user: Owner, service: ServiceOf) -> Response:
    """All concepts as they apply to this user: the user's own definition, or else the shared one."""
    concepts = service.catalog().concepts
    own = {(one.attribute, one.name): one for one in concepts.values() if one.user == user}
    shared = {(one.attribute, one.name): one for one in concepts.values() if one.user is None}
    return answer([encode_record(one) for one in {**shared, **own}.values()])


@router.get(
    "/users/{user:part}/concepts/{attribute:part}/{name:name}", responses=says("Concept", "The user's own concept")
)
def show_own_concept(user: Owner, attribute: str, name: str, service: ServiceOf, request: Request) -> Response:
    """One of the user's own concepts."""
    return record_answer(_found(service.catalog(), attribute, name, user), request)


@router.put("/users/{user:part}/concepts/{attribute:part}/{name:name}", openapi_extra=body("Concept"), responses=_MADE)
def put_own_concept(
    user: Owner, attribute: str, name: str, service: ServiceOf, request: Request, content: Body
) -> Response:
    """Define a word for this user only, regardless of its shared meaning."""
    return _put(service, request, content, attribute, name, user)


@router.delete(
    "/users/{user:part}/concepts/{attribute:part}/{name:name}",
    status_code=204,
    responses=says(None, "Removed", 204),
)
def remove_own_concept(user: Owner, attribute: str, name: str, service: ServiceOf, request: Request) -> Response:
    """Remove the user's own definition of a word. Refused if there is no shared one and the word is in use."""
    return _remove(service, request, attribute, name, user)


def _found(catalog: Catalog, attribute: str, name: str, user: str | None) -> Concept:
    found = catalog.concepts.get((attribute, name, user))
    if found is None:
        whose = f"user {user!r} has no concept of their own" if user else "there is no concept"
        raise Problem(404, "not-found", f"{whose} {name!r} on {attribute!r}")
    return found


def _put(service: Service, request: Request, content: bytes, attribute: str, name: str, user: str | None) -> Response:
    given = record_in(content, "concept", attribute=attribute, name=name, user=user)
    return put_record(service, request, given)


def _remove(service: Service, request: Request, attribute: str, name: str, user: str | None) -> Response:
    unreadable = ("concept", attribute, name, user)
    return remove_record(service, request, lambda catalog: _found(catalog, attribute, name, user), unreadable, user)
