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
from rankcast.service.api.field_schemas import (
    COUNT,
    FLAG,
    INSTANT,
    MAYBE_TEXT,
    MAYBE_TIME,
    OPEN,
    TEXT,
    array_of,
    object_of,
    or_null,
    properties_of,
    reference,
    schema_of,
)
from rankcast.store.audit_log import AuditAction

_NAME = schema_of(NAME)
_NUMBERS = array_of(schema_of(NUMBER))


def _columns(of: type) -> JsonObject:
    forms = {
        ColumnKind.TEXT: _NAME,
        ColumnKind.WHOLE: COUNT,
        ColumnKind.REAL: {"type": "number"},
        ColumnKind.TEXTS: array_of(_NAME),
        ColumnKind.INSTANT: INSTANT,
    }
    return {column.name: forms[column.kind] for column in columns_of(of) if not column.by_clock}


def _words(of: type[Enum]) -> JsonObject:
    return {"enum": [word.value for word in of]}


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
    "window": {**COUNT, "description": "number of the period, or position of the event that moved the window"},
    "forwarded": INSTANT,
    "candidates": {**COUNT, "description": "how many events there were to choose from"},
    "chosen": FLAG,
    "note": {**TEXT, "description": "what a filter says; empty without one"},
    "cause": {
        "anyOf": [object_of({"reason": _words(Reason), "detail": TEXT}), {"type": "null"}],
        "description": "why it was not chosen; null if it was",
    },
    "others": {
        **array_of(object_of({"event": _NAME, "rank": {"type": "number"}, "distance": {"type": "number"}})),
        "description": "the events chosen in the same decision",
    },
}
_OF_SUBSCRIPTION = {
    "id": _NAME,
    "where": TEXT,
    "score": {"type": "number"},
    "matches": FLAG,
    "degree": {"type": "number"},
    "most_specific": FLAG,
    "why": array_of(TEXT),
}
_EXPLANATION = {
    "user": _NAME,
    "event": _NAME,
    "sent": FLAG,
    "verdict": {**TEXT, "description": "sent or not, and the reason, in one sentence"},
    "remark": {**TEXT, "description": "what limits the explanation; empty if it is exact"},
    "rank": {"type": ["number", "null"], "description": "null if nothing matches"},
    "parts": {**TEXT, "description": "what a combined rank is made of; empty without one"},
    "subscriptions": array_of(object_of(_OF_SUBSCRIPTION)),
    "decisions": {**COUNT, "description": "how many decisions it was a candidate in"},
    "decision": {
        "anyOf": [object_of(_DECIDED), {"type": "null"}],
        "description": "the one that sent it, or else the last one",
    },
    "lines": {**array_of(TEXT), "description": "the explanation as lines for people"},
}

SCHEMAS: JsonObject = {
    "Problem": object_of(
        {
            "type": {**TEXT, "description": "names the sort of problem"},
            "title": TEXT,
            "status": {"type": "integer"},
            "detail": {**TEXT, "description": "what is wrong, for people"},
            "pointer": {**TEXT, "description": "the field of the body, as a JSON pointer"},
            "position": {**COUNT, "description": "of a bad expression: the character, from 0"},
            "found": {**TEXT, "description": "what stands there"},
            "expected": {**TEXT, "description": "what would be right there"},
            "hint": TEXT,
            "line": {**TEXT, "description": "the text around the character"},
            "caret": {**TEXT, "description": "to be printed below the line: points at the character"},
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
    "Subscription": object_of(
        {
            "kind": {"const": "subscription"},
            "where": {"type": ["string", "object"], "description": "an expression, as text or in its JSON form"},
            **properties_of(Subscription),
            "label": {**TEXT, "description": "the expression for people", "readOnly": True},
        },
        ("where",),
        example={"where": "genre = 'drama' and year >= 2003", "score": 0.8},
    ),
    "Preference": object_of(
        {"kind": {"const": "preference"}, **properties_of(Preference)},
        ("prefer", "over"),
        example={"prefer": "s1", "over": "s2"},
    ),
    "Preferences": object_of({"preferences": array_of(reference("Preference")), "levels": OPEN}, ("preferences",)),
    "Policy": object_of(
        {"kind": {"const": "policy"}, **properties_of(Policy), "preset": {"enum": sorted(PRESETS)}},
        (),
        example={"mode": "sliding", "k": 3, "length": 200, "sigma": 0.5},
    ),
    "Concept": object_of(
        {"kind": {"const": "concept"}, **properties_of(Concept), **_FORMS},
        (),
        description="A vague word on an attribute; one of the forms says what it means.",
        example={"trapezoid": [0, 0, 500, 900]},
    ),
    "Advertisement": object_of(
        {"kind": {"const": "advertisement"}, "where": {"type": ["string", "object"]}, **properties_of(Advertisement)},
        ("where", "k"),
        example={"where": "price <= 100", "k": 10, "rank": "fair"},
    ),
    "Event": object_of(
        {
            **properties_of(Event),
            "id": {**_NAME, "description": "made if left out"},
            "time": {**TEXT, "description": "the present if left out"},
            "attributes": {**OPEN, "maxProperties": MAX_ATTRIBUTES},
        },
        ("attributes",),
        example={"id": "e1", "attributes": {"title": "Big Fish", "genre": ["drama", "comedy"], "year": 2003}},
    ),
    "Published": object_of(
        {"id": _NAME, "offset": COUNT, "duplicate": FLAG}, example={"id": "e1", "offset": 1, "duplicate": False}
    ),
    "BulkPublished": object_of(
        {
            "published": array_of(reference("Published")),
            "rejected": array_of(object_of({"index": COUNT, "detail": TEXT})),
        },
        example={
            "published": [{"id": "e1", "offset": 1, "duplicate": False}],
            "rejected": [{"index": 1, "detail": "an event needs the field 'attributes'"}],
        },
    ),
    "Delivery": object_of(
        {
            "number": {**COUNT, "description": "its place in the log: the id of its server-sent event"},
            **_columns(Delivery),
            "content": reference("Event"),
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
    "Deliveries": object_of(
        {"deliveries": array_of(reference("Delivery")), "next": {**MAYBE_TEXT, "description": "the next page's cursor"}}
    ),
    "Trial": object_of(
        {
            "count": COUNT,
            "of": COUNT,
            "matched": array_of(reference("Event")),
            "label": TEXT,
            "by_thresholds": {**OPEN, "description": "if something is vague: the count crisply, and by each attitude"},
        },
        ("count", "of", "matched"),
        example={"count": 12, "of": 1000, "matched": [], "label": "genre is drama"},
    ),
    "TrialOfExpression": object_of(
        {"where": {"type": ["string", "object"]}, "limit": {"type": "integer", "minimum": 1}, "show": COUNT},
        ("where",),
        example={"where": "genre = 'drama'", "limit": 1000, "show": 5},
    ),
    "TrialOfPolicy": object_of(
        {"policy": reference("Policy"), "limit": {"type": "integer", "minimum": 1}},
        ("policy",),
        example={"policy": {"mode": "sliding", "k": 2, "length": 50}, "limit": 1000},
    ),
    "Backtest": object_of({"of": COUNT, "deliveries": array_of(OPEN)}),
    "Explanation": object_of(_EXPLANATION),
    "EventOrEvents": {"oneOf": [reference("Event"), array_of(reference("Event"))]},
    "Events": object_of({"events": array_of(reference("Event")), "next": MAYBE_TEXT}),
    "UserSummary": object_of(
        {"user": _NAME, "subscriptions": COUNT, "preferences": COUNT, "policy": reference("Policy")}
    ),
    "Token": object_of(
        {
            "id": _NAME,
            "role": _words(Role),
            "name": MAYBE_TEXT,
            "note": TEXT,
            "created": INSTANT,
            "expires": {**MAYBE_TIME, "description": "refused from then on"},
            "revoked": MAYBE_TEXT,
            "token": {**TEXT, "description": "only in the answer that made it"},
        },
        ("id", "role", "name", "note", "created", "expires", "revoked"),
    ),
    "NewToken": object_of(
        {
            "role": _words(Role),
            "name": _NAME,
            "note": TEXT,
            "expires": {
                **TEXT,
                "description": "after how long it is refused, a duration such as 90d; never if left out",
            },
        },
        ("role",),
        example={"role": "user", "name": "addison", "note": "her phone", "expires": "90d"},
    ),
    "AuditEntry": object_of(
        {
            "number": COUNT,
            "when": INSTANT,
            "who": {**TEXT, "description": "an administrator by the id of the token, a user, or the operator"},
            "action": {"enum": [action.value for action in AuditAction]},
            "user": {**MAYBE_TEXT, "description": "whose it was; null if it concerns all"},
            "detail": {**TEXT, "description": "for people"},
        },
        example={
            "number": 12,
            "when": "2026-05-04T12:30:00Z",
            "who": "administrator 1f2e3d4c5b6a",
            "action": "records.change",
            "user": "addison",
            "detail": "put policy addison",
        },
    ),
    "AuditPage": object_of({"entries": array_of(reference("AuditEntry")), "next": MAYBE_TEXT}),
    "SetAside": object_of(
        {
            "number": COUNT,
            "user": {**MAYBE_TEXT, "description": "null if the event failed for everybody"},
            "event": {**MAYBE_TEXT, "description": "null if the user is not served at all from seq on"},
            "seq": COUNT,
            "version": {**COUNT, "description": "of the catalog"},
            "error": TEXT,
            "when": INSTANT,
            "served": {**MAYBE_TEXT, "description": "when it was served again"},
        }
    ),
    "SetAsidePage": object_of({"set_aside": array_of(reference("SetAside")), "next": MAYBE_TEXT}),
    "ServeAgain": object_of({"user": {**_NAME, "description": "of whom; left out: of all"}}, (), example={}),
    "ServedAgain": object_of(
        {
            "done": {**COUNT, "description": "rows that are done with"},
            "failed": {**COUNT, "description": "rows that failed once more"},
            "delivered": {**COUNT, "description": "new deliveries"},
            "goes_on": {
                "type": "boolean",
                "description": "whether users who are set aside as a whole are served again from now on; false while a "
                "pipeline runs",
            },
        }
    ),
    "MiningRun": object_of(
        {
            "run": COUNT,
            "when": INSTANT,
            "attribute": _NAME,
            "before": {
                **array_of(or_null(reference("Concept"))),
                "description": "the concepts that were replaced; null for a new one",
            },
            "after": array_of(reference("Concept")),
            "shift": {"type": "number", "description": "by how much degrees changed, averaged over the data"},
            "counted": {**COUNT, "description": "how many values it was mined from"},
            "tried": {**COUNT, "description": "on how many events the effects were tried"},
            "effects": {
                **array_of(object_of({"user": _NAME, "subscription": _NAME, "before": COUNT, "after": COUNT})),
                "description": "the subscriptions that matched more or fewer of these events",
            },
            "not_tried": {"type": ["integer", "null"], "description": "subscriptions that were not tried"},
            "undone": {**MAYBE_TEXT, "description": "when it was undone"},
        },
        ("run", "when", "attribute", "before", "after", "effects", "undone"),
    ),
    "MiningRuns": object_of({"runs": array_of(reference("MiningRun"))}),
    "Mining": object_of(
        {
            "attributes": {**array_of(_NAME), "description": "mined on a schedule"},
            "every": {**MAYBE_TEXT, "description": "a duration such as 1h; null without a schedule"},
            "states": {**OPEN, "description": "the last outcome for each attribute since the service started"},
            "runs": array_of(reference("MiningRun")),
        }
    ),
    "MiningRequest": object_of({"attribute": _NAME}, example={"attribute": "price"}),
    "MiningOutcome": object_of(
        {
            "run": or_null(reference("MiningRun")),
            "reason": {**TEXT, "description": "why nothing changed; empty if something did"},
        }
    ),
    "Groups": object_of(
        {
            "groups": array_of(
                object_of(
                    {
                        "similarity": {"type": "number"},
                        "groups": COUNT,
                        "users": COUNT,
                        "decisions": {**OPEN, "description": "filter decisions, alone and shared"},
                        "messages": {**OPEN, "description": "events that leave a filter, alone and shared"},
                        "deliveries": OPEN,
                        "entropy": {**OPEN, "description": "mean output entropy of the users in bits"},
                        "members": {**OPEN, "description": "the users of each group"},
                        "not_tried": {**COUNT, "description": "further groups"},
                    },
                    ("similarity", "groups", "users", "decisions", "messages", "deliveries", "entropy", "members"),
                )
            )
        }
    ),
    "Interval": object_of(
        {
            "of": {**COUNT, "description": "how many subscriptions use the attribute"},
            "left_out": {**COUNT, "description": "how many of these were not tried"},
            "widths": array_of({"type": "number"}),
            "counts": {**OPEN, "description": "for each case, how many match at each width"},
            "matches": array_of(
                object_of(
                    {
                        "subscription": reference("Subscription"),
                        "crisp": FLAG,
                        "degrees": {**OPEN, "description": "for each case, possibility and necessity"},
                    }
                )
            ),
        }
    ),
    "VagueMatches": object_of(
        {
            "seconds": {**COUNT, "description": "the usual time between two samples"},
            "samples": array_of(
                object_of(
                    {
                        "time": INSTANT,
                        **dict.fromkeys(("events", "subscriptions", "vague", "at_thresholds", "at_core"), COUNT),
                    },
                    ("time", "events", "subscriptions", "vague", "at_thresholds", "at_core"),
                )
            ),
        }
    ),
    "Team": object_of(
        {
            "of": {**COUNT, "description": "how many events were served"},
            "matched": COUNT,
            "rounds": COUNT,
            "teams": array_of(
                object_of(
                    {
                        "nodes": COUNT,
                        "delivered": COUNT,
                        "share": {"type": "number", "description": "delivered events among those that match"},
                        "entropy": {"type": "number", "description": "output entropy in bits"},
                        "bytes": {"type": "number", "description": "sent per node and round, both ways"},
                    }
                )
            ),
            "deliveries": array_of(object_of({"event": _NAME, "subscriptions": array_of(_NAME), "round": COUNT})),
        }
    ),
    "EndedSessions": object_of({"ended": COUNT}),
    "Anything": OPEN,
    "Names": array_of(TEXT),
    "Subscriptions": array_of(reference("Subscription")),
    "Concepts": array_of(reference("Concept")),
    "Advertisements": array_of(reference("Advertisement")),
    "Tokens": array_of(reference("Token")),
}
"""All schemas by name, for `components.schemas`."""


def says(name: str | None, description: str, status: int = 200) -> dict[int | str, JsonObject]:
    """The `responses` of a route that returns this schema."""
    content = {} if name is None else {"content": {"application/json": {"schema": reference(name)}}}
    return {status: {"description": description, **content}}


def body(name: str, *also: str) -> JsonObject:
    """The `openapi_extra` of a route that takes this schema. `also` lists further content types."""
    content = {"application/json": {"schema": reference(name)}}
    return {"requestBody": {"required": True, "content": content | {kind: {"schema": TEXT} for kind in also}}}


PROBLEMS: dict[int | str, JsonObject] = {
    status: {"description": description, "content": {"application/problem+json": {"schema": reference("Problem")}}}
    for status, description in (
        (401, "The token is missing, unknown, revoked or expired"),
        (403, "The token does not permit this"),
        (404, "Not found"),
        (409, "In conflict with the present data"),
        (412, "Changed in the meantime (If-Match, If-None-Match)"),
        (413, "Too large"),
        (415, "The content type is not supported"),
        (422, "The request is not valid"),
        (429, "Above a rate limit"),
        (503, "The store is not available at the moment"),
    )
}
"""The error responses that every route may return."""
