"""The thread that sends: started, woken, stopped; many endpoints; quiet hours; the button that tries an endpoint."""

import asyncio
import logging
import threading
from datetime import time

import msgspec
import pytest
from waiting import until

from rankcast.errors import CatalogError
from rankcast.service.push.digests import Digests, QuietHours
from rankcast.service.push.webhooks import Webhooks


@pytest.fixture
def running(served):
    """A sender at work, which looks for something to do every 20 ms."""
    made = Webhooks(served, poll=0.02)
    made.start()
    yield made
    made.stop()


def arrived(receiver, number: int) -> bool:
    """Wait until so many requests have come."""
    waiting = threading.Event()
    for _ in range(1500):
        if len(receiver.requests) >= number:
            return True
        waiting.wait(0.02)
    return False


def test_a_running_sender_sends_what_is_delivered(running, receiver, publish):
    running.endpoints.add("ann", receiver.url)
    publish(30)
    running.wake()
    assert arrived(receiver, 30)
    assert receiver.events == [f"e{number}" for number in range(1, 31)]
    assert running.error is None


def test_deliveries_wake_the_sender_only_if_there_are_endpoints(running, receiver, monkeypatch):
    until(lambda: not running._has_endpoints)
    woken = []
    with monkeypatch.context() as patched:
        patched.setattr(running, "wake", lambda: woken.append("woken"))
        running.delivered()
        assert woken == []
        running.endpoints.add("ann", receiver.url)
        until(lambda: running._has_endpoints)
        running.delivered()
        assert woken == ["woken"]


def test_one_who_hangs_keeps_neither_others_waiting_nor_the_sender_from_stopping(
    running, receiver, other_receiver, behaviours, publish, run
):
    running.endpoints.add("ann", receiver.url)
    running.endpoints.add("ann", other_receiver.url)
    receiver.script.append(behaviours.hang)
    publish(5)
    assert arrived(other_receiver, 5)
    assert arrived(receiver, 1)
    running.stop()
    assert not running.health()["running"]
    assert receiver.events == ["e1"]
    run()
    assert receiver.events == ["e1", "e1", "e2", "e3", "e4", "e5"]
    assert receiver.requests[0].id == receiver.requests[1].id
    assert set(other_receiver.events) == {"e1", "e2", "e3", "e4", "e5"}


def test_a_sender_can_be_started_and_stopped_again(served, receiver, publish):
    sender = Webhooks(served, poll=0.02)
    sender.endpoints.add("ann", receiver.url)
    sender.stop()
    for number in (1, 2):
        sender.start()
        sender.start()
        assert sender.health()["running"]
        publish()
        assert arrived(receiver, number)
        sender.stop()
    assert receiver.events == ["e1", "e2"]


def test_of_two_services_over_one_store_one_sends_and_the_other_takes_over(served, receiver, publish):
    first, second = Webhooks(served, poll=0.02), Webhooks(served, poll=0.02)
    first.endpoints.add("ann", receiver.url)
    first.start()
    publish()
    assert arrived(receiver, 1)
    second.start()
    publish(20)
    assert arrived(receiver, 21)
    first.stop()
    publish()
    assert arrived(receiver, 22)
    second.stop()
    assert receiver.events == [f"e{number}" for number in range(1, 23)]


def test_few_at_a_time_and_each_has_its_turn(served, receiver, other_receiver, publish, clock):
    """One endpoint with much to send does not keep another from its turn, with but one at a time."""
    sender = Webhooks(served, poll=0.02, concurrency=1)
    sender.endpoints.add("ann", receiver.url)
    clock.advance(seconds=1)
    sender.endpoints.add("ann", other_receiver.url)
    publish(50)
    order = []
    for one in (receiver, other_receiver):
        one.script.extend(
            [lambda connection, at: (order.append(at), connection.sendall(b"HTTP/1.1 204 OK\r\n\r\n"))] * 50
        )
    sender.start()
    assert arrived(receiver, 50)
    assert arrived(other_receiver, 50)
    sender.stop()
    assert [at is receiver for at in order] == ([True] * 20 + [False] * 20) * 2 + [True] * 10 + [False] * 10


def test_webhooks_wait_while_hours_are_quiet(served, webhooks, receiver, publish, run, clock):
    webhooks.endpoints.add("ann", receiver.url)
    Digests(served).set_quiet_hours("ann", QuietHours(time(22), time(7), "Europe/Berlin"))
    publish()
    run()
    assert receiver.events == ["e1"]
    clock.advance(hours=8, minutes=30)  # 22:30 in Berlin
    publish(2)
    run()
    assert receiver.events == ["e1"]
    clock.advance(hours=8, minutes=29)
    run()
    assert receiver.events == ["e1"]
    clock.advance(minutes=1)  # 7:00
    run()
    assert receiver.events == ["e1", "e2", "e3"]


def test_what_is_to_be_tried_again_waits_for_the_end_of_quiet_hours_too(
    served, webhooks, receiver, behaviours, publish, run, clock
):
    webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(500))
    publish()
    run()
    Digests(served).set_quiet_hours("ann", QuietHours(time(12), time(13), "UTC"))
    clock.advance(minutes=30)
    run()
    assert len(receiver.requests) == 1
    clock.advance(minutes=30)
    run()
    assert len(receiver.requests) == 2


def test_the_quiet_hours_of_one_user_are_not_another_s(served, webhooks, receiver, other_receiver, publish, run):
    webhooks.endpoints.add("ann", receiver.url)
    webhooks.endpoints.add("bob", other_receiver.url)
    Digests(served).set_quiet_hours("ann", QuietHours(time(12), time(13), "UTC"))
    publish()
    run()
    assert (receiver.requests, other_receiver.events) == ([], ["e1"])


def test_trying_an_endpoint_sends_one_message_and_notes_nothing(webhooks, receiver, behaviours):
    webhook, _ = webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(503))
    first = asyncio.run(webhooks.test("ann", webhook.id))
    webhooks.endpoints.disable("ann", webhook.id)
    second = asyncio.run(webhooks.test("ann", webhook.id))
    assert (first.status, first.accepted, second.accepted) == (503, False, True)
    assert msgspec.json.decode(receiver.requests[0].body)["type"] == "webhook.test"
    assert receiver.requests[0].headers["webhook-signature"].startswith("v1,")
    assert webhooks.endpoints.get("ann", webhook.id).failures == 0
    with pytest.raises(CatalogError):
        asyncio.run(webhooks.test("bob", webhook.id))


def test_private_addresses_are_refused_unless_the_settings_allow_them(served, receiver, publish):
    Webhooks(served).endpoints.add("ann", receiver.url)
    served.settings.private_webhooks = False
    guarded = Webhooks(served)
    publish()
    asyncio.run(guarded.round())
    assert receiver.requests == []
    (webhook,) = guarded.endpoints.of("ann")
    assert "not of the public Internet" in webhook.last_failure


def test_health_counts_what_is_behind(webhooks, receiver, behaviours, publish, run):
    webhooks.endpoints.add("ann", receiver.url)
    disabled, _ = webhooks.endpoints.add("bob", receiver.url)
    webhooks.endpoints.disable("bob", disabled.id)
    publish(3)
    assert webhooks.health() == {
        "running": False,
        "error": None,
        "active": 1,
        "disabled": 1,
        "waiting": 3,
        "retrying": 0,
        "dead": 0,
    }
    receiver.script.append(behaviours.answer(500))
    run()
    assert (webhooks.health()["waiting"], webhooks.health()["retrying"]) == (2, 1)


def test_no_secret_gets_into_a_log(webhooks, receiver, behaviours, publish, run, clock, caplog):
    caplog.set_level(logging.DEBUG)
    webhook, secret = webhooks.endpoints.add("ann", receiver.url)
    receiver.script.append(behaviours.answer(500))
    publish(2)
    run()
    clock.advance(minutes=1)
    run()
    _, rotated = webhooks.endpoints.rotate("ann", webhook.id)
    asyncio.run(webhooks.test("ann", webhook.id))
    assert len(receiver.requests) == 4
    for value in (secret, rotated):
        assert value not in caplog.text
        assert value.removeprefix("whsec_") not in caplog.text
