"""The policy: how many events a user receives, and when."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.model import Catalog, Policy
from rankcast.service.api.answers import Body, put_record, record_answer, record_in, remove_record
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.record_costs import check_cost

router = APIRouter(prefix="/users/{user:part}/policy", tags=["policy"])


@router.get("", responses=says("Policy", "The policy; fields that have their default are left out"))
def show_policy(user: Owner, service: ServiceOf, request: Request) -> Response:
    """The policy of a user. A user who has not set one receives everything (mode `all`)."""
    return record_answer(service.catalog().policy_of(user), request)


@router.put(
    "",
    openapi_extra=body("Policy"),
    responses=says("Policy", "The record was replaced") | says("Policy", "The record was created", 201),
)
def put_policy(user: Owner, service: ServiceOf, request: Request, content: Body) -> Response:
    """Set the policy of a user, from the next event on. `If-Match` is respected."""
    given = record_in(content, "policy", user=user)
    check_cost(given, service.settings.limits)
    return put_record(service, request, given)


@router.delete("", status_code=204, responses=says(None, "Removed", 204))
def remove_policy(user: Owner, service: ServiceOf, request: Request) -> Response:
    """Remove the policy, so that the user receives everything again."""

    def find(catalog: Catalog) -> Policy:
        found = catalog.policies.get(user)
        if found is None:
            raise Problem(404, "not-found", f"user {user!r} has no policy")
        return found

    return remove_record(service, request, find, ("policy", user), user)
