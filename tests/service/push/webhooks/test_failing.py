"""What a receiver gets that fails, hangs, redirects, is gone: tried again, set aside, disabled."""

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from webhook_states import counts, state

from rankcast.service.push.webhooks import RetrySchedule
from rankcast.store.secrets import VARIABLE


@pytest.mark.parametrize("status", [301, 307, 400, 404, 429, 500, 502, 503, 504])
def test_anything_else_is_a_failure_and_tried_again_under_the_same_id(
    webhooks, receiver, behaviours, publish, run, clock, store, status
):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(status, "Location: /elsewhere"))
    publish()
    run()
    assert counts(store) == (0, 1, 0)
    assert f"answered {status}" in state(webhooks).last_failure
    run()
    assert len(receiver.requests) == 1  # not before it is due
    clock.advance(seconds=6)
    run()
    first, second = receiver.requests
    assert (first.id, first.body, first.path) == (second.id, second.body, second.path)
    assert int(second.headers["webhook-timestamp"]) == int(first.headers["webhook-timestamp"]) + 6
    assert counts(store) == (0, 0, 0)
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
    assert counts(store) == (0, 1, 0)
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
    for delay in RetrySchedule().delays:
        assert counts(store) == (0, 1, 0)
        clock.advance(seconds=0.99 * delay.total_seconds())
        run()
        clock.advance(seconds=0.12 * delay.total_seconds())
        run()
    assert len(receiver.requests) == 8
    assert timedelta(hours=25) < clock() - began < timedelta(hours=30)
    assert counts(store) == (0, 0, 1)
    (dead,) = webhooks.endpoints.dead("ann", webhook.id)
    assert (dead.key, dead.attempts, dead.reason) == (("delivery.sent", 1), 8, "answered 500")
    assert state(webhooks).active
    assert webhooks.endpoints.replay("ann", webhook.id) == 1
    run()
    assert len({request.id for request in receiver.requests}) == 1
    assert len(receiver.requests) == 9
    assert counts(store) == (0, 0, 0)


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
    assert counts(store) == (0, 0, 0)


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


@pytest.mark.parametrize("now", [None, Fernet.generate_key().decode()], ids=["missing", "wrong"])
def test_a_secret_that_cannot_be_decrypted_fails_its_webhook_only(
    webhooks, receiver, other_receiver, publish, run, clock, monkeypatch, now
):
    right = Fernet.generate_key().decode()
    monkeypatch.setenv(VARIABLE, right)
    webhooks.endpoints.add("ann", receiver.url)
    monkeypatch.delenv(VARIABLE) if now is None else monkeypatch.setenv(VARIABLE, now)
    webhooks.endpoints.add("bob", other_receiver.url)
    publish(2)
    run()
    assert other_receiver.events == ["e1", "e2"]
    assert receiver.requests == []
    failed = state(webhooks)
    assert failed.failures == 1
    assert "not sent: the webhook's secret is encrypted" in failed.last_failure
    assert VARIABLE in failed.last_failure
    monkeypatch.setenv(VARIABLE, right)
    clock.advance(minutes=10)
    run()
    assert set(receiver.events) == {"e1", "e2"}
    assert state(webhooks).failures == 0
