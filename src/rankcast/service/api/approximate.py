"""Crisp and approximate matches, compared: of one publication, and over time."""

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
from rankcast.service.studies.interval_matches import IntervalSetup, IntervalStudy, study_interval

router = APIRouter(tags=["approximate matching"])

_RECENT = 300
_End = Annotated[float, Query(ge=-1e15, le=1e15)]


@router.get("/users/{user:part}/interval", responses=says("Interval", "Who matches, and how many at each width"))
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


@router.get("/vague-matches", responses=says("VagueMatches", "Matches of vague subscriptions over time"))
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
