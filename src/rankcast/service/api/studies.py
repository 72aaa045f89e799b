"""Studies of recent events: groups of users, teams of nodes, and crisp beside approximate matches."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from rankcast.language import encode_record
from rankcast.language.times import show_time
from rankcast.model import Norm
from rankcast.model.declared import MAX_NAME
from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.request_shares import by_turn
from rankcast.service.studies.group_study import study_recent_groups, study_recent_team
from rankcast.service.studies.interval_matches import IntervalSetup, IntervalStudy, study_interval

router = APIRouter()


@router.get(
    "/groups", tags=["groups"], responses=says("Groups", "A row for each similarity at which users can share a filter")
)
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


@router.get(
    "/users/{user:part}/team",
    tags=["teams"],
    responses=says("Team", "Figures, and what the nodes would have delivered"),
)
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


_RECENT = 300
_End = Annotated[float, Query(ge=-1e15, le=1e15)]


@router.get(
    "/users/{user:part}/interval",
    tags=["approximate matching"],
    responses=says("Interval", "Who matches, and how many at each width"),
)
async def try_interval(
    user: Owner,
    service: ServiceOf,
    request: Request,
    attribute: Annotated[str, Query(min_length=1, max_length=MAX_NAME, description="An attribute with numbers.")],
    low: _End,
    high: _End,
    norm: Annotated[Norm, Query(description="How the degrees of several conditions make one.")] = Norm.MIN,
) -> Response:
    """Which subscriptions match a publication whose attribute lies between two numbers.

    Crisply (by the middle), as subscribed, and as an optimistic, indifferent and pessimistic subscriber would ask.
    """
    if low > high:
        raise Problem(422, "parameters", f"low is {low:g}; it must not be above high, {high:g}")
    part = await by_turn(service.part_of, user)
    setup = IntervalSetup(attribute, low, high, norm)
    history = service.history(min(_RECENT, service.settings.limits.history))
    found = await service.trials.run_for(user, request.is_disconnected, study_interval, history, part, user, setup)
    return await by_turn(lambda: answer(_told(found)))


def _told(found: IntervalStudy) -> dict[str, object]:
    rows = [
        {
            "subscription": encode_record(row.subscription),
            "crisp": row.crisp,
            "degrees": {case: list(degree) for case, degree in row.degrees.items()},
        }
        for row in found.matches
    ]
    counts = {case: list(numbers) for case, numbers in found.counts.items()}
    return {
        "of": found.of,
        "left_out": found.left_out,
        "widths": list(found.widths),
        "counts": counts,
        "matches": rows,
    }


@router.get(
    "/vague-matches",
    tags=["approximate matching"],
    responses=says("VagueMatches", "Matches of vague subscriptions over time"),
)
def vague_matches(
    caller: Administrator,
    service: ServiceOf,
    minutes: Annotated[int, Query(ge=1, le=43_200, description="How far back.")] = 60,
) -> Response:
    """The same wishes, vague and crisp, over time: how many pairs of an event and a vague subscription matched.

    `at_thresholds` and `at_core` count their crisp counterparts. Administrators only.
    """
    samples, every = service.vague.log.over(timedelta(minutes=minutes))
    rows = [{**one._asdict(), "time": show_time(one.time)} for one in samples]
    return answer({"seconds": int(every.total_seconds()), "samples": rows})
