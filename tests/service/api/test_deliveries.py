"""Pages of deliveries have a budget in bytes."""

import time
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from rankcast.service import Limits, create_app


@pytest.fixture
def small(settings):
    """A client of a service whose pages have some 3 KB."""
    app = create_app(replace(settings, limits=Limits(page_bytes=3_000)))
    with TestClient(app, base_url="http://localhost") as made:
        yield made


def test_a_page_ends_before_it_is_too_large_and_the_next_goes_on(small):
    small.put("/v1/users/ann/subscriptions/s1", json={"where": "true"})
    small.post("/v1/events", json=[{"id": f"e{n}", "attributes": {"text": "x" * 1_000}} for n in range(7)])
    small.post("/v1/events", json={"id": "large", "attributes": {"text": "x" * 9_000}})
    while len(small.get("/v1/users/ann/deliveries").json()["deliveries"]) < 8:
        time.sleep(0.02)
    for order in ("oldest", "newest"):
        seen, sizes, cursor = [], [], None
        while True:
            given = {"include": "event", "order": order, **({"cursor": cursor} if cursor else {})}
            answer = small.get("/v1/users/ann/deliveries", params=given)
            seen += [one["event"] for one in answer.json()["deliveries"]]
            sizes.append(len(answer.content))
            cursor = answer.json()["next"]
            if cursor is None:
                break
        expected = [*(f"e{n}" for n in range(7)), "large"]
        assert seen == (expected if order == "oldest" else expected[::-1])
        assert len(sizes) == 5
        assert sorted(sizes)[-2] < 3_100  # but for the one that is too large alone


def test_so_do_pages_of_events(small):
    small.post("/v1/events", json=[{"id": f"e{n}", "attributes": {"text": "x" * 1_000}} for n in range(7)])
    for order in ("oldest", "newest"):
        seen, cursor = [], None
        while cursor is not None or not seen:
            given = {"order": order, **({"cursor": cursor} if cursor else {})}
            page = small.get("/v1/events", params=given).json()
            assert len(page["events"]) <= 2
            seen += [one["id"] for one in page["events"]]
            cursor = page["next"]
        expected = [f"e{n}" for n in range(7)]
        assert seen == (expected if order == "oldest" else expected[::-1])


def test_the_events_of_a_trial_have_the_same_budget(small):
    small.post("/v1/events", json=[{"id": f"e{n}", "attributes": {"text": "x" * 1_000}} for n in range(7)])
    tried = small.post("/v1/users/ann/trials/expression", json={"where": "true", "show": 100}).json()
    assert (tried["count"], len(tried["matched"])) == (7, 2)
