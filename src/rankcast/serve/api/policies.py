"""The policy: how much a user gets, and when."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.serve.api.answers import Body, check_cost, check_unchanged, record_answer, record_in
from rankcast.serve.api.schemas import body, says
from rankcast.serve.callers import Owner, ServiceOf
from rankcast.serve.problems import Problem

__all__ = ["router"]

router = APIRouter(prefix="/users/{user:part}/policy", tags=["policy"])


@router.get("", responses=says("Policy", "The policy; fields that have their default are left out"))
def show_policy(user: Owner, service: ServiceOf, request: Request) -> Response:
    """How a user is served; one who never said gets everything (mode `all`)."""
    return record_answer(service.catalog().policy_of(user), request)


@router.put(
    "",
    openapi_extra=body("Policy"),
    responses=says("Policy", "It was replaced") | says("Policy", "It was made", 201),
)
def put_policy(user: Owner, service: ServiceOf, request: Request, content: Body) -> Response:
    """Set how a user is served, from the next event on; `If-Match` is respected."""
    given = record_in(content, "policy", user=user)
    check_cost(given, service.settings.limits)
    with service.changing:
        present = service.catalog().policies.get(user)
        check_unchanged(request, present)
        service.put(given)
    return record_answer(given, request, 200 if present else 201)


@router.delete("", status_code=204, responses=says(None, "It was removed", 204))
def remove_policy(user: Owner, service: ServiceOf, request: Request) -> Response:
    """Go back to getting everything."""
    with service.changing:
        present = service.catalog().policies.get(user)
        if present is None:
            raise Problem(404, "not-found", f"user {user!r} has no policy")
        check_unchanged(request, present)
        service.remove(present)
    return Response(status_code=204)
