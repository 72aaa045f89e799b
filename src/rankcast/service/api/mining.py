"""Mined concepts that follow the data: what mining changed, for whom, and undoing it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from rankcast.errors import StoreError
from rankcast.language import show_duration, show_time
from rankcast.model.declared import NAME, check_name
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.fields import fields_in, texts
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Administrator, Owner, ServiceOf
from rankcast.service.problems import Problem

router = APIRouter(tags=["mining"])

_Limit = Annotated[int, Query(ge=1, le=1000, description="How many runs at most.")]
_Attribute = Annotated[str | None, Query(max_length=256, description="Only runs on this attribute.")]


@router.get("/mining", responses=says("Mining", "The schedule, and the last runs"))
def list_mining(
    caller: Administrator, service: ServiceOf, attribute: _Attribute = None, limit: _Limit = 20
) -> Response:
    """The attributes that are mined on a schedule, and the runs that changed concepts, newest first.

    A run has the concepts before and after, and the subscriptions whose matches changed. Administrators only.
    """
    miner = service.miner
    states = {
        name: {"when": show_time(state.time), "run": state.run, "reason": state.reason}
        for name, state in miner.states.items()
    }
    every = show_duration(miner.every) if miner.attributes else None
    runs = [one.to_json() for one in miner.log.runs(attribute, limit)]
    return answer({"attributes": list(miner.attributes), "every": every, "states": states, "runs": runs})


@router.get("/users/{user:part}/mining", responses=says("MiningRuns", "The last runs"))
def list_mining_of_user(user: Owner, service: ServiceOf, attribute: _Attribute = None, limit: _Limit = 20) -> Response:
    """The runs of mining that changed concepts, newest first, with their effects on this user's subscriptions."""
    runs = [{**one.to_json(), "not_tried": None} for one in service.miner.log.runs(attribute, limit, user)]
    return answer({"runs": runs})


@router.post("/mining", openapi_extra=body("MiningRequest"), responses=says("MiningOutcome", "The outcome"))
def mine_now(caller: Administrator, service: ServiceOf, content: Body) -> Response:
    """Mine the concepts of an attribute again from the last 20,000 events, and replace what moved.

    Names and number of the shared concepts stay. If nothing changes, `reason` says why. Administrators only.
    """
    fields = fields_in(content, "this", ("attribute",), ("attribute",))
    texts(fields, "attribute")
    check_name("attribute", fields["attribute"], NAME)
    done = service.miner.adapt(fields["attribute"], is_asked=True)
    return answer({"run": None if done.run is None else done.run.to_json(), "reason": done.reason})


@router.post("/mining/{number}/undo", responses=says("MiningRun", "The run, undone"))
def undo_mining(
    caller: Administrator,
    service: ServiceOf,
    number: Annotated[int, Path(ge=1, lt=2**63, description="The number of the run.")],
) -> Response:
    """Give concepts the meaning that they had before a run, the last one on its attribute. Administrators only.

    The schedule leaves the attribute alone from then on, until somebody asks for a run.
    """
    try:
        service.miner.log.run(number)
    except StoreError as error:
        raise Problem(404, "not-found", str(error)) from None
    return answer(service.miner.undo(number).to_json())
