"""Subscriptions, events and a schedule that the tests of digests share."""

from rankcast.service.push.digests import Schedule

MORNINGS = Schedule.of_json({"days": "daily", "at": "08:00", "zone": "UTC"})
DRAMA = {"kind": "subscription", "id": "s1", "where": "genre = 'drama'", "score": 0.9}
COMEDY = {"kind": "subscription", "id": "s2", "where": "genre = 'comedy'", "score": 0.5}


def drama(**more: object) -> dict[str, object]:
    return {"genre": "drama", **more}


def comedy(**more: object) -> dict[str, object]:
    return {"genre": "comedy", **more}
