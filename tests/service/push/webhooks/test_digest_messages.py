"""Digests sent to webhooks, in place of single deliveries or beside them."""

from collections.abc import Callable
from datetime import time

import msgspec
import pytest

from rankcast.service.push.digests import QuietHours, Schedule
from rankcast.store import MessageLog

MORNINGS = Schedule.of_json({"days": "daily", "at": "08:00", "zone": "UTC"})


@pytest.fixture
def arrived(receiver, run) -> Callable[[], list[str]]:
    """Send what may be sent; the events, and the digests by number, that came."""
    seen = 0

    def since() -> list[str]:
        nonlocal seen
        run()
        messages = [msgspec.json.decode(request.body) for request in receiver.requests[seen:]]
        seen = len(receiver.requests)
        return [_name(message["type"], message["data"]) for message in messages]

    return since


def _name(type_: str, data: dict) -> str:
    return data["event"] if type_ == "delivery.sent" else f"{type_} {data['number']}"


def test_digests_take_the_place_of_single_deliveries(digests, webhooks, receiver, publish, clock, arrived):
    webhooks.endpoints.add("ann", receiver.url)
    publish()
    digests.set_schedule("ann", MORNINGS)
    publish(2)
    assert arrived() == ["e1"]  # from before the schedule
    clock.advance(days=1)
    digests.round()
    assert arrived() == ["digest.ready 1"]
    publish()
    assert arrived() == []
    digests.remove_schedule("ann")
    assert arrived() == ["e4"]  # which is in no digest, and never will be
    publish()
    assert arrived() == ["e5"]
    digests.set_schedule("ann", MORNINGS)
    publish()
    clock.advance(days=1)
    digests.round()
    assert arrived() == ["digest.ready 2"]
    assert digests.digest("ann", 2).kept.delivered == 1


def test_what_was_not_sent_yet_when_digests_begin_and_end_is_sent_once(
    digests, webhooks, receiver, behaviours, publish, clock, arrived
):
    """The receiver is down from before the schedule is made until after it is removed."""
    webhook, _ = webhooks.endpoints.add("ann", receiver.url)
    publish()
    webhooks.endpoints.disable("ann", webhook.id)
    publish()
    digests.set_schedule("ann", MORNINGS)
    publish()
    clock.advance(days=1)
    digests.round()
    publish()
    digests.remove_schedule("ann")
    publish()
    assert arrived() == []
    webhooks.endpoints.enable("ann", webhook.id)
    assert sorted(arrived()) == ["digest.ready 1", "e1", "e2", "e4", "e5"]
    assert arrived() == []


def test_another_user_s_deliveries_go_on_one_by_one(
    digests, webhooks, receiver, other_receiver, publish, clock, arrived
):
    webhooks.endpoints.add("ann", receiver.url)
    webhooks.endpoints.add("bob", other_receiver.url)
    digests.set_schedule("ann", MORNINGS)
    publish()
    assert arrived() == []
    assert other_receiver.events == ["e1"]
    clock.advance(days=1)
    publish()
    digests.round()
    assert arrived() == ["digest.ready 1"]
    assert other_receiver.events == ["e1", "e2"]


def test_the_message_holds_the_digest(digests, webhooks, receiver, publish, clock, arrived):
    webhooks.endpoints.add("ann", receiver.url)
    digests.set_schedule("ann", MORNINGS)
    publish(2)
    clock.advance(days=1)
    digests.round()
    arrived()
    message = msgspec.json.decode(receiver.requests[0].body)
    assert message["timestamp"] == "2026-05-05T08:00:00Z"
    assert message["data"] == digests.digest("ann", 1).to_json()
    assert [item["event"] for item in message["data"]["items"]] == ["e1", "e2"]


def test_a_large_digest_becomes_a_small_message(digests, webhooks, receiver, publish, clock, arrived):
    webhooks.endpoints.add("ann", receiver.url)
    digests.set_schedule("ann", MORNINGS)
    publish(30, text="x" * 3000)
    clock.advance(days=1)
    digests.round()
    arrived()
    assert len(receiver.requests[0].body) < 20_000
    assert receiver.requests[0].data["delivered"] == 30


def test_an_empty_digest_is_not_pushed(digests, webhooks, receiver, publish, clock, arrived):
    webhooks.endpoints.add("ann", receiver.url)
    digests.set_schedule("ann", MORNINGS)
    clock.advance(days=1)
    assert digests.round() == [1]
    publish()
    clock.advance(days=1)
    digests.round()
    assert arrived() == ["digest.ready 2"]


def test_a_webhook_may_choose_what_it_gets(digests, webhooks, receiver, publish, clock, arrived):
    webhooks.endpoints.add("ann", receiver.url, types=["delivery.sent"])
    digests.set_schedule("ann", MORNINGS)
    publish()
    clock.advance(days=1)
    digests.round()
    assert arrived() == ["e1"]
    webhooks.endpoints.add("ann", receiver.url, types=["digest.ready"])
    publish()
    clock.advance(days=1)
    digests.round()
    assert sorted(arrived()) == ["digest.ready 2", "e2"]


def test_a_digest_that_is_due_in_quiet_hours_is_made_then_and_pushed_after(
    digests, webhooks, receiver, publish, clock, arrived, store
):
    webhooks.endpoints.add("ann", receiver.url)
    digests.set_quiet_hours("ann", QuietHours(time(22), time(9), "UTC"))
    digests.set_schedule("ann", MORNINGS)
    publish()
    clock.now = digests.schedule("ann").next
    assert digests.round() == [1]
    assert arrived() == []
    assert MessageLog(store.database).counts().waiting == 1
    clock.advance(hours=1)
    assert arrived() == ["digest.ready 1"]


def test_a_digest_is_tried_again_and_replayed_as_a_delivery_is(
    digests, webhooks, receiver, behaviours, publish, clock, arrived
):
    webhooks.endpoints.add("ann", receiver.url)
    digests.set_schedule("ann", MORNINGS)
    publish()
    clock.advance(days=1)
    digests.round()
    receiver.script.append(behaviours.answer(500))
    arrived()
    clock.advance(seconds=6)
    assert arrived() == ["digest.ready 1"]
    assert receiver.requests[0].id == receiver.requests[1].id
