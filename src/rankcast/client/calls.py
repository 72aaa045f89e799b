"""The requests of both clients, and how to read their answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote
from uuid import uuid4

from rankcast.client.answers import Acknowledgement, DeliveryPage, TrialResult, received_of, trial_of
from rankcast.errors import RecordError
from rankcast.language import decode_record, encode_event, encode_record
from rankcast.model import Advertisement, Concept, Event, Policy, Preference, Subscription
from rankcast.plain import JsonObject

T = TypeVar("T")
R = TypeVar("R", Subscription, Preference, Policy, Concept, Advertisement)

__all__ = ["Call"]


class Call(NamedTuple, Generic[T]):
    """A request, and how to read its answer. `again` marks an idempotent request, which may be sent twice."""

    method: str
    path: str
    read: Callable[[Any], T]
    json: object = None
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    again: bool = True


def _nothing(answer: object) -> None:
    return None


def _as_it_is(answer: object) -> Any:
    return answer


def _of(user: str, *parts: str) -> str:
    return "/".join(["/v1/users", *(quote(part, safe="") for part in (user, *parts))])


def _one(kind: type[R]) -> Callable[[Any], R]:
    """A function that reads a record of this kind."""

    def read(form: JsonObject) -> R:
        record = decode_record({name: value for name, value in form.items() if name != "label"})
        if not isinstance(record, kind):
            raise RecordError(f"the service answered with another kind of record than {kind.__name__.lower()!r}")
        return record

    return read


def who_am_i() -> Call[JsonObject]:
    """Role and name of the token."""
    return Call("GET", "/v1/me", _as_it_is)


def subscribe(user: str, where: str, name: str | None, score: float | None) -> Call[Subscription]:
    """Create a subscription, or replace the one with this id."""
    fields = {"where": where, "score": score}
    form = {field: value for field, value in fields.items() if value is not None}
    if name is None:
        return Call("POST", _of(user, "subscriptions"), _one(Subscription), form)
    return Call("PUT", _of(user, "subscriptions", name), _one(Subscription), form)


def unsubscribe(user: str, name: str) -> Call[None]:
    """Remove a subscription."""
    return Call("DELETE", _of(user, "subscriptions", name), _nothing, again=False)


def subscriptions(user: str) -> Call[list[Subscription]]:
    """All subscriptions of a user."""
    return Call("GET", _of(user, "subscriptions"), lambda forms: [_one(Subscription)(form) for form in forms])


def prefer(user: str, name: str, over: str) -> Call[Preference]:
    """Prefer one subscription over another."""
    return Call("POST", _of(user, "preferences"), _one(Preference), {"prefer": name, "over": over})


def preferences(user: str) -> Call[list[Preference]]:
    """All preferences of a user."""
    return Call("GET", _of(user, "preferences"), lambda form: [_one(Preference)(one) for one in form["preferences"]])


def policy(user: str) -> Call[Policy]:
    """The delivery policy of a user."""
    return Call("GET", _of(user, "policy"), _one(Policy))


def set_policy(user: str, given: Policy | Mapping[str, object]) -> Call[Policy]:
    """Set the delivery policy of a user."""
    form = encode_record(given) if isinstance(given, Policy) else dict(given)
    return Call("PUT", _of(user, "policy"), _one(Policy), form)


def concepts(user: str) -> Call[list[Concept]]:
    """The concepts that apply to a user."""
    return Call("GET", _of(user, "concepts"), lambda forms: [_one(Concept)(form) for form in forms])


def put_concept(concept: Concept) -> Call[Concept]:
    """Save a concept, for its user or for everybody."""
    name = (concept.attribute, concept.name)
    shared = "/".join(["/v1/concepts", *(quote(part, safe="") for part in name)])
    path = shared if concept.user is None else _of(concept.user, "concepts", *name)
    return Call("PUT", path, _one(Concept), encode_record(concept))


def advertisements() -> Call[list[Advertisement]]:
    """The advertisements of the publisher; for an administrator, all."""
    return Call("GET", "/v1/advertisements", lambda forms: [_one(Advertisement)(form) for form in forms])


def advertise(name: str, fields: Mapping[str, object]) -> Call[Advertisement]:
    """Create an advertisement, or replace the one with this id."""
    form = {field: value for field, value in fields.items() if value is not None}
    return Call("PUT", _advertisement(name), _one(Advertisement), form)


def withdraw(name: str) -> Call[None]:
    """Remove an advertisement."""
    return Call("DELETE", _advertisement(name), _nothing, again=False)


def _advertisement(name: str) -> str:
    return f"/v1/advertisements/{quote(name, safe='')}"


def publish(
    events: Iterable[Event | Mapping[str, Any]], key: str | None, under: str | None, k: int | None
) -> Call[list[Acknowledgement]]:
    """Publish events, if `under` is given under this advertisement, to at most `k` subscriptions.

    Without a key one is generated, so that the request can be sent again safely.
    """
    given = {name: value for name, value in (("advertisement", under), ("k", k)) if value is not None}
    forms = [{**(encode_event(event) if isinstance(event, Event) else event), **given} for event in events]

    def read(answer: Any) -> list[Acknowledgement]:
        rejected = {one["index"]: one["detail"] for one in answer["rejected"]}
        published = iter(answer["published"])
        return [
            Acknowledgement(form.get("id"), None, reason=rejected[place])
            if place in rejected
            else Acknowledgement(**next(published))
            for place, form in enumerate(forms)
        ]

    return Call("POST", "/v1/events", read, forms, headers={"Idempotency-Key": key or uuid4().hex})


def deliveries(user: str, limit: int, newest_first: bool, cursor: str | None, with_events: bool) -> Call[DeliveryPage]:
    """A page of deliveries."""
    params = {"limit": str(limit), "order": "newest" if newest_first else "oldest"}
    params |= {} if cursor is None else {"cursor": cursor}
    params |= {"include": "event"} if with_events else {}
    return Call(
        "GET",
        _of(user, "deliveries"),
        lambda form: DeliveryPage([received_of(one) for one in form["deliveries"]], form["next"]),
        params=params,
    )


def live_path(user: str) -> str:
    """The path of a user's live deliveries."""
    return _of(user, "deliveries", "live")


def try_expression(user: str, where: str, limit: int, show: int) -> Call[TrialResult]:
    """Try an expression on the last events."""
    return Call("POST", _of(user, "trials", "expression"), trial_of, {"where": where, "limit": limit, "show": show})


def explain(user: str, event: str) -> Call[JsonObject]:
    """Explain why an event was or was not sent to a user."""
    return Call("GET", _of(user, "explanations", event), _as_it_is)


def stats(user: str) -> Call[JsonObject]:
    """How evenly deliveries are spread over the subscriptions of a user."""
    return Call("GET", _of(user, "stats"), _as_it_is)


def brokers() -> Call[JsonObject]:
    """The tree of brokers, as one of them sees it."""
    return Call("GET", "/v1/brokers", _as_it_is)


def forget_broker(name: str) -> Call[None]:
    """Remove an edge."""
    return Call("DELETE", f"/v1/brokers/{quote(name, safe='')}", _nothing, again=False)


def create_token(role: str, name: str | None, note: str, expires: str | None) -> Call[str]:
    """Create a token."""
    form = {"role": role, "name": name, "note": note, "expires": expires}
    given = {field: value for field, value in form.items() if value is not None}
    return Call("POST", "/v1/tokens", lambda answer: str(answer["token"]), given, again=False)
