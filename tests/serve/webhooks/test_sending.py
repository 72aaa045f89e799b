"""What a receiver gets, by the Standard Webhooks specification, when it accepts, fails, hangs, redirects, is gone."""

import base64
import hashlib
import hmac
from datetime import timedelta

import msgspec
import pytest

from rankcast.serve.webhooks import Retrying
from rankcast.store import MessageLog


def state(webhooks, user="ann"):
    (webhook,) = webhooks.endpoints.of(user)
    return webhook


def counts(webhooks, store):
    return tuple(MessageLog(store.database).counts())


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
    assert counts(webhooks, store) == (0, 0, 0)


@pytest.mark.parametrize("status", [301, 307, 400, 404, 429, 500, 502, 503, 504])
def test_anything_else_is_a_failure_and_tried_again_under_the_same_id(
    webhooks, receiver, behaviours, publish, run, clock, store, status
):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(status, "Location: /elsewhere"))
    publish()
    run()
    assert counts(webhooks, store) == (0, 1, 0)
    assert f"answered {status}" in state(webhooks).last_failure
    run()
    assert len(receiver.requests) == 1  # not before it is due
    clock.advance(seconds=6)
    run()
    first, second = receiver.requests
    assert (first.id, first.body, first.path) == (second.id, second.body, second.path)
    assert int(second.headers["webhook-timestamp"]) == int(first.headers["webhook-timestamp"]) + 6
    assert counts(webhooks, store) == (0, 0, 0)
    assert state(webhooks).failures == 0


@pytest.mark.parametrize("behaviour", ["hang", "answer_late", "drip_headers", "hang_up", "speak_nonsense"])
def test_no_proper_answer_in_time_is_a_failure_and_tried_again(
    webhooks, receiver, behaviours, publish, run, clock, behaviour
):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(getattr(behaviours, behaviour))
    publish()
    for timeout in (1.0, 10.0, 60.0):
        run(timeout)
        assert state(webhooks).accepted == 0
        assert state(webhooks).failures > 0
        if receiver.requests:
            break
        clock.advance(hours=1)  # the machine was too busy for the request to get there in time
    receiver.released.set()
    clock.advance(hours=1)
    run()
    assert set(receiver.events) == {"e1"}
    assert len(receiver.events) >= 2
    assert len({request.id for request in receiver.requests}) == 1
    assert state(webhooks).accepted == 1


@pytest.mark.parametrize("behaviour", ["endless_body", "truncated_body"])
def test_the_status_counts_whatever_becomes_of_the_body(webhooks, receiver, behaviours, publish, run, behaviour):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(getattr(behaviours, behaviour))
    publish(2)
    run()
    assert receiver.events == ["e1", "e2"]
    assert state(webhooks).accepted == 2


def test_a_refused_connection_is_a_failure(webhooks, publish, run):
    webhooks.endpoints.add("ann", "http://127.0.0.1:1/hook")
    publish()
    run()
    assert "the connection failed" in state(webhooks).last_failure


def test_a_host_that_is_not_there_is_a_failure(webhooks, publish, run):
    webhooks.endpoints.add("ann", "http://nowhere.invalid/hook")
    publish()
    run()
    assert "the host was not found" in state(webhooks).last_failure


def test_410_disables_the_endpoint_and_loses_nothing(webhooks, receiver, behaviours, publish, run, clock):
    webhook, _ = webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(410))
    publish(2)
    run()
    clock.advance(days=2)
    run()
    assert receiver.events == ["e1"]
    assert not state(webhooks).active
    assert "410" in state(webhooks).disabled_because
    webhooks.endpoints.enable("ann", webhook.id)
    run()
    assert receiver.events == ["e1", "e1", "e2"]


def test_a_message_that_fails_does_not_keep_others_back(webhooks, receiver, behaviours, publish, run, clock, store):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(400))
    publish(3)
    run()
    clock.advance(seconds=2)  # the pause of the endpoint is over, the message is not due yet
    run()
    assert receiver.events == ["e1", "e2", "e3"]
    assert counts(webhooks, store) == (0, 1, 0)
    clock.advance(seconds=4)
    run()
    assert receiver.events == ["e1", "e2", "e3", "e1"]


def test_after_all_attempts_a_message_is_a_dead_letter_and_can_be_replayed(
    webhooks, receiver, behaviours, publish, run, clock, store
):
    webhook, _ = webhooks.endpoints.add("ann", receiver.url)
    receiver.script.extend([behaviours.answer(500)] * 8)
    publish()
    began = clock()
    run()
    for delay in Retrying().delays:
        assert counts(webhooks, store) == (0, 1, 0)
        clock.advance(seconds=0.99 * delay.total_seconds())
        run()
        clock.advance(seconds=0.12 * delay.total_seconds())
        run()
    assert len(receiver.requests) == 8
    assert timedelta(hours=25) < clock() - began < timedelta(hours=30)
    assert counts(webhooks, store) == (0, 0, 1)
    (dead,) = webhooks.endpoints.dead("ann", webhook.id)
    assert (dead.key, dead.attempts, dead.reason) == (("delivery.sent", 1), 8, "answered 500")
    assert state(webhooks).active
    assert webhooks.endpoints.replay("ann", webhook.id) == 1
    run()
    assert len({request.id for request in receiver.requests}) == 1
    assert len(receiver.requests) == 9
    assert counts(webhooks, store) == (0, 0, 0)


def test_dead_letters_are_listed_by_page_and_replayed_by_name(webhooks, receiver, behaviours, publish, run, clock):
    webhook, _ = webhooks.endpoints.add("ann", receiver.url)
    receiver.script.extend([behaviours.answer(404)] * 3 * 8)
    publish(3)
    for _ in range(48):
        run()
        clock.advance(hours=1)
    listed = webhooks.endpoints.dead("ann", webhook.id, limit=2)
    rest = webhooks.endpoints.dead("ann", webhook.id, after=listed[-1].key)
    assert [dead.key.number for dead in listed + rest] == [1, 3, 5]  # those between are bob's
    assert webhooks.endpoints.replay("ann", webhook.id, [listed[1].key, listed[1].key]) == 1
    run()
    assert receiver.events[-1] == "e2"
    assert [dead.key.number for dead in webhooks.endpoints.dead("ann", webhook.id)] == [1, 5]


def test_an_endpoint_that_is_down_gets_few_requests_and_is_disabled_after_days(
    webhooks, receiver, behaviours, publish, run, clock, store
):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.extend([behaviours.answer(503)] * 10_000)
    publish(100)
    for _ in range(4 * 60 // 4):
        run()
        clock.advance(minutes=4)
    assert 20 < len(receiver.requests) < 35  # in four hours: one in ten minutes, and a few more at the beginning
    assert state(webhooks).active
    clock.advance(days=3)
    run()
    assert not state(webhooks).active
    assert state(webhooks).disabled_because == "nothing but failures for 3 days; the last: answered 503"


def test_what_waited_for_an_endpoint_that_was_down_is_sent_when_it_is_back(
    webhooks, receiver, behaviours, publish, run, clock, store
):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.extend([behaviours.answer(503)] * 5)
    publish(30)
    for _ in range(12):
        run()
        clock.advance(minutes=11)
    assert sorted(set(receiver.events)) == sorted(f"e{number}" for number in range(1, 31))
    assert state(webhooks).accepted == 30
    assert counts(webhooks, store) == (0, 0, 0)


@pytest.mark.parametrize("header", ["Retry-After: 3600", "Retry-After: Mon, 04 May 2026 13:00:00 GMT"])
def test_retry_after_is_respected(webhooks, receiver, behaviours, publish, run, clock, header):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(429, header))
    publish(2)
    run()
    clock.advance(minutes=59)
    run()
    assert len(receiver.requests) == 1
    clock.advance(minutes=1)
    run()
    assert receiver.events == ["e1", "e1", "e2"]


def test_retry_after_cannot_silence_an_endpoint_for_ever(webhooks, receiver, behaviours, publish, run, clock):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(503, "Retry-After: 99999999999999999999"))
    publish()
    run()
    clock.advance(days=1)
    run()
    assert len(receiver.requests) == 2


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
