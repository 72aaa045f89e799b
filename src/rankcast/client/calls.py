"""What a service can be asked: each call is declared once, and both clients have it as a method."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar, overload
from urllib.parse import quote
from uuid import uuid4

from rankcast.client.answers import Acknowledgement, DeliveryPage, TrialResult, received_of, trial_of
from rankcast.errors import RecordError
from rankcast.language import decode_record, encode_event, encode_record
from rankcast.model import Advertisement, Concept, Event, Policy, Preference, Subscription
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.client.client import AsyncClient, Client

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", Subscription, Preference, Policy, Concept, Advertisement)

USER = "{user}"
"""Stands in a path for the user of the client. Names that are part of a path are quoted, so none contains it."""


class Call(NamedTuple, Generic[T]):
    """A request, and how to read its answer. `again` marks an idempotent request, which may be sent twice."""

    method: str
    path: str
    read: Callable[[Any], T]
    json: object = None
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    again: bool = True


class CallMethod(Generic[P, T]):
    """A declared call as a method: of a blocking client it returns the answer, of an asynchronous one an awaitable."""

    def __init__(self, declaration: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self._declaration = declaration

    @overload
    def __get__(self, client: None, owner: type) -> Callable[Concatenate[Any, P], Call[T]]: ...
    @overload
    def __get__(self, client: "Client", owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: "ServiceCalls | None", owner: type) -> object:
        if client is None:
            return self._declaration
        asked = client

        def method(*given: P.args, **named: P.kwargs) -> object:
            return asked._send(self._declaration(asked, *given, **named))

        return update_wrapper(method, self._declaration.__get__(client))


def _path_of(*parts: str) -> str:
    return "/".join(["/v1", *(quote(part, safe="") for part in parts)])


def path_of_user(*parts: str) -> str:
    """The path of something that belongs to the user of the client.

    >>> path_of_user("subscriptions", "a/1")
    '/v1/users/{user}/subscriptions/a%2F1'
    """
    return f"/v1/users/{USER}/" + "/".join(quote(part, safe="") for part in parts)


def _nothing(answer: object) -> None:
    return None


def _as_it_is(answer: object) -> Any:
    return answer


def _one(kind: type[R]) -> Callable[[Any], R]:
    """A function that reads a record of this kind."""

    def read(form: JsonObject) -> R:
        record = decode_record({name: value for name, value in form.items() if name != "label"})
        if not isinstance(record, kind):
            raise RecordError(f"the service answered with another kind of record than {kind.__name__.lower()!r}")
        return record

    return read


def _many(kind: type[R]) -> Callable[[Any], list[R]]:
    return lambda forms: [_one(kind)(form) for form in forms]


def _given(**fields: object) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


class ServiceCalls:
    """The calls of both clients. Where `Call[T]` is declared, `Client` returns a `T` and `AsyncClient` an awaitable."""

    def _send(self, call: Call[Any]) -> object:
        raise NotImplementedError

    @CallMethod
    def who_am_i(self) -> Call[JsonObject]:
        """Role and name of the token."""
        return Call("GET", "/v1/me", _as_it_is)

    @CallMethod
    def create_token(
        self, role: str, name: str | None = None, note: str = "", *, expires: str | None = None
    ) -> Call[str]:
        """Create a token for a user, publisher or administrator. Only an administrator may do this.

        The token expires after the duration `expires`, such as ``90d``.
        """
        form = _given(role=role, name=name, note=note, expires=expires)
        return Call("POST", "/v1/tokens", lambda answer: str(answer["token"]), form, again=False)

    # the catalog

    @CallMethod
    def subscribe(self, where: str, id: str | None = None, *, score: float | None = None) -> Call[Subscription]:  # noqa: A002
        """Subscribe to the events that match an expression. An existing subscription with this id is replaced."""
        form = _given(where=where, score=score)
        if id is None:
            return Call("POST", path_of_user("subscriptions"), _one(Subscription), form)
        return Call("PUT", path_of_user("subscriptions", id), _one(Subscription), form)

    @CallMethod
    def unsubscribe(self, id: str) -> Call[None]:  # noqa: A002
        """Remove a subscription and the preferences that refer to it."""
        return Call("DELETE", path_of_user("subscriptions", id), _nothing, again=False)

    @CallMethod
    def subscriptions(self) -> Call[list[Subscription]]:
        """All subscriptions, in the order in which they were created."""
        return Call("GET", path_of_user("subscriptions"), _many(Subscription))

    @CallMethod
    def prefer(self, id: str, over: str) -> Call[Preference]:  # noqa: A002
        """Prefer one subscription over another."""
        return Call("POST", path_of_user("preferences"), _one(Preference), {"prefer": id, "over": over})

    @CallMethod
    def preferences(self) -> Call[list[Preference]]:
        """All preferences."""
        return Call("GET", path_of_user("preferences"), lambda form: _many(Preference)(form["preferences"]))

    @CallMethod
    def policy(self) -> Call[Policy]:
        """The delivery policy of the user."""
        return Call("GET", path_of_user("policy"), _one(Policy))

    @CallMethod
    def set_policy(self, /, policy: Policy | None = None, **fields: object) -> Call[Policy]:
        """Set the delivery policy, given whole or by fields: ``set_policy(mode="sliding", k=3, length=50)``."""
        form = encode_record(policy) if policy else fields
        return Call("PUT", path_of_user("policy"), _one(Policy), form)

    @CallMethod
    def concepts(self) -> Call[list[Concept]]:
        """The concepts that apply to the user: their own, and the common ones for all other words."""
        return Call("GET", path_of_user("concepts"), _many(Concept))

    @CallMethod
    def put_concept(self, concept: Concept) -> Call[Concept]:
        """Save a concept, for its user or, as an administrator, for everybody."""
        owner = () if concept.user is None else ("users", concept.user)
        path = _path_of(*owner, "concepts", concept.attribute, concept.name)
        return Call("PUT", path, _one(Concept), encode_record(concept))

    # advertisements, as a publisher

    @CallMethod
    def advertise(
        self,
        id: str,  # noqa: A002
        where: str,
        k: int,
        *,
        rank: str | None = None,
        score: str | None = None,
        function: str | None = None,
        publisher: str | None = None,
    ) -> Call[Advertisement]:
        """Create an advertisement, or replace the one with this id.

        Each publication under it goes to the `k` best-ranked subscriptions. `function` names a ranking function that
        the service has registered. An administrator names the `publisher`.
        """
        form = _given(where=where, k=k, rank=rank, score=score, function=function, publisher=publisher)
        return Call("PUT", _path_of("advertisements", id), _one(Advertisement), form)

    @CallMethod
    def withdraw(self, id: str) -> Call[None]:  # noqa: A002
        """Remove an advertisement. Events that were published under it stay."""
        return Call("DELETE", _path_of("advertisements", id), _nothing, again=False)

    @CallMethod
    def advertisements(self) -> Call[list[Advertisement]]:
        """The advertisements of the publisher; for an administrator, all."""
        return Call("GET", "/v1/advertisements", _many(Advertisement))

    # brokers

    @CallMethod
    def brokers(self) -> Call[JsonObject]:
        """The tree of brokers that the service belongs to. Only an administrator may see it."""
        return Call("GET", "/v1/brokers", _as_it_is)

    @CallMethod
    def forget_broker(self, name: str) -> Call[None]:
        """Remove an edge that is gone for good. Only an administrator may do this."""
        return Call("DELETE", _path_of("brokers", name), _nothing, again=False)

    # events and deliveries

    @CallMethod
    def publish(
        self,
        events: Event | Mapping[str, object] | Iterable[Event | Mapping[str, object]],
        key: str | None = None,
        *,
        under: str | None = None,
        k: int | None = None,
    ) -> Call[list[Acknowledgement]]:
        """Publish one or more events, given as `Event` or in their JSON form; return an acknowledgement of each.

        `under` names the advertisement of all of them, and `k` asks for fewer recipients than it allows. Without an
        idempotency `key` one is generated, so that the request can be sent again safely.
        """
        several = [events] if isinstance(events, Event | Mapping) else events
        given = _given(advertisement=under, k=k)
        forms = [{**(encode_event(event) if isinstance(event, Event) else event), **given} for event in several]

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

    @CallMethod
    def delivery_page(
        self, limit: int = 200, cursor: str | None = None, *, newest_first: bool = False, with_events: bool = False
    ) -> Call[DeliveryPage]:
        """One page of past deliveries, at most `limit`, from the cursor of the page before on."""
        include = "event" if with_events else None
        params = _given(limit=str(limit), order="newest" if newest_first else "oldest", cursor=cursor, include=include)
        return Call(
            "GET",
            path_of_user("deliveries"),
            lambda form: DeliveryPage([received_of(one) for one in form["deliveries"]], form["next"]),
            params=params,
        )

    # trials and explanations

    @CallMethod
    def try_expression(self, where: str, limit: int = 1000, show: int = 10) -> Call[TrialResult]:
        """Count how many of the last events an expression would have matched."""
        form = {"where": where, "limit": limit, "show": show}
        return Call("POST", path_of_user("trials", "expression"), trial_of, form)

    @CallMethod
    def explain(self, event: str) -> Call[JsonObject]:
        """Explain why an event was or was not sent to the user."""
        return Call("GET", path_of_user("explanations", event), _as_it_is)

    @CallMethod
    def stats(self) -> Call[JsonObject]:
        """How evenly deliveries are spread over the subscriptions of the user."""
        return Call("GET", path_of_user("stats"), _as_it_is)

    @CallMethod
    def team(self, nodes: int = 4, rounds: int = 10, limit: int = 500) -> Call[JsonObject]:
        """What the user would have received of the last events if the subscriptions were spread over nodes."""
        params = {"nodes": str(nodes), "rounds": str(rounds), "limit": str(limit)}
        return Call("GET", path_of_user("team"), _as_it_is, params=params)
