"""Preferences: which subscriptions a user prefers over which others."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.errors import RecordError
from rankcast.language import encode_record
from rankcast.language.json_text import read_object
from rankcast.model import Catalog, Preference
from rankcast.rank import levels
from rankcast.service.api.answers import Body, answer, record_in
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.service import Service
from rankcast.store.catalog.log import Decision

router = APIRouter(prefix="/users/{user:part}/preferences", tags=["preferences"])


@router.get("", responses=says("Preferences", "The pairs, and the level of each subscription"))
def list_preferences(user: Owner, service: ServiceOf) -> Response:
    """All pairs, and the resulting level of each subscription (1 is the highest)."""
    return _all(service, user)


@router.post(
    "", status_code=201, openapi_extra=body("Preference"), responses=says("Preference", "The preference was added", 201)
)
def prefer(user: Owner, service: ServiceOf, content: Body) -> Response:
    """Prefer one subscription over another. A cycle is refused with 409, and the answer shows the cycle."""
    given = record_in(content, "preference", user=user)
    service.put(given)
    return answer(encode_record(given), 201)


@router.put("", openapi_extra=body("Preferences"), responses=says("Preferences", "The preferences as they are now"))
def replace_preferences(user: Owner, service: ServiceOf, content: Body) -> Response:
    """Replace all pairs of a user at once."""
    pairs = read_object(content).get("preferences")
    if not isinstance(pairs, list) or not all(isinstance(pair, dict) for pair in pairs):
        raise RecordError("'preferences' must be a list of objects with 'prefer' and 'over'")
    if len(pairs) > service.settings.limits.subscriptions:
        raise Problem(
            422, "limit", f"{len(pairs):,} preferences; the limit is {service.settings.limits.subscriptions:,}"
        )
    given = [_pair(user, pair) for pair in pairs]
    service.decide(user, lambda catalog: (given, [one for one in catalog.preferences_of(user) if one not in given]))
    return _all(service, user)


@router.delete("/{prefer:part}/{over:name}", status_code=204, responses=says(None, "Removed", 204))
def forget_preference(user: Owner, prefer: str, over: str, service: ServiceOf) -> Response:
    """Remove a preference."""

    def removal(catalog: Catalog) -> Decision:
        found = [one for one in catalog.preferences_of(user) if (one.prefer, one.over) == (prefer, over)]
        if not found:
            raise Problem(404, "not-found", f"user {user!r} does not prefer {prefer!r} over {over!r}")
        return [], found

    service.decide(user, removal)
    return Response(status_code=204)


def _pair(user: str, fields: dict[str, object]) -> Preference:
    from rankcast.language import decode_record

    if fields.get("user") not in (None, user):
        raise RecordError(f"field 'user' is {str(fields['user'])[:60]!r}, and the address says {user!r}")
    made = decode_record({**fields, "kind": fields.get("kind", "preference"), "user": user})
    if not isinstance(made, Preference):
        raise RecordError("'preferences' must be a list of preferences")
    return made


def _all(service: Service, user: str) -> Response:
    catalog = service.catalog()
    pairs = catalog.preferences_of(user)
    found = levels([one.id for one in catalog.subscriptions_of(user)], pairs)
    return answer({"preferences": [encode_record(pair) for pair in pairs], "levels": found})
