"""Teams: one user's subscriptions on several nodes."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.request_shares import by_turn
from rankcast.service.studies.team_study import study_recent_team

router = APIRouter(tags=["teams"])


@router.get("/users/{user:part}/team", responses=says("Team", "Figures, and what the nodes would have delivered"))
async def study_team(
    user: Owner,
    service: ServiceOf,
    request: Request,
    nodes: Annotated[int, Query(ge=1, le=64, description="Number of nodes that share the subscriptions.")] = 4,
    rounds: Annotated[int, Query(ge=1, le=1000, description="Number of rounds; nodes talk after each.")] = 10,
    limit: Annotated[int, Query(ge=1, le=5000, description="How many of the last events are served.")] = 500,
) -> Response:
    """What a user would have received if the subscriptions were spread over `nodes`, with the figures of one node.

    The last `limit` events are served from a fresh start; nothing is changed. The policy needs a threshold or sampling
    filter.
    """
    part = await by_turn(service.part_of, user)
    history = service.history(min(limit, service.settings.limits.history))
    counts = [nodes] if nodes == 1 else [1, nodes]
    found = await service.trials.run_for(
        user, request.is_disconnected, study_recent_team, history, part, user, rounds, counts
    )
    return answer(found)
