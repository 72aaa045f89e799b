"""The routes of webhooks, over a service that sends for real."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from rankcast.service import ServiceSettings, create_app

HOOKS = "/v1/users/ann/webhooks"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    settings = ServiceSettings(store=str(tmp_path / "api.db"), dev=True, page=False, poll=0.05, private_webhooks=True)
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as made:
        made.put("/v1/users/ann/subscriptions/s1", json={"where": "genre = 'drama'"})
        yield made


def eventually(client, wanted) -> dict:
    """The only webhook, once it is as wanted."""
    for _ in range(500):
        (webhook,) = client.get(HOOKS).json()
        if wanted(webhook):
            return webhook
        time.sleep(0.02)
    raise AssertionError(webhook)


def publish(client, name: str) -> None:
    assert client.post("/v1/events", json={"id": name, "attributes": {"genre": "drama"}}).status_code == 201


def test_from_making_a_webhook_to_what_it_got(client, receiver):
    made = client.post(HOOKS, json={"url": receiver.url, "description": "kitchen"})
    assert made.status_code == 201, made.text
    webhook = made.json()
    assert webhook["secret"].startswith("whsec_")
    publish(client, "e1")
    webhook = eventually(client, lambda webhook: webhook["accepted"] == 1)
    assert receiver.events == ["e1"]
    assert "secret" not in webhook
    assert (webhook["waiting"], webhook["retrying"], webhook["dead"], webhook["active"]) == (0, 0, 0, True)
    assert client.get(f"{HOOKS}/{webhook['id']}").json() == webhook
    assert client.delete(f"{HOOKS}/{webhook['id']}").status_code == 204
    assert client.get(HOOKS).json() == []


def test_trying_rotating_disabling_enabling(client, receiver, behaviours):
    webhook = client.post(HOOKS, json={"url": receiver.url}).json()
    at = f"{HOOKS}/{webhook['id']}"
    receiver.script.append(behaviours.answer(500))
    assert client.post(f"{at}/test").json() == {"accepted": False, "status": 500, "reason": "answered 500"}
    rotated = client.post(f"{at}/secret").json()
    assert rotated["secret"] not in ("", webhook["secret"])
    assert rotated["secret_rotates_until"] is not None
    changed = client.patch(at, json={"active": False, "description": "attic", "types": ["delivery.sent"]}).json()
    assert (changed["active"], changed["disabled_because"]) == (False, "disabled by the user")
    assert (changed["description"], changed["types"], changed["url"]) == ("attic", ["delivery.sent"], receiver.url)
    publish(client, "e1")
    client.patch(at, json={"active": True, "types": None})
    enabled = eventually(client, lambda webhook: webhook["accepted"] == 1)
    assert (enabled["active"], enabled["disabled_because"], enabled["types"]) == (True, None, None)


def test_dead_letters_by_page_and_replayed(client, receiver):
    webhook = client.post(HOOKS, json={"url": receiver.url}).json()
    service = client.app.state.service
    for number in (1, 2, 3):
        _die(service, webhook["id"], number)
    at = f"{HOOKS}/{webhook['id']}/dead"
    first = client.get(at, params={"limit": 2}).json()
    second = client.get(at, params={"limit": 2, "cursor": first["next"]}).json()
    assert [letter["number"] for letter in first["dead"] + second["dead"]] == [1, 2, 3]
    assert second["next"] is None
    assert first["dead"][0]["reason"] == "answered 500"
    for name in ("e1", "e2", "e3"):
        publish(client, name)
    named = {"messages": [{"type": "delivery.sent", "number": 2}]}
    assert client.post(f"{at}/replay", json=named).json() == {"replayed": 1}
    assert client.post(f"{at}/replay").json() == {"replayed": 2}
    assert client.post(f"{at}/replay", json={}).json() == {"replayed": 0}


def _die(service, webhook: str, number: int) -> None:
    from rankcast.store.push.webhook_log import DELIVERY
    from rankcast.store.push.webhook_messages import Failure, MessageKey, MessageLog

    now = service.store.database.clock()
    failure = Failure("answered 500", None, now)
    MessageLog(service.store.database).failed(webhook, MessageKey(DELIVERY, number), 8, failure, now)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "needs the field 'url'"),
        ({"url": 5}, "'url' must be a string"),
        ({"url": "nonsense"}, "is not a URL such as"),
        ({"url": "https://example.org", "types": "all"}, "'types' must be a list"),
        ({"url": "https://example.org", "types": ["digest.read"]}, "did you mean 'digest.ready'"),
        ({"url": "https://example.org", "colour": "red"}, "no field 'colour'"),
    ],
)
def test_what_is_wrong_is_said(client, body, said):
    answer = client.post(HOOKS, json=body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/secret"),
        ("POST", "/test"),
        ("GET", "/dead"),
        ("POST", "/dead/replay"),
    ],
)
def test_another_user_s_webhook_is_not_there(client, receiver, method, path):
    webhook = client.post("/v1/users/bob/webhooks", json={"url": receiver.url}).json()
    answer = client.request(method, f"{HOOKS}/{webhook['id']}{path}", json={} if method != "GET" else None)
    assert answer.status_code == 404
    assert receiver.requests == []
    assert client.get(f"/v1/users/bob/webhooks/{webhook['id']}").status_code == 200


@pytest.mark.parametrize(
    "messages", [5, [5], [{"type": "x", "number": 1}], [{"type": "delivery.sent", "number": True}]]
)
def test_a_replay_of_nonsense_is_refused(client, receiver, messages):
    webhook = client.post(HOOKS, json={"url": receiver.url}).json()
    answer = client.post(f"{HOOKS}/{webhook['id']}/dead/replay", json={"messages": messages})
    assert answer.status_code == 422
