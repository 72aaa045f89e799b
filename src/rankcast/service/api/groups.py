"""Groups: users with similar interests who could share a filter. For administrators."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, ServiceOf
from rankcast.service.studies.group_study import study_recent_groups

router = APIRouter(tags=["groups"])


@router.get("/groups", responses=says("Groups", "A row for each similarity at which users can share a filter"))
async def study_groups(
    caller: Administrator,
    service: ServiceOf,
    request: Request,
    similarity: Annotated[
        float, Query(gt=0, le=1, description="Least share of subscriptions that users of a group have in common.")
    ] = 0.5,
    limit: Annotated[int, Query(ge=1, le=5000, description="How many of the last events are served.")] = 500,
) -> Response:
    """Which users could share one novelty filter, and what that saves (filter decisions, messages) and costs (entropy).

    The last `limit` events are served to each of them alone and in groups; nothing is changed. Administrators only.
    """
    history = service.history(min(limit, service.settings.limits.history))
    rows = await service.trials.run_for("groups", request.is_disconnected, study_recent_groups, history, [similarity])
    return answer({"groups": rows})
