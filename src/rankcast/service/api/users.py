"""Users: who they are, and an overview of each."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.language import encode_record
from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Caller, Owner, ServiceOf
from rankcast.service.problems import Problem

router = APIRouter(tags=["users"])


@router.get("/me", responses=says("Anything", "Role and name of the token"))
def who_am_i(caller: Caller) -> Response:
    """The role, the name and the id of the caller's token."""
    return answer({"role": caller.role.value, "name": caller.name, "token": caller.token})


@router.get("/users", responses=says("Names", "The users, sorted"))
def list_users(caller: Caller, service: ServiceOf) -> Response:
    """The users that the caller may see: all for an administrator, otherwise only the caller."""
    return answer([user for user in service.users() if caller.is_user(user)])


@router.get("/users/{user:part}", responses=says("UserSummary", "The user"))
def show_user(user: Owner, service: ServiceOf) -> Response:
    """The number of subscriptions and preferences of a user, and the policy. A user without any data is shown too."""
    catalog = service.catalog()
    return answer(
        {
            "user": user,
            "subscriptions": len(catalog.subscriptions_of(user)),
            "preferences": len(catalog.preferences_of(user)),
            "policy": encode_record(catalog.policy_of(user)),
        }
    )


@router.delete("/users/{user:part}", status_code=204, responses=says(None, "All data of the user was deleted", 204))
def remove_user(user: Owner, service: ServiceOf) -> Response:
    """Delete all data of a user at once: subscriptions, preferences, policy, own concepts, webhooks, digests, quiet
    hours, deliveries, set-aside events, tokens and sessions.

    This cannot be undone. If the request uses a token of the user, the token is invalid afterwards.
    """
    if not service.delete_user(user):
        raise Problem(404, "not-found", f"user {user!r} has nothing that could be removed")
    return Response(status_code=204)
