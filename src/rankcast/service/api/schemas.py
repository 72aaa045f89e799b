"""OpenAPI schemas of the JSON that the API accepts and returns."""

from enum import Enum

from rankcast.engine.explain import Reason
from rankcast.language import PRESETS
from rankcast.language.columns import ColumnKind, columns_of
from rankcast.model import MAX_ATTRIBUTES, Advertisement, Concept, Delivery, Event, Policy, Preference, Subscription
from rankcast.model.declared import NAME
from rankcast.model.membership import MAX_DEGREES, MAX_POINTS, NUMBER
from rankcast.plain import JsonObject
from rankcast.service.access import Role
from rankcast.service.api.field_schemas import properties_of, schema_of
from rankcast.store.audit_log import AuditAction

__all__ = ["PROBLEMS", "SCHEMAS", "body", "says"]

_TEXT = {"type": "string"}
_NAME = schema_of(NAME)
_TIME = {"type": "string", "format": "date-time"}
_COUNT = {"type": "integer", "minimum": 0}
_NUMBERS = {"type": "array", "items": schema_of(NUMBER)}
_OPEN = {"type": "object", "additionalProperties": True}


def _object(properties: JsonObject, required: tuple[str, ...] = (), **more: object) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def _columns(of: type) -> JsonObject:
    forms = {
        ColumnKind.TEXT: _NAME,
        ColumnKind.WHOLE: _COUNT,
        ColumnKind.REAL: {"type": "number"},
        ColumnKind.TEXTS: {"type": "array", "items": _NAME},
        ColumnKind.INSTANT: _TIME,
    }
    return {column.name: forms[column.kind] for column in columns_of(of) if not column.by_clock}


def _words(of: type[Enum]) -> JsonObject:
    return {"enum": [word.value for word in of]}


def _list(of: str) -> JsonObject:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{of}"}}


_FORMS = {
    "trapezoid": {**_NUMBERS, "minItems": 4, "maxItems": 4},
    "triangle": {**_NUMBERS, "minItems": 3, "maxItems": 3},
    "between": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "left_shoulder": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "right_shoulder": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "gaussian": {**_NUMBERS, "minItems": 2, "maxItems": 2},
    "piecewise": {"type": "array", "items": {**_NUMBERS, "minItems": 2, "maxItems": 2}, "maxItems": MAX_POINTS},
    "table": {
        "type": "object",
        "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
        "maxProperties": MAX_DEGREES,
    },
}

_DECIDED = {
    "window": {**_COUNT, "description": "number of the period, or position of the event that moved the window"},
    "forwarded": _TIME,
    "candidates": {**_COUNT, "description": "how many events there were to choose from"},
    "chosen": {"type": "boolean"},
    "note": {**_TEXT, "description": "what a filter says; empty without one"},
    "cause": {
        "anyOf": [
            _object({"reason": _words(Reason), "detail": _TEXT}, ("reason", "detail")),
            {"type": "null"},
        ],
        "description": "why it was not chosen; null if it was",
    },
    "others": {
        "type": "array",
        "items": _object(
            {"event": _NAME, "rank": {"type": "number"}, "distance": {"type": "number"}}, ("event", "rank", "distance")
        ),
        "description": "the events chosen in the same decision",
    },
}
_OF_SUBSCRIPTION = {
    "id": _NAME,
    "where": _TEXT,
    "score": {"type": "number"},
    "matches": {"type": "boolean"},
    "degree": {"type": "number"},
    "most_specific": {"type": "boolean"},
    "why": {"type": "array", "items": _TEXT},
}
_EXPLANATION = {
    "user": _NAME,
    "event": _NAME,
    "sent": {"type": "boolean"},
    "verdict": {**_TEXT, "description": "sent or not, and the reason, in one sentence"},
    "remark": {**_TEXT, "description": "what limits the explanation; empty if it is exact"},
    "rank": {"type": ["number", "null"], "description": "null if nothing matches"},
    "parts": {**_TEXT, "description": "what a combined rank is made of; empty without one"},
    "subscriptions": {"type": "array", "items": _object(_OF_SUBSCRIPTION, tuple(_OF_SUBSCRIPTION))},
    "decisions": {**_COUNT, "description": "how many decisions it was a candidate in"},
    "decision": {
        "anyOf": [_object(_DECIDED, tuple(_DECIDED)), {"type": "null"}],
        "description": "the one that sent it, or else the last one",
    },
    "lines": {"type": "array", "items": _TEXT, "description": "the explanation as lines for people"},
}

SCHEMAS: JsonObject = {
    "Problem": _object(
        {
            "type": {**_TEXT, "description": "names the sort of problem"},
            "title": _TEXT,
            "status": {"type": "integer"},
            "detail": {**_TEXT, "description": "what is wrong, for people"},
            "pointer": {**_TEXT, "description": "the field of the body, as a JSON pointer"},
            "position": {**_COUNT, "description": "of a bad expression: the character, from 0"},
            "found": {**_TEXT, "description": "what stands there"},
            "expected": {**_TEXT, "description": "what would be right there"},
            "hint": _TEXT,
            "line": {**_TEXT, "description": "the text around the character"},
            "caret": {**_TEXT, "description": "to be printed below the line: points at the character"},
        },
        ("type", "title", "status", "detail"),
        example={
            "type": "urn:rankcast:problem:expression",
            "title": "Unprocessable Content",
            "status": 422,
            "detail": "found 'drama' after '=', where a value should be, like 'text' or 5; strings need single quotes: "
            "'drama' (at character 9)",
            "pointer": "/where",
            "position": 8,
            "found": "'drama'",
            "expected": "a value, like 'text' or 5",
            "hint": "strings need single quotes: 'drama'",
            "line": "genre = drama",
            "caret": "        ^",
        },
    ),
    "Subscription": _object(
        {
            "kind": {"const": "subscription"},
            "where": {"type": ["string", "object"], "description": "an expression, as text or in its JSON form"},
            **properties_of(Subscription),
            "label": {**_TEXT, "description": "the expression for people", "readOnly": True},
        },
        ("where",),
        example={"where": "genre = 'drama' and year >= 2003", "score": 0.8},
    ),
    "Preference": _object(
        {"kind": {"const": "preference"}, **properties_of(Preference)},
        ("prefer", "over"),
        example={"prefer": "s1", "over": "s2"},
    ),
    "Preferences": _object({"preferences": _list("Preference"), "levels": _OPEN}, ("preferences",)),
    "Policy": _object(
        {
            "kind": {"const": "policy"},
            **properties_of(Policy),
            "preset": {"enum": sorted(PRESETS)},
        },
        example={"mode": "sliding", "k": 3, "length": 200, "sigma": 0.5},
    ),
    "Concept": _object(
        {"kind": {"const": "concept"}, **properties_of(Concept), **_FORMS},
        description="A vague word on an attribute; one of the forms says what it means.",
        example={"trapezoid": [0, 0, 500, 900]},
    ),
    "Advertisement": _object(
        {
            "kind": {"const": "advertisement"},
            "where": {"type": ["string", "object"]},
            **properties_of(Advertisement),
        },
        ("where", "k"),
        example={"where": "price <= 100", "k": 10, "rank": "fair"},
    ),
    "Event": _object(
        {
            **properties_of(Event),
            "id": {**_NAME, "description": "made if left out"},
            "time": {**_TEXT, "description": "the present if left out"},
            "attributes": {**_OPEN, "maxProperties": MAX_ATTRIBUTES},
        },
        ("attributes",),
        example={"id": "e1", "attributes": {"title": "Big Fish", "genre": ["drama", "comedy"], "year": 2003}},
    ),
    "Published": _object(
        {"id": _NAME, "offset": _COUNT, "duplicate": {"type": "boolean"}},
        ("id", "offset", "duplicate"),
        example={"id": "e1", "offset": 1, "duplicate": False},
    ),
    "BulkPublished": _object(
        {
            "published": _list("Published"),
            "rejected": {
                "type": "array",
                "items": _object({"index": _COUNT, "detail": _TEXT}, ("index", "detail")),
            },
        },
        ("published", "rejected"),
        example={
            "published": [{"id": "e1", "offset": 1, "duplicate": False}],
            "rejected": [{"index": 1, "detail": "an event needs the field 'attributes'"}],
        },
    ),
    "Delivery": _object(
        {
            "number": {**_COUNT, "description": "its place in the log: the id of its server-sent event"},
            **_columns(Delivery),
            "content": {"$ref": "#/components/schemas/Event"},
        },
        ("number", *_columns(Delivery)),
        example={
            "number": 7,
            "user": "addison",
            "event": "e4",
            "seq": 4,
            "rank": 0.9,
            "subscriptions": ["s1"],
            "published": "2004-02-13T20:05:00Z",
            "forwarded": "2004-02-13T20:05:00Z",
            "window": 4,
        },
    ),
    "Deliveries": _object(
        {
            "deliveries": _list("Delivery"),
            "next": {"type": ["string", "null"], "description": "the next page's cursor"},
        },
        ("deliveries", "next"),
    ),
    "Trial": _object(
        {
            "count": _COUNT,
            "of": _COUNT,
            "matched": _list("Event"),
            "label": _TEXT,
            "by_thresholds": {**_OPEN, "description": "if something is vague: the count crisply, and by each attitude"},
        },
        ("count", "of", "matched"),
        example={"count": 12, "of": 1000, "matched": [], "label": "genre is drama"},
    ),
    "TrialOfExpression": _object(
        {"where": {"type": ["string", "object"]}, "limit": {"type": "integer", "minimum": 1}, "show": _COUNT},
        ("where",),
        example={"where": "genre = 'drama'", "limit": 1000, "show": 5},
    ),
    "TrialOfPolicy": _object(
        {"policy": {"$ref": "#/components/schemas/Policy"}, "limit": {"type": "integer", "minimum": 1}},
        ("policy",),
        example={"policy": {"mode": "sliding", "k": 2, "length": 50}, "limit": 1000},
    ),
    "Backtest": _object({"of": _COUNT, "deliveries": {"type": "array", "items": _OPEN}}, ("of", "deliveries")),
    "Explanation": _object(_EXPLANATION, tuple(_EXPLANATION)),
    "EventOrEvents": {
        "oneOf": [
            {"$ref": "#/components/schemas/Event"},
            {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
        ]
    },
    "Events": _object({"events": _list("Event"), "next": {"type": ["string", "null"]}}, ("events", "next")),
    "UserSummary": _object(
        {
            "user": _NAME,
            "subscriptions": _COUNT,
            "preferences": _COUNT,
            "policy": {"$ref": "#/components/schemas/Policy"},
        },
        ("user", "subscriptions", "preferences", "policy"),
    ),
    "Token": _object(
        {
            "id": _NAME,
            "role": _words(Role),
            "name": {"type": ["string", "null"]},
            "note": _TEXT,
            "created": _TIME,
            "expires": {"type": ["string", "null"], "format": "date-time", "description": "refused from then on"},
            "revoked": {"type": ["string", "null"]},
            "token": {**_TEXT, "description": "only in the answer that made it"},
        },
        ("id", "role", "name", "note", "created", "expires", "revoked"),
    ),
    "NewToken": _object(
        {
            "role": _words(Role),
            "name": _NAME,
            "note": _TEXT,
            "expires": {
                **_TEXT,
                "description": "after how long it is refused, a duration such as 90d; never if left out",
            },
        },
        ("role",),
        example={"role": "user", "name": "addison", "note": "her phone", "expires": "90d"},
    ),
    "AuditEntry": _object(
        {
            "number": _COUNT,
            "when": _TIME,
            "who": {**_TEXT, "description": "an administrator by the id of the token, a user, or the operator"},
            "action": {"enum": [action.value for action in AuditAction]},
            "user": {"type": ["string", "null"], "description": "whose it was; null if it concerns all"},
            "detail": {**_TEXT, "description": "for people"},
        },
        ("number", "when", "who", "action", "user", "detail"),
        example={
            "number": 12,
            "when": "2026-05-04T12:30:00Z",
            "who": "administrator 1f2e3d4c5b6a",
            "action": "records.change",
            "user": "addison",
            "detail": "put policy addison",
        },
    ),
    "AuditPage": _object({"entries": _list("AuditEntry"), "next": {"type": ["string", "null"]}}, ("entries", "next")),
    "SetAside": _object(
        {
            "number": _COUNT,
            "user": {"type": ["string", "null"], "description": "null if the event failed for everybody"},
            "event": {"type": ["string", "null"], "description": "null if the user is not served at all from seq on"},
            "seq": _COUNT,
            "version": {**_COUNT, "description": "of the catalog"},
            "error": _TEXT,
            "when": _TIME,
            "served": {"type": ["string", "null"], "description": "when it was served again"},
        },
        ("number", "user", "event", "seq", "version", "error", "when", "served"),
    ),
    "SetAsidePage": _object(
        {"set_aside": _list("SetAside"), "next": {"type": ["string", "null"]}}, ("set_aside", "next")
    ),
    "ServeAgain": _object({"user": {**_NAME, "description": "of whom; left out: of all"}}, example={}),
    "ServedAgain": _object(
        {
            "done": {**_COUNT, "description": "rows that are done with"},
            "failed": {**_COUNT, "description": "rows that failed once more"},
            "delivered": {**_COUNT, "description": "new deliveries"},
            "goes_on": {
                "type": "boolean",
                "description": "whether users who are set aside as a whole are served again from now on; false while a "
                "pipeline runs",
            },
        },
        ("done", "failed", "delivered", "goes_on"),
    ),
    "MiningRun": _object(
        {
            "run": _COUNT,
            "when": _TIME,
            "attribute": _NAME,
            "before": {
                "type": "array",
                "items": {"anyOf": [{"$ref": "#/components/schemas/Concept"}, {"type": "null"}]},
                "description": "the concepts that were replaced; null for a new one",
            },
            "after": _list("Concept"),
            "shift": {"type": "number", "description": "by how much degrees changed, averaged over the data"},
            "counted": {**_COUNT, "description": "how many values it was mined from"},
            "tried": {**_COUNT, "description": "on how many events the effects were tried"},
            "effects": {
                "type": "array",
                "items": _object(
                    {"user": _NAME, "subscription": _NAME, "before": _COUNT, "after": _COUNT},
                    ("user", "subscription", "before", "after"),
                ),
                "description": "the subscriptions that matched more or fewer of these events",
            },
            "not_tried": {"type": ["integer", "null"], "description": "subscriptions that were not tried"},
            "undone": {"type": ["string", "null"], "description": "when it was undone"},
        },
        ("run", "when", "attribute", "before", "after", "effects", "undone"),
    ),
    "MiningRuns": _object({"runs": _list("MiningRun")}, ("runs",)),
    "Mining": _object(
        {
            "attributes": {"type": "array", "items": _NAME, "description": "mined on a schedule"},
            "every": {"type": ["string", "null"], "description": "a duration such as 1h; null without a schedule"},
            "states": {**_OPEN, "description": "the last outcome for each attribute since the service started"},
            "runs": _list("MiningRun"),
        },
        ("attributes", "every", "states", "runs"),
    ),
    "MiningRequest": _object({"attribute": _NAME}, ("attribute",), example={"attribute": "price"}),
    "MiningOutcome": _object(
        {
            "run": {"anyOf": [{"$ref": "#/components/schemas/MiningRun"}, {"type": "null"}]},
            "reason": {**_TEXT, "description": "why nothing changed; empty if something did"},
        },
        ("run", "reason"),
    ),
    "Groups": _object(
        {
            "groups": {
                "type": "array",
                "items": _object(
                    {
                        "similarity": {"type": "number"},
                        "groups": _COUNT,
                        "users": _COUNT,
                        "decisions": {**_OPEN, "description": "filter decisions, alone and shared"},
                        "messages": {**_OPEN, "description": "events that leave a filter, alone and shared"},
                        "deliveries": _OPEN,
                        "entropy": {**_OPEN, "description": "mean output entropy of the users in bits"},
                        "members": {**_OPEN, "description": "the users of each group"},
                        "not_tried": {**_COUNT, "description": "further groups"},
                    },
                    ("similarity", "groups", "users", "decisions", "messages", "deliveries", "entropy", "members"),
                ),
            }
        },
        ("groups",),
    ),
    "Interval": _object(
        {
            "of": {**_COUNT, "description": "how many subscriptions use the attribute"},
            "left_out": {**_COUNT, "description": "how many of these were not tried"},
            "widths": {"type": "array", "items": {"type": "number"}},
            "counts": {**_OPEN, "description": "for each case, how many match at each width"},
            "matches": {
                "type": "array",
                "items": _object(
                    {
                        "subscription": {"$ref": "#/components/schemas/Subscription"},
                        "crisp": {"type": "boolean"},
                        "degrees": {**_OPEN, "description": "for each case, possibility and necessity"},
                    },
                    ("subscription", "crisp", "degrees"),
                ),
            },
        },
        ("of", "left_out", "widths", "counts", "matches"),
    ),
    "VagueMatches": _object(
        {
            "seconds": {**_COUNT, "description": "the usual time between two samples"},
            "samples": {
                "type": "array",
                "items": _object(
                    {
                        "time": _TIME,
                        **dict.fromkeys(("events", "subscriptions", "vague", "at_thresholds", "at_core"), _COUNT),
                    },
                    ("time", "events", "subscriptions", "vague", "at_thresholds", "at_core"),
                ),
            },
        },
        ("seconds", "samples"),
    ),
    "Team": _object(
        {
            "of": {**_COUNT, "description": "how many events were served"},
            "matched": _COUNT,
            "rounds": _COUNT,
            "teams": {
                "type": "array",
                "items": _object(
                    {
                        "nodes": _COUNT,
                        "delivered": _COUNT,
                        "share": {"type": "number", "description": "delivered events among those that match"},
                        "entropy": {"type": "number", "description": "output entropy in bits"},
                        "bytes": {"type": "number", "description": "sent per node and round, both ways"},
                    },
                    ("nodes", "delivered", "share", "entropy", "bytes"),
                ),
            },
            "deliveries": {
                "type": "array",
                "items": _object(
                    {"event": _NAME, "subscriptions": {"type": "array", "items": _NAME}, "round": _COUNT},
                    ("event", "subscriptions", "round"),
                ),
            },
        },
        ("of", "matched", "rounds", "teams", "deliveries"),
    ),
    "EndedSessions": _object({"ended": _COUNT}, ("ended",)),
    "Anything": _OPEN,
    "Names": {"type": "array", "items": _TEXT},
    "Subscriptions": _list("Subscription"),
    "Concepts": _list("Concept"),
    "Advertisements": _list("Advertisement"),
    "Tokens": _list("Token"),
}
"""All schemas by name, for `components.schemas`."""


def _ref(name: str) -> JsonObject:
    return {"schema": {"$ref": f"#/components/schemas/{name}"}}


def says(name: str | None, description: str, status: int = 200) -> dict[int | str, JsonObject]:
    """The `responses` of a route that returns this schema."""
    content = {} if name is None else {"content": {"application/json": _ref(name)}}
    return {status: {"description": description, **content}}


def body(name: str, *also: str) -> JsonObject:
    """The `openapi_extra` of a route that takes this schema. `also` lists further content types."""
    content = {"application/json": _ref(name)}
    return {"requestBody": {"required": True, "content": content | {kind: {"schema": _TEXT} for kind in also}}}


PROBLEMS: dict[int | str, JsonObject] = {
    status: {"description": description, "content": {"application/problem+json": _ref("Problem")}}
    for status, description in (
        (401, "No token, or one that is not known"),
        (403, "Not yours"),
        (404, "Not there"),
        (409, "Does not fit what is there"),
        (412, "Changed in the meantime (If-Match, If-None-Match)"),
        (413, "Too large"),
        (415, "Not JSON"),
        (422, "Not understood"),
        (429, "Too often"),
        (503, "The store cannot be used just now"),
    )
}
"""The error responses that every route may return."""
