"""Trials over HTTP: bounded in time, in bytes and in number, and never on the event loop."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Thread

import httpx
import pytest
from fastapi.testclient import TestClient

from rankcast.language import parse
from rankcast.model import EPOCH, Event, Length, Mode, Policy, Select, Subscription
from rankcast.service import Limits, ServiceSettings, create_app
from rankcast.service.running import listening
from rankcast.service.trial_tasks import recent_events

SLOW = {"mode": "sliding", "k": 200, "length": 1000, "sigma": 0.5, "select": "improved"}


def _events(count, size=10):
    return [Event(f"e{n}", EPOCH, {"x": (n,), "text": ("a" * size,)}) for n in range(count)]


@pytest.fixture
def settings(settings):
    return replace(settings, pipeline=False)


def test_trials_give_what_they_gave(client):
    service = client.app.state.service
    service.publish(_events(20))
    client.put("/v1/users/ann/subscriptions/s1", json={"where": "x >= 5"})
    made = client.post("/v1/users/ann/trials/expression", json={"where": "x >= 15", "show": 2}).json()
    assert (made["count"], made["of"], [one["id"] for one in made["matched"]]) == (5, 20, ["e19", "e18"])
    made = client.post(
        "/v1/users/ann/trials/policy", json={"policy": {"mode": "periodic", "k": 1, "length": 10}}
    ).json()
    assert (made["of"], len(made["deliveries"])) == (20, 2)
    measured = client.get("/v1/users/ann/stats").json()
    assert measured["funnel"]["matched"] == 15
    assert (measured["even"]["matched"], measured["even"]["rate"]) == (15, 1.0)
    assert client.post("/v1/users/ann/trials/expression", json={"where": "x is nice"}).status_code == 409
    service.publish([Event("last", EPOCH, {"x": (99,)})])
    told = client.get("/v1/users/ann/explanations/last").json()
    assert told["subscriptions"][0]["matches"]


def test_history_has_a_budget_in_bytes(service):
    service.publish(_events(50, size=1_000))
    assert len(recent_events(service.store, 50, 10_000_000)) == 50
    assert len(recent_events(service.store, 10, 10_000_000)) == 10
    few = recent_events(service.store, 50, 10_000)
    assert 5 <= len(few) < 10
    assert few[-1].id == "e49"


def test_a_trial_reads_no_more_than_that_budget(settings):
    with TestClient(
        create_app(replace(settings, limits=Limits(history_bytes=10_000))), base_url="http://localhost"
    ) as few:
        few.app.state.service.publish(_events(50, size=1_000))
        assert 5 <= few.post("/v1/users/ann/trials/expression", json={"where": "true"}).json()["of"] < 10


def test_a_policy_that_costs_too_much_is_refused_at_every_door(client):
    for refused in (
        client.put("/v1/users/ann/policy", json=SLOW),
        client.post("/v1/users/ann/trials/policy", json={"policy": SLOW}),
    ):
        assert refused.status_code == 422
        assert "the limit is 5,000 µs" in refused.json()["detail"]


def test_all_subscriptions_of_a_user_together_are_bounded(settings):
    limited = replace(settings, limits=Limits(predicates=5, predicates_of_one=10))
    with TestClient(create_app(limited), base_url="http://localhost") as client:
        wide = " and ".join(f"a{n} = 1" for n in range(4))
        assert [
            client.put(f"/v1/users/ann/subscriptions/s{n}", json={"where": wide}).status_code for n in range(3)
        ] == [
            201,
            201,
            422,
        ]


def test_a_trial_is_ended_after_its_time_and_nobody_waits_for_it_meanwhile(tmp_path):
    """While trials run at all limits, the service answers within 100 ms; then they are ended."""
    limits = Limits(policy_cost=1e12, trial_seconds=1.5, trials=2, trials_of_one=20)  # waits for 30 s
    settings = ServiceSettings(
        str(tmp_path / "store.db"), port=0, dev=True, page=False, pipeline=False, limits=limits, poll=0.05
    )
    with listening(settings) as (address, service):
        service.publish(_events(3_000))
        httpx.put(f"{address}/v1/users/ann/subscriptions/s1", json={"where": "x >= 0"})
        statuses = []

        def work(user):
            httpx.put(f"{address}/v1/users/{user}/subscriptions/{user}", json={"where": "x >= 0"})
            policy = {"mode": "sliding", "k": 25, "length": 3_000, "select": "exact", "sigma": 0.5}
            body = {"policy": policy, "limit": 3_000}
            answered = httpx.post(f"{address}/v1/users/{user}/trials/policy", json=body, timeout=30)
            statuses.append((answered.status_code, answered.json()["type"].rsplit(":", 1)[1]))

        threads = [Thread(target=work, args=[user]) for user in ("ann", "bob", "cid")]
        for thread in threads:
            thread.start()
        waits = []
        with httpx.Client() as client:
            while any(thread.is_alive() for thread in threads):
                start = time.monotonic()
                assert client.get(f"{address}/v1/health/live").status_code == 200
                waits.append(time.monotonic() - start)
                time.sleep(0.02)
        assert statuses == [(504, "trial-time")] * 3
        assert sorted(waits)[int(0.9 * len(waits))] < 0.1
        start = time.monotonic()
    assert time.monotonic() - start < 5


def test_an_explanation_is_ended_after_its_time_and_others_are_answered_meanwhile(tmp_path):
    limits = Limits(policy_cost=1e12, trial_seconds=1.5, trials=2, trials_of_one=20)  # waits for 30 s
    settings = ServiceSettings(str(tmp_path / "store.db"), port=0, dev=True, page=False, pipeline=False, limits=limits)
    with listening(settings) as (address, service), ThreadPoolExecutor(1) as asking, httpx.Client(timeout=60) as client:
        for user in ("ann", "bob"):
            service.put(Subscription(user, user, parse("x >= 0")))
        service.put(Policy("ann", mode=Mode.SLIDING, k=25, length=Length(3_000), select=Select.EXACT, sigma=0.5))
        service.publish(_events(3_000))

        def explain(user):
            return client.get(f"{address}/v1/users/{user}/explanations/e2999")

        asked = asking.submit(explain, "ann")
        answered = [explain("bob").status_code]
        while not asked.done():
            answered.append(explain("bob").status_code)
        assert set(answered) == {200}
        problem = asked.result().json()
        assert (asked.result().status_code, problem["type"].rsplit(":", 1)[1]) == (504, "trial-time")
        assert "was ended after 1.5 s" in problem["detail"]
        assert service.trials.killed == 1
        assert explain("bob").status_code == 200


def test_a_trial_ends_with_its_client(tmp_path):
    limits = Limits(policy_cost=1e12, trial_seconds=60)
    settings = ServiceSettings(str(tmp_path / "store.db"), port=0, dev=True, page=False, pipeline=False, limits=limits)
    with listening(settings) as (address, service):
        service.publish(_events(2_000))
        httpx.put(f"{address}/v1/users/ann/subscriptions/s1", json={"where": "x >= 0"})
        body = {"policy": {"mode": "sliding", "k": 25, "length": 3_000, "select": "exact", "sigma": 0.5}}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{address}/v1/users/ann/trials/policy", content=json.dumps(body), timeout=1.5)
        until = time.monotonic() + 5
        while service.trials.killed == 0 and time.monotonic() < until:
            time.sleep(0.05)
        assert service.trials.killed == 1
