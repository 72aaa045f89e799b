"""Advertisements: what a publisher will publish, and how many users receive it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.language import encode_record
from rankcast.language.json_text import read_object
from rankcast.model import Advertisement, Catalog, Record
from rankcast.overlay import registered_scorer
from rankcast.service.access import Principal
from rankcast.service.api.answers import Body, answer, put_record, record_answer, record_in, remove_record
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import PublishingCaller, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.record_costs import check_cost

router = APIRouter(prefix="/advertisements", tags=["advertisements"])


@router.get("", responses=says("Advertisements", "The caller's advertisements"))
def list_advertisements(caller: PublishingCaller, service: ServiceOf) -> Response:
    """The advertisements of the calling publisher. Administrators see all."""
    found = service.catalog().advertisements.values()
    return answer([encode_record(one) for one in found if caller.is_publisher(one.publisher)])


@router.get("/{advertisement:name}", responses=says("Advertisement", "The advertisement"))
def show_advertisement(advertisement: str, caller: PublishingCaller, service: ServiceOf, request: Request) -> Response:
    """One advertisement, with an `ETag`."""
    return record_answer(_found(service.catalog(), caller, advertisement), request)


@router.put(
    "/{advertisement:name}",
    openapi_extra=body("Advertisement"),
    responses=says("Advertisement", "The record was replaced") | says("Advertisement", "The record was created", 201),
)
def advertise(
    advertisement: str, caller: PublishingCaller, service: ServiceOf, request: Request, content: Body
) -> Response:
    """Create or replace an advertisement. A publisher may leave out `publisher`."""
    publisher = caller.name or read_object(content).get("publisher")
    given = record_in(content, "advertisement", id=advertisement, publisher=publisher)
    assert isinstance(given, Advertisement)
    if given.function is not None:
        registered_scorer(given.function)
    check_cost(given, service.settings.limits)

    def allow(present: Record | None) -> None:
        if isinstance(present, Advertisement) and not caller.is_publisher(present.publisher):
            raise Problem(409, "taken", f"the id {advertisement!r} is taken; choose another")

    return put_record(service, request, given, allow)


@router.delete("/{advertisement:name}", status_code=204, responses=says(None, "Removed", 204))
def withdraw(advertisement: str, caller: PublishingCaller, service: ServiceOf, request: Request) -> Response:
    """Remove an advertisement. Events that were published under it stay."""
    publisher = None if caller.is_administrator else caller.name
    unreadable = ("advertisement", advertisement)
    return remove_record(
        service, request, lambda catalog: _found(catalog, caller, advertisement), unreadable, publisher
    )


def _found(catalog: Catalog, caller: Principal, advertisement: str) -> Advertisement:
    found = catalog.advertisements.get(advertisement)
    if found is None or not caller.is_publisher(found.publisher):
        raise Problem(404, "not-found", f"there is no advertisement {advertisement!r} of yours")
    return found
