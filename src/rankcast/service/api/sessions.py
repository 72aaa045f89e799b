"""Sessions of the web page: signing users out."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, Owner, ServiceOf

router = APIRouter(tags=["sessions"])


@router.delete("/users/{user:part}/sessions", responses=says("EndedSessions", "How many sessions there were"))
def sign_user_out(user: Owner, service: ServiceOf) -> Response:
    """End all sessions of a user on the web page. The user's tokens stay valid."""
    return answer({"ended": service.sessions.end_of_user(user)})


@router.delete("/sessions", responses=says("EndedSessions", "How many sessions there were"))
def sign_everybody_out(caller: Administrator, service: ServiceOf) -> Response:
    """End all sessions on the web page. Tokens stay valid. Administrators only."""
    return answer({"ended": service.sessions.end_all()})
