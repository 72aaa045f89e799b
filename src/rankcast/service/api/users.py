"""Users: who they are, and all of one at a glance."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.language import encode_record
from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Caller, Owner, ServiceOf
from rankcast.service.problems import Problem

__all__ = ["router"]

router = APIRouter(tags=["users"])


@router.get("/me", responses=says("Anything", "Role and name of the token"))
def who_am_i(caller: Caller) -> Response:
    """Whose token this is."""
    return answer({"role": caller.role.value, "name": caller.name, "token": caller.token})


@router.get("/users", responses=says("Names", "The users, sorted"))
def list_users(caller: Caller, service: ServiceOf) -> Response:
    """The users that the caller may see: all for an administrator, else only oneself."""
    return answer([user for user in service.users() if caller.is_user(user)])


@router.get("/users/{user:part}", responses=says("UserSummary", "The user"))
def show_user(user: Owner, service: ServiceOf) -> Response:
    """How many subscriptions and preferences a user has, and the policy. A user who has nothing yet is shown too."""
    catalog = service.catalog()
    return answer(
        {
            "user": user,
            "subscriptions": len(catalog.subscriptions_of(user)),
            "preferences": len(catalog.preferences_of(user)),
            "policy": encode_record(catalog.policy_of(user)),
        }
    )


@router.delete("/users/{user:part}", status_code=204, responses=says(None, "All was removed", 204))
def remove_user(user: Owner, service: ServiceOf) -> Response:
    """Delete everything of a user, at once: subscriptions, preferences, policy, own concepts, webhooks, digests, quiet hours,
    deliveries, what was set aside, tokens and sessions. It cannot be undone; the token that asks is of no use afterwards if
    it was the user's."""
    if not service.delete_user(user):
        raise Problem(404, "not-found", f"user {user!r} has nothing that could be removed")
    return Response(status_code=204)
