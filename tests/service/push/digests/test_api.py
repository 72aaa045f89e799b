"""The routes of quiet hours and digests."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from rankcast.pipeline.local import serve_pending
from rankcast.service import ServiceSettings, create_app

ANN = "/v1/users/ann"
NIGHT = {"from": "22:00", "to": "07:00", "zone": "Europe/Berlin"}
MORNINGS = {"days": "weekdays", "at": "08:00", "zone": "Europe/Berlin"}


class Clock:
    now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A service whose threads do not run and whose clock stands still."""
    app = create_app(ServiceSettings(store=str(tmp_path / "api.db"), dev=True, page=False))
    service = app.state.service
    service.store.database.clock = Clock()
    made = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    made.put(f"{ANN}/subscriptions/s1", json={"where": "genre = 'drama'"})
    made.put(f"{ANN}/policy", json={"mode": "periodic", "k": 1, "length": 3})
    yield made
    service.stop()


@pytest.fixture
def digested(client) -> TestClient:
    """With a digest of three events, of which one was sent."""
    client.put(f"{ANN}/digest-schedule", json=MORNINGS)
    for name in ("e1", "e2", "e3"):
        client.post("/v1/events", json={"id": name, "attributes": {"genre": "drama", "title": f"Film {name}"}})
    service = client.app.state.service
    list(serve_pending(service.store))
    service.store.database.clock.now += timedelta(days=1)
    assert service.digests.round() == [1]
    return client


def test_quiet_hours(client):
    assert client.get(f"{ANN}/quiet-hours").status_code == 404
    made = client.put(f"{ANN}/quiet-hours", json=NIGHT)
    assert made.json() == {**NIGHT, "quiet_until": None}
    client.app.state.service.store.database.clock.now += timedelta(hours=9)
    assert client.get(f"{ANN}/quiet-hours").json()["quiet_until"] == "2026-05-05T05:00:00Z"
    assert client.get(f"{ANN}/held").json() == {
        "held": True,
        "because": "quiet hours",
        "after": 0,
        "until": "2026-05-05T05:00:00Z",
    }
    assert client.delete(f"{ANN}/quiet-hours").status_code == 204
    assert client.delete(f"{ANN}/quiet-hours").status_code == 404
    assert client.get(f"{ANN}/held").json() == {"held": False, "because": None, "after": None, "until": None}


def test_a_schedule(client):
    assert client.get(f"{ANN}/digest-schedule").status_code == 404
    made = client.put(f"{ANN}/digest-schedule", json=MORNINGS)
    assert made.json() == {**MORNINGS, "next": "2026-05-05T06:00:00Z"}
    assert client.get(f"{ANN}/digest-schedule").json() == made.json()
    assert client.delete(f"{ANN}/digest-schedule").status_code == 204
    assert client.delete(f"{ANN}/digest-schedule").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("quiet-hours", {"from": "22:00", "to": "07:00"}, "needs the field 'zone'"),
        ("quiet-hours", {**NIGHT, "from": 22}, "'from' must be a string"),
        ("quiet-hours", {**NIGHT, "from": "22h"}, "not a time of day"),
        ("quiet-hours", {**NIGHT, "zone": "Berlin"}, "did you mean 'Europe/Berlin'"),
        ("quiet-hours", {**NIGHT, "to": "22:00"}, "end when they begin"),
        ("quiet-hours", {**NIGHT, "days": "daily"}, "no field 'days'"),
        ("digest-schedule", {**MORNINGS, "days": 5}, "'days' must be"),
        ("digest-schedule", {**MORNINGS, "days": ["monday", 5]}, "'days' must be"),
        ("digest-schedule", {**MORNINGS, "days": "mondays"}, "did you mean 'monday'"),
        ("digest-schedule", {**MORNINGS, "days": []}, "at least one day"),
    ],
)
def test_what_is_wrong_is_said(client, path, body, said):
    answer = client.put(f"{ANN}/{path}", json=body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_a_digest_in_its_forms(digested):
    (line,) = digested.get(f"{ANN}/digests").json()["digests"]
    assert (line["number"], line["published"], line["matched"], line["delivered"], line["left_out"]) == (1, 3, 3, 1, 2)
    digest = digested.get(f"{ANN}/digests/1").json()
    best = [
        {"event": name, "rank": 1.0, "reason": "below", "detail": "rank 1; chosen: e3 (1)"} for name in ("e2", "e1")
    ]
    assert digest["left_out"] == {"count": 2, "listed": 2, "reasons": {"below": 2}, "best": best}
    assert digest["items"][0]["content"]["attributes"]["title"] == "Film e3"
    text = digested.get(f"{ANN}/digests/1", params={"format": "text"})
    assert text.headers["content-type"].startswith("text/plain")
    assert "* Film e3" in text.text
    page = digested.get(f"{ANN}/digests/1", params={"format": "html"})
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<strong>Film e3</strong>" in page.text


def test_a_digest_before_its_time(digested):
    made = digested.post(f"{ANN}/digests")
    assert made.status_code == 201
    assert (made.json()["number"], made.json()["published"]) == (2, 0)
    assert made.json()["due"] == made.json()["made"] == "2026-05-05T12:00:00Z"
    assert digested.get(f"{ANN}/digest-schedule").json()["next"] == "2026-05-06T06:00:00Z"
    assert digested.post("/v1/users/bob/digests").status_code == 404


def test_what_was_left_out_page_by_page(digested):
    first = digested.get(f"{ANN}/digests/1/left-out", params={"limit": 1}).json()
    second = digested.get(f"{ANN}/digests/1/left-out", params={"limit": 1, "cursor": first["next"]}).json()
    assert second["next"] is None
    (newer,), (older,) = first["left_out"], second["left_out"]
    assert (newer["event"], older["event"]) == ("e2", "e1")
    assert newer["label"] == "ranked below those chosen"
    assert newer["detail"] == "rank 1; chosen: e3 (1)"
    assert newer["content"]["attributes"]["title"] == "Film e2"
    assert digested.get(f"{ANN}/digests/1/left-out", params={"reason": "similar"}).json()["left_out"] == []


@pytest.mark.parametrize("path", ["digests/2", "digests/2/left-out"])
def test_a_digest_that_is_not_there_or_another_s(digested, path):
    assert digested.get(f"{ANN}/{path}").status_code == 404
    assert digested.get(f"/v1/users/bob/{path.replace('2', '1')}").status_code == 404


@pytest.mark.parametrize("path", ["digests/0", "digests/x", "digests/99999999999999999999", "digests/1?format=pdf"])
def test_parameters_that_make_no_sense(digested, path):
    assert digested.get(f"{ANN}/{path}").status_code == 422
