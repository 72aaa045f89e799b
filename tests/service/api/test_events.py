import json
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rankcast.service import Service

FILM = {"id": "e1", "time": "2004-01-01", "attributes": {"genre": "drama"}}


def offsets(client: TestClient) -> int:
    service: Service = client.app.state.service
    return service.store.last_offset()


def test_one_event_is_published_once(client: TestClient) -> None:
    first, again = client.post("/v1/events", json=FILM), client.post("/v1/events", json=FILM)
    assert (first.status_code, first.json()) == (201, {"id": "e1", "offset": 1, "duplicate": False})
    assert (again.status_code, again.json()["duplicate"]) == (200, True)
    assert client.get("/v1/events/e1").json() == {**FILM, "time": "2004-01-01T00:00:00Z", "seq": 1}


def test_an_id_that_is_taken_by_something_else_is_a_conflict(client: TestClient) -> None:
    client.post("/v1/events", json=FILM)
    answer = client.post("/v1/events", json={**FILM, "attributes": {"genre": "comedy"}})
    assert answer.status_code == 409
    assert "with other content" in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["application/json", "application/x-ndjson", "application/jsonl; charset=utf-8"])
def test_of_several_the_good_go_on(client: TestClient, kind: str) -> None:
    events: list[Any] = [FILM, {"id": "bad"}, {**FILM, "id": "e2"}, 7]
    array = json.dumps(events)
    lines = "\n".join(json.dumps(event) for event in events) + "\n\n"
    answer = client.post(
        "/v1/events", content=array if kind == "application/json" else lines, headers={"Content-Type": kind}
    )
    assert answer.status_code == 200
    assert [one["id"] for one in answer.json()["published"]] == ["e1", "e2"]
    assert [one["index"] for one in answer.json()["rejected"]] == [1, 3]
    service: Service = client.app.state.service
    assert [(one.line, one.raw) for one in service.store.rejects()] == [(2, '{"id": "bad"}'), (4, "7")]


def test_the_same_key_does_the_same_once(client: TestClient) -> None:
    events = [{"attributes": {"n": 1}}, {"attributes": {"n": 2}}]  # neither id nor time: the key gives both
    headers = {"Idempotency-Key": "k1"}
    first = client.post("/v1/events", json=events, headers=headers)
    again = client.post("/v1/events", json=events, headers=headers)
    assert first.content == again.content
    assert again.headers["Idempotency-Replayed"] == "true"
    assert offsets(client) == 2


def test_a_request_that_died_before_its_answer_is_done_once_all_the_same(client: TestClient) -> None:
    service: Service = client.app.state.service
    keep = service.answers.keep
    headers = {"Idempotency-Key": "k1"}

    def die(*given: object) -> None:
        raise OSError("power cut")

    service.answers.keep = die
    assert client.post("/v1/events", json={"attributes": {}}, headers=headers).status_code == 500
    service.answers.keep = keep
    again = client.post("/v1/events", json={"attributes": {}}, headers=headers)
    assert again.json()["duplicate"] is True
    assert offsets(client) == 1


def test_a_key_is_for_one_request(client: TestClient) -> None:
    client.post("/v1/events", json=FILM, headers={"Idempotency-Key": "k1"})
    answer = client.post("/v1/events", json={**FILM, "id": "e2"}, headers={"Idempotency-Key": "k1"})
    assert answer.status_code == 409
    assert offsets(client) == 1


def test_a_publisher_publishes_as_themselves(guarded: TestClient, sign: Any) -> None:
    shop = sign("publisher", "shop")
    assert guarded.post("/v1/events", json=FILM, headers=shop).status_code == 201
    assert guarded.get("/v1/events/e1", headers=shop).json()["source"] == "shop"
    answer = guarded.post("/v1/events", json={**FILM, "id": "e2", "source": "imdb"}, headers=shop)
    assert answer.status_code == 422
    assert "publishes as 'shop'" in answer.json()["detail"]
    assert guarded.get("/v1/events/e1", headers=sign("publisher", "other")).status_code == 404


def test_a_publisher_uses_their_own_advertisements(guarded: TestClient, sign: Any) -> None:
    shop, other = sign("publisher", "shop"), sign("publisher", "other")
    assert guarded.put("/v1/advertisements/a1", json={"where": "true", "k": 1}, headers=shop).status_code == 201
    event = {**FILM, "advertisement": "a1"}
    assert "no advertisement 'a1' of yours" in guarded.post("/v1/events", json=event, headers=other).json()["detail"]
    assert guarded.post("/v1/events", json=event, headers=shop).status_code == 201


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/json", 422),
        (b"[" * 100_000, "application/json", 422),
        (b"[{]", "application/json", 422),
        (b'{"id": "e1", "id": "e2", "attributes": {}}', "application/json", 422),
        (b"\xff", "application/json", 422),
        (b"<event/>", "application/xml", 415),
    ],
)
def test_what_is_not_an_event_is_refused(client: TestClient, content: bytes, kind: str, status: int) -> None:
    answer = client.post("/v1/events", content=content, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert offsets(client) == 0


def test_an_event_of_the_far_future_is_refused_with_its_place_and_reason(client: TestClient) -> None:
    service: Service = client.app.state.service
    now = service.store.database.clock()
    soon = {**FILM, "id": "soon", "time": (now + timedelta(minutes=59)).isoformat()}
    later = {**FILM, "id": "later", "time": (now + timedelta(minutes=62)).isoformat()}
    one = client.post("/v1/events", json={**FILM, "time": "9999-12-31"})
    assert one.status_code == 422
    assert "time 9999-12-31T00:00:00Z" in one.json()["detail"]
    assert "at most 1h is allowed (--max-ahead)" in one.json()["detail"]
    several = client.post("/v1/events", json=[FILM, later, soon]).json()
    assert [event["id"] for event in several["published"]] == ["e1", "soon"]
    assert [event["index"] for event in several["rejected"]] == [1]
    assert "1h1m" in several["rejected"][0]["detail"]
    assert [reject.line for reject in service.store.rejects()] == [2]


def test_an_event_may_not_be_too_large(client: TestClient) -> None:
    large = {**FILM, "id": "large", "attributes": {"text": "x" * 262_144}}
    one = client.post("/v1/events", json=large)
    assert one.status_code == 413
    assert "at most 262,144 are allowed" in one.json()["detail"]
    several = client.post("/v1/events", json=[FILM, large, {**FILM, "id": "e2"}]).json()
    assert [event["id"] for event in several["published"]] == ["e1", "e2"]
    assert "at most 262,144" in several["rejected"][0]["detail"]
    service: Service = client.app.state.service
    (reject,) = service.store.rejects()
    assert len(reject.raw) < 11_000


def test_of_many_large_events_each_has_its_place(client: TestClient) -> None:
    events = [{"id": f"e{n}", "attributes": {"text": "x" * 50_000}} if n % 3 else {"id": n} for n in range(12)]
    answer = client.post("/v1/events", json=events).json()
    assert [event["id"] for event in answer["published"]] == [f"e{n}" for n in range(12) if n % 3]
    assert [event["index"] for event in answer["rejected"]] == [0, 3, 6, 9]
