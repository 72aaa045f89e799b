"""Two services over one store: conditions, ownership and counts hold for both together."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rankcast.service import Limits, ServiceSettings, create_app

ROUNDS = 6
MOST = 3


@pytest.fixture(params=["sqlite", "postgresql"])
def pair(request, tmp_path) -> Iterator[list[TestClient]]:
    """Clients of two services that share a store and nothing else."""

    def clients(place: str) -> list[TestClient]:
        limits = Limits(subscriptions=MOST, concepts=MOST, advertisements=MOST)
        settings = ServiceSettings(
            store=place, dev=True, page=False, pipeline=False, private_webhooks=True, limits=limits
        )
        return [TestClient(create_app(settings), base_url="http://localhost") for _ in range(2)]

    if request.param == "sqlite":
        made = clients(str(tmp_path / "store.db"))
        with made[0], made[1]:
            yield made
        return
    with request.getfixturevalue("postgresql").place() as url:
        made = clients(url)
        with made[0], made[1]:
            yield made


def race(pair: list[TestClient], ask: Callable[[TestClient, int], Any], runners: int = 4) -> Counter[int]:
    """Ask both services at the same moment; how often each status was the answer."""
    ready = Barrier(runners)

    def run(number: int) -> int:
        ready.wait()
        return int(ask(pair[number % 2], number).status_code)

    with ThreadPoolExecutor(runners) as pool:
        return Counter(pool.map(run, range(runners)))


@pytest.mark.slow
def test_one_makes_it(pair) -> None:
    for number in range(ROUNDS):
        path = f"/v1/users/u{number}/policy"
        found = race(pair, lambda to, at, path=path: to.put(path, json={"mode": "all"}, headers={"If-None-Match": "*"}))
        assert found == {201: 1, 412: 3}


@pytest.mark.slow
def test_one_changes_what_both_have_read(pair) -> None:
    path = "/v1/users/ann/policy"
    tag = pair[0].put(path, json={"mode": "sliding", "k": 1, "length": 2}).headers["etag"]
    for number in range(2, 2 + ROUNDS):
        bodies = [{"mode": "sliding", "k": number * 10 + at, "length": 2} for at in range(4)]
        found = race(
            pair, lambda to, at, tag=tag, bodies=bodies: to.put(path, json=bodies[at], headers={"If-Match": tag})
        )
        assert found == {200: 1, 412: 3}
        tag = pair[0].get(path).headers["etag"]


@pytest.mark.slow
def test_an_id_is_one_user_s(pair) -> None:
    for number in range(ROUNDS):
        found = race(
            pair, lambda to, at, n=number: to.put(f"/v1/users/u{n}-{at}/subscriptions/s{n}", json={"where": "true"})
        )
        assert found == {201: 1, 409: 3}


@pytest.mark.slow
def test_counts_hold_for_both_together(pair) -> None:
    shape = {"trapezoid": [0, 0, 1, 2]}
    advertised = {"publisher": "p", "where": "true", "k": 1}
    webhook = {"url": "http://127.0.0.1:9/", "description": ""}
    found = race(pair, lambda to, at: to.post("/v1/users/u/subscriptions", json={"where": f"n = {at}"}), 8)
    assert found == {201: MOST, 422: 8 - MOST}
    found = race(pair, lambda to, at: to.put(f"/v1/users/u/concepts/n/c{at}", json=shape), 8)
    assert found == {201: MOST, 422: 8 - MOST}
    assert pair[0].put("/v1/concepts/n/shared", json=shape).status_code == 201
    found = race(pair, lambda to, at: to.put(f"/v1/advertisements/a{at}", json=advertised), 8)
    assert found == {201: MOST, 422: 8 - MOST}
    found = race(pair, lambda to, at: to.post("/v1/users/u/webhooks", json=webhook), 24)
    assert found == {201: 20, 422: 4}
