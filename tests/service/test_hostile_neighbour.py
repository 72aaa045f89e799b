"""A hostile neighbour: whatever one user and one publisher send, other users get exactly what they get without them.

The neighbour's tokens send random policies, concepts, subscriptions, advertisements and events at and around every declared
bound through the API. Then the store is served by each engine. `RANKCAST_HOSTILE=10000` sends that many instead of a few hundred.
"""

import os
import random
import shutil
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from edges import cases, inside, outside
from fastapi.testclient import TestClient
from pyspark.sql import SparkSession

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.model import Delivery
from rankcast.pipeline.local import LocalPipeline
from rankcast.service import Limits, ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.store import Store

MANY = int(os.environ.get("RANKCAST_HOSTILE", "600"))
QUIET = ("ann", "bob", "cat")
POLICIES = {
    "ann": {"mode": "periodic", "k": 2, "length": 7, "unit": "matched", "sigma": 0.5},
    "bob": {
        "mode": "sliding",
        "k": 3,
        "length": 10,
        "unit": "matched",
        "filter": {"novelty": "threshold", "rate": 0.5, "period": 20},
    },
    "cat": {"mode": "periodic", "k": 2, "length": "10s"},
}
EXPRESSIONS = (
    "true",
    "x > 0 or not (x > 0)",
    "genre exists",
    "x is odd [1e-300, 1]",
    "genre in ('drama', 'comedy') and x between -1e15 and 1e15",
    "title contains 'a' or title endswith 'e' or title startswith 'T'",
    "not (genre = 'drama' and (x = 1 or x = -1))",
)


def begin() -> datetime:
    """When the honest publisher begins: a little ahead of the clock, so that no event of the neighbour's is newer.

    Asked for anew by each pair of stores: a worker may make a second pair long after its first.
    """
    return datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=10)


@dataclass
class Token:
    """One who asks the service."""

    client: TestClient
    headers: dict[str, str]

    def send(self, method: str, path: str, body: Any = None) -> int:
        return self.client.request(method, path, json=body, headers=self.headers).status_code


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def served(place: Path) -> TestClient:
    limits = Limits(rate=1e6, burst=10**6, change_rate=1e6)
    return TestClient(
        create_app(ServiceSettings(store=str(place), page=False, pipeline=False, limits=limits)),
        base_url="http://rankcast.test",
        raise_server_exceptions=False,
    )


def token(client: TestClient, role: Role, name: str) -> Token:
    made, _ = client.app.state.service.access.create(role, name)
    return Token(client, {"Authorization": f"Bearer {made}"})


def settle(client: TestClient) -> Token:
    """Let the quiet users say what they want; the publisher whom they listen to."""
    for user in QUIET:
        own = token(client, Role.USER, user)
        for number, where in enumerate(("source_is = 'honest' and n > 3", "source_is = 'honest' and genre = 'drama'")):
            form = {"where": where, "score": 0.5 + number / 4}
            assert own.send("PUT", f"/v1/users/{user}/subscriptions/{user}-{number}", form) == 201
        assert own.send("PUT", f"/v1/users/{user}/policy", POLICIES[user]) in (200, 201)
    return token(client, Role.PUBLISHER, "news")


def honest(start: datetime, number: int) -> dict[str, Any]:
    genre = ("drama", "comedy", "war", "noir")[number * 7 % 4]
    attributes = {"source_is": "honest", "n": number % 9, "genre": genre, "title": f"T{number % 5}"}
    return {"id": f"h{number}", "time": (start + timedelta(seconds=number)).isoformat(), "attributes": attributes}


def hostile(rng: random.Random, number: int, forms: list[tuple[str, dict[str, Any]]]) -> tuple[str, str, str, Any]:
    """(who, method, path, body): one request of the neighbour's."""
    record, form = rng.choice(forms)
    name = quote(rng.choice(["s", "t", "ü" * 256, "a/b", "x" * 256]) + str(number % 50), safe="")
    match record:
        case "Subscription" | "Preference":
            where = rng.choice(EXPRESSIONS)
            return "user", "PUT", f"/v1/users/mallory/subscriptions/{name}", {**_without(form), "where": where}
        case "Concept":
            return "user", "PUT", "/v1/users/mallory/concepts/x/odd", _shape(rng)
        case "Advertisement":
            return (
                "publisher",
                "PUT",
                f"/v1/advertisements/{name}",
                {**_without(form), "where": rng.choice(EXPRESSIONS[:3])},
            )
        case "Event":
            return "publisher", "POST", "/v1/events", {**form, "id": f"m{number}"}
        case _:
            return "user", "PUT", "/v1/users/mallory/policy", _without(form)


def _without(form: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in form.items() if name not in ("kind", "id", "user", "publisher")}


def _shape(rng: random.Random) -> dict[str, Any]:
    edge = [0, 1e15, -1e15, 1.0000001e15, 5e-324, 1e-300, 1.7e308, 1]
    numbers = sorted(rng.choice(edge) for _ in range(4))
    return rng.choice(
        [
            {"trapezoid": numbers},
            {"triangle": numbers[:3]},
            {"between": numbers[:2]},
            {"gaussian": [numbers[0], abs(numbers[1])]},
            {"piecewise": [[x, 0.5] for x in numbers]},
            {"table": {str(x): 0.5 for x in numbers}},
            {"left_shoulder": numbers[:2]},
        ]
    )


def _events(start: datetime) -> list[dict[str, Any]]:
    """Events at and around the bounds of an event."""
    values: list[Any] = [
        0,
        -0.0,
        5e-324,
        1.7e308,
        -1.7e308,
        2**63 - 1,
        -(2**63),
        2**63,
        "a" * 65_536,
        "a" * 65_537,
        True,
    ]
    values += [
        [str(n) for n in range(10_000)],
        [str(n) for n in range(10_001)],
        {"between": [-1e15, 1e15]},
        {"is": "odd"},
    ]
    values += [{"gaussian": [0, 1e-300]}, {"trapezoid": [1e15] * 4}, {"time": "9999-12-31T23:59:59Z"}, "\0", "\ud7ff"]
    made = [{"attributes": {"x": value, "genre": "drama"}} for value in values]
    made += [{"attributes": {f"a{n}": n for n in range(count)}} for count in (0, 1_000, 1_001)]
    times = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", (start - timedelta(minutes=3)).isoformat()]
    made += [{"time": time, "attributes": {"x": 1, "title": "Te"}} for time in times]
    return [
        *made,
        {"advertisement": "s1", "k": 1, "attributes": {"x": 1}},
        {"attributes": {"x": 1}, "source": "s" * 256},
    ]


def _forms(start: datetime) -> list[tuple[str, dict[str, Any]]]:
    """Every kind of record with one field at or around a bound, and such events."""
    records = [(record.__name__, form) for values in (inside, outside) for record, _, form in cases(values)]
    return records + [("Event", form) for form in _events(start)] * (len(records) // 40 + 1)


@pytest.fixture(scope="module")
def answers(folder: Path) -> Counter[int]:
    """Two stores, `alone.db` without the neighbour and `beside.db` with; how the neighbour's requests were answered."""
    count, start = MANY // 6, begin()
    forms = _forms(start)
    with served(folder / "alone.db") as client:
        news = settle(client)
        for number in range(count):
            assert news.send("POST", "/v1/events", honest(start, number)) == 201
    rng, found = random.Random(15), Counter[int]()
    with served(folder / "beside.db") as client:
        news = settle(client)
        mallory = {"user": token(client, Role.USER, "mallory"), "publisher": token(client, Role.PUBLISHER, "spam")}
        mallory["user"].send("PUT", "/v1/users/mallory/concepts/x/odd", {"between": [-1, 1]})
        for number in range(MANY):
            who, method, path, body = hostile(rng, number, forms)
            found[mallory[who].send(method, path, body)] += 1
            if number % 6 == 0:
                assert news.send("POST", "/v1/events", honest(start, number // 6)) == 201
    return found


def test_the_neighbour_is_answered_and_never_breaks_the_service(answers: Counter[int]) -> None:
    assert not {status: count for status, count in answers.items() if status >= 500}
    assert answers[200] + answers[201] > MANY // 4, "too few of the neighbour's records were accepted to matter"
    assert answers[422] > MANY // 10, "too few were at the wrong side of a bound"


def quiet(store: Store) -> list[tuple[Any, ...]]:
    """What the quiet users got; positions apart, which count the neighbour's events too."""

    def key(one: Delivery) -> tuple[Any, ...]:
        return one.user, one.event, one.rank, one.subscriptions

    return [key(one) for user in QUIET for _, one in store.deliveries(user)]


@pytest.fixture(scope="module")
def expected(answers: Counter[int], folder: Path) -> list[tuple[Any, ...]]:
    with Store.open(str(folder / "alone.db")) as store:
        for _ in LocalPipeline(store, 1).serve(close=True):
            pass
        found = quiet(store)
    assert {one[0] for one in found} == set(QUIET)
    return found


@pytest.fixture
def beside(folder: Path, answers: Counter[int], tmp_path: Path) -> Path:
    place = tmp_path / "beside.db"
    shutil.copy(folder / "beside.db", place)
    return place


@pytest.mark.parametrize("kind", [Shard, BatchShard])
def test_in_process_the_others_get_what_they_get_without_the_neighbour(
    kind: Any, beside: Path, expected: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rankcast.pipeline.serving.shard_for", lambda events, catalog, serves, *_: kind(catalog, serves)
    )
    with Store.open(str(beside)) as store:
        for _ in LocalPipeline(store, 2).serve(close=True):
            pass
        assert store.progress().offset == store.last_offset()
        assert quiet(store) == expected


def test_on_spark_the_others_get_what_they_get_without_the_neighbour(
    spark: SparkSession, beside: Path, expected: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    from rankcast.pipeline.spark import serve_store

    query = serve_store(spark, str(beside), str(tmp_path / "checkpoint"), trigger=None, close=True)
    assert query.awaitTermination(300)
    with Store.open(str(beside)) as store:
        assert store.progress().offset == store.last_offset()
        assert sorted(quiet(store)) == sorted(expected)
