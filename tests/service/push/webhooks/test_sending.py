"""What a receiver gets, by the Standard Webhooks specification: signed, in order, under stable ids."""

import base64
import hashlib
import hmac

import msgspec
import pytest
from webhook_states import counts, state

from rankcast.store import MessageLog


def signature(secret: str, request) -> str:
    """Computed here anew, from the words of the specification."""
    signed = f"{request.id}.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(secret.split("_", 1)[1])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_deliveries_are_posted_in_order_signed_and_once(webhooks, receiver, publish, run, clock):
    _, secret = webhooks.endpoints.add("ann", receiver.url)
    publish(3)
    run()
    run()
    assert receiver.events == ["e1", "e2", "e3"]
    for request in receiver.requests:
        assert request.path == "/hook?key=1"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["webhook-timestamp"] == str(int(clock().timestamp()))
        assert request.headers["webhook-signature"] == signature(secret, request)
        assert "." not in request.id
    assert len({request.id for request in receiver.requests}) == 3


def test_the_body_says_what_was_delivered(webhooks, receiver, publish, run):
    webhooks.endpoints.add("ann", receiver.url)
    publish(title="Big Fish")
    run()
    assert msgspec.json.decode(receiver.requests[0].body) == {
        "type": "delivery.sent",
        "timestamp": "2026-05-04T12:00:00Z",
        "data": {
            "number": 1,
            "user": "ann",
            "event": "e1",
            "seq": 1,
            "rank": 1.0,
            "subscriptions": ["ann-all"],
            "published": "2026-05-04T12:00:00Z",
            "forwarded": "2026-05-04T12:00:00Z",
            "window": 1,
            "content": {"id": "e1", "time": "2026-05-04T12:00:00Z", "attributes": {"title": "Big Fish"}},
        },
    }


def test_a_large_event_is_named_and_not_sent(webhooks, receiver, publish, run):
    webhooks.endpoints.add("ann", receiver.url)
    publish(text="x" * 20_000)
    run()
    assert receiver.requests[0].data["event"] == "e1"
    assert receiver.requests[0].data["content"] is None
    assert len(receiver.requests[0].body) < 1000


def test_a_new_endpoint_begins_with_what_comes_next(webhooks, receiver, publish, run):
    publish(2)
    webhooks.endpoints.add("ann", receiver.url)
    publish()
    run()
    assert receiver.events == ["e3"]


def test_only_the_user_s_own_deliveries_are_sent(webhooks, receiver, other_receiver, publish, run):
    webhooks.endpoints.add("ann", receiver.url)
    webhooks.endpoints.add("bob", other_receiver.url)
    publish(2)
    run()
    assert [request.data["user"] for request in receiver.requests] == ["ann", "ann"]
    assert [request.data["user"] for request in other_receiver.requests] == ["bob", "bob"]


def test_several_endpoints_of_a_user_each_get_everything(webhooks, receiver, other_receiver, publish, run):
    webhooks.endpoints.add("ann", receiver.url)
    webhooks.endpoints.add("ann", other_receiver.url)
    publish(2)
    run()
    assert receiver.events == other_receiver.events == ["e1", "e2"]


@pytest.mark.parametrize("status", [200, 204, 299])
def test_any_2xx_is_success(webhooks, receiver, behaviours, publish, run, store, status):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(status, body=b"thanks" if status == 200 else b""))
    publish()
    run()
    assert state(webhooks).accepted == 1
    assert counts(store) == (0, 0, 0)


@pytest.mark.parametrize("behaviour", ["endless_body", "truncated_body"])
def test_the_status_counts_whatever_becomes_of_the_body(webhooks, receiver, behaviours, publish, run, behaviour):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(getattr(behaviours, behaviour))
    publish(2)
    run()
    assert receiver.events == ["e1", "e2"]
    assert state(webhooks).accepted == 2


def test_during_rotation_both_secrets_sign_then_only_the_new(webhooks, receiver, publish, run, clock):
    webhook, old = webhooks.endpoints.add("ann", receiver.url)
    _, new = webhooks.endpoints.rotate("ann", webhook.id)
    publish()
    run()
    clock.advance(hours=24)
    publish()
    run()
    during, after = receiver.requests
    assert during.headers["webhook-signature"].split(" ") == [signature(new, during), signature(old, during)]
    assert after.headers["webhook-signature"] == signature(new, after)


def test_if_the_note_of_a_success_is_lost_the_message_comes_again_under_its_id(
    webhooks, receiver, publish, run, monkeypatch, store
):
    webhooks.endpoints.add("ann", receiver.url)
    publish(2)

    class Crash(BaseException):
        pass

    def crash(*args):
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(MessageLog, "accepted", crash)
        with pytest.raises(Crash):
            run()
    run()
    assert receiver.events == ["e1", "e2", "e1", "e2"]
    assert [request.id for request in receiver.requests[:2]] == [request.id for request in receiver.requests[2:]]


def test_an_endpoint_that_was_removed_meanwhile_is_sent_nothing_more(
    webhooks, receiver, behaviours, publish, run, clock
):
    webhook, _ = webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(500))
    publish(2)
    run()
    webhooks.endpoints.remove("ann", webhook.id)
    clock.advance(days=1)
    run()
    assert receiver.events == ["e1"]
