"""Statistics of the store and the pipeline, and of one user."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, Owner, ServiceOf
from rankcast.service.request_shares import by_turn
from rankcast.service.trial_tasks import even_history, measure_user

router = APIRouter(tags=["stats"])

_MOST = 10_000
_RECENT = 1_000


@router.get("/stats", responses=says("Anything", "Counts"))
def stats(caller: Administrator, service: ServiceOf) -> Response:
    """How much the store holds, and the state of the pipeline. Administrators only."""
    runner = service.runner
    return answer(
        {
            **service.store.stats()._asdict(),
            "feeds": service.feeds.listeners,
            "pipeline": {
                "embedded": service.settings.pipeline,
                "running": runner.is_running,
                "batches": runner.batches,
                "events": runner.events,
                "delivered": runner.delivered,
                "error": runner.error,
            },
            "webhooks": service.webhooks.health(),
            "digests": service.digests.health(),
        }
    )


@router.get("/users/{user:part}/stats", responses=says("Anything", "Measures of the last deliveries"))
async def stats_of_user(user: Owner, service: ServiceOf, request: Request) -> Response:
    """How evenly a user was served: entropy, fairness and distances over the last 10,000 deliveries, the funnel of
    the last 1,000 events, and between which rates a filter can deliver all subscriptions evenly (`even`)."""
    part = await by_turn(service.part_of, user)
    measured, funnel = await service.trials.run_for(
        user, request.is_disconnected, measure_user, service.history(_RECENT), user, part, _MOST
    )
    even = await service.trials.run_for(
        user, request.is_disconnected, even_history, service.history(_RECENT), user, part.policy_of(user), part
    )
    return answer({**measured.to_json(), "funnel": funnel._asdict(), "even": even.to_json()})
