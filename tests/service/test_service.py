import asyncio
import time
from threading import Event as Flag

import pytest

from rankcast.errors import CatalogError, ExpressionError
from rankcast.language import decode_event, decode_record
from rankcast.model import Event, Record
from rankcast.service import Service
from rankcast.service.trial_tasks import explain_event


def record(**fields: object) -> Record:
    return decode_record(fields)


def event(number: int, genre: str) -> Event:
    return decode_event(
        {
            "id": f"e{number}",
            "time": f"2004-02-13T20:{number // 60:02}:{number % 60:02}Z",
            "attributes": {"genre": genre},
        }
    )


def subscribe(service: Service, user: str, genre: str) -> None:
    service.put(record(kind="subscription", id=f"{user}-{genre}", user=user, where=f"genre = '{genre}'"))


def served(service: Service) -> None:
    """Until the pipeline has worked off all events."""
    service.start()
    for _ in range(500):
        if service.store.progress().offset == service.store.last_offset():
            return
        time.sleep(0.01)
    raise AssertionError(f"not served after 5 s: {service.runner.error}")


@pytest.mark.parametrize("is_serving", [True, False])
def test_what_a_quiet_publisher_s_event_holds_back_goes_on_once_it_is_served(
    service: Service, monkeypatch: pytest.MonkeyPatch, is_serving: bool
) -> None:
    subscribe(service, "ann", "drama")
    service.start()
    if not is_serving:
        service.runner.stop()
    monkeypatch.setattr("rankcast.store.engine._HELD_BACK", 20.0)

    async def publish(name: str) -> None:
        await service.publisher.publish([event(1, name)], name)

    asyncio.run(publish("drama"))
    begun = time.monotonic()
    service.store.reject([])
    service.publish([event(2, "drama")])
    assert time.monotonic() - begun < 5
    assert bool(service.store.progress().offset) is is_serving


def test_what_is_published_is_delivered(service: Service) -> None:
    subscribe(service, "ann", "drama")
    published = service.publish([event(1, "drama"), event(2, "comedy"), event(3, "drama")])
    served(service)
    assert [one.offset for one in published] == [1, 2, 3]
    assert [delivery.event for _, delivery in service.deliveries("ann")] == ["e1", "e3"]
    assert service.users() == ["ann"]


def test_deliveries_page_both_ways(service: Service) -> None:
    subscribe(service, "ann", "drama")
    subscribe(service, "bob", "comedy")
    service.publish([event(number, "drama" if number % 2 else "comedy") for number in range(1, 21)])
    served(service)
    forward = service.deliveries("ann", limit=100)
    assert len(forward) == 10
    assert service.deliveries("ann", after=forward[3][0], limit=2) == forward[4:6]
    assert service.deliveries("ann", limit=4, newest_first=True) == forward[:-5:-1]
    assert service.deliveries("ann", after=forward[3][0], limit=2, newest_first=True) == [forward[2], forward[1]]
    assert service.deliveries("ann", after=forward[2][0], limit=9, newest_first=True) == [forward[1], forward[0]]
    assert service.deliveries("nobody", newest_first=True) == []


def test_recent_events_come_newest_first(service: Service) -> None:
    service.publish([event(number, "drama") for number in range(1, 6)])
    assert [one.id for one in service.recent_events(2)] == ["e5", "e4"]


def test_an_expression_is_tried_on_history(service: Service) -> None:
    service.publish([event(1, "drama"), event(2, "comedy"), event(3, "drama")])
    trial = service.try_expression("genre = 'drama'", limit=2)
    assert (trial.count, trial.of, [one.id for one in trial.matched]) == (1, 2, ["e3"])


def test_a_bad_expression_is_an_answer_too(service: Service) -> None:
    assert isinstance(service.try_expression("genre = drama").error, ExpressionError)
    assert isinstance(service.try_expression("price is cheap").error, CatalogError)


def test_a_policy_is_tried_on_history(service: Service) -> None:
    subscribe(service, "ann", "drama")
    service.publish([event(number, "drama") for number in range(1, 9)])
    policy = record(kind="policy", user="ann", mode="periodic", k=1, length=4, unit="events")
    assert [delivery.event for delivery in service.backtest("ann", policy)] == ["e4", "e8"]
    assert "ann" not in service.catalog().policies


def test_the_funnel_narrows(service: Service) -> None:
    subscribe(service, "ann", "drama")
    service.put(record(kind="policy", user="ann", mode="periodic", k=1, length=4, unit="events"))
    service.publish([event(number, "drama" if number % 2 else "comedy") for number in range(1, 9)])
    served(service)
    service.publish([event(9, "drama")])
    served(service)
    assert service.funnel("ann") == (9, 5, 5, 2)
    assert service.funnel("nobody") == (9, 0, 0, 0)


def test_the_funnel_counts_what_a_filter_stops(service: Service) -> None:
    subscribe(service, "ann", "drama")
    filtered = {"novelty": "threshold", "scoring": "rate", "update": "lazy", "rate": 0.25, "period": 4}
    service.put(record(kind="policy", user="ann", filter=filtered))
    service.publish([event(number, "drama") for number in range(1, 9)])
    served(service)
    funnel = service.funnel("ann")
    assert funnel.published == funnel.matched == 8
    assert funnel.ranked == funnel.delivered == len(service.deliveries("ann")) < 8


def test_an_explanation_is_of_the_catalog_of_its_time(service: Service) -> None:
    subscribe(service, "ann", "drama")
    service.publish([event(1, "drama")])
    subscribe(service, "ann", "comedy")
    found = explain_event(service.settings.store, 1_000, "ann", "e1")
    assert found.decision is not None
    assert found.decision.sent
    assert len(found.interests) == 1
    with pytest.raises(CatalogError, match="no event 'e2'"):
        explain_event(service.settings.store, 1_000, "ann", "e2")


def test_what_is_delivered_wakes_those_who_send_it_on(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    woken = Flag()
    monkeypatch.setattr(service.webhooks, "delivered", woken.set)
    subscribe(service, "ann", "drama")
    service.start()
    service.publish([event(1, "drama")])
    assert woken.wait(10)
