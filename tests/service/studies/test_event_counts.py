import time

from rankcast.language import decode_event, decode_record
from rankcast.service import Service
from rankcast.service.studies.left_out import count_recent
from rankcast.service.trial_tasks import explain_event


def served(service: Service) -> None:
    where = {"kind": "subscription", "id": "s1", "user": "ann", "where": "x > 2"}
    policy = {"kind": "policy", "user": "ann", "mode": "sliding", "k": 1, "length": 10}
    service.put(decode_record(where), decode_record(policy))
    times = [f"2026-01-01T00:{at:02}:00Z" for at in range(8)]
    service.publish([decode_event({"id": f"e{at}", "time": times[at], "attributes": {"x": at}}) for at in range(8)])
    service.start()
    while service.store.progress().offset < 8:
        time.sleep(0.01)


def test_of_the_recent_events(service: Service) -> None:
    assert count_recent(service.history(1000), "ann") == (0, 0, 0)
    served(service)
    counted = count_recent(service.history(1000), "ann")
    sent = service.deliveries("ann", 0, 50)
    assert counted == (8, 5, len(sent))
    assert counted.left_out == 5 - len(sent)
    assert count_recent(service.history(2), "ann").published == 2
    assert count_recent(service.history(1000), "nobody") == (8, 0, 0)


def test_what_came_before_a_subscription_was_not_left_out(service: Service) -> None:
    service.publish([decode_event({"id": "early", "time": "2026-01-01", "attributes": {"x": 5}})])
    service.put(decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "x > 2"}))
    service.publish([decode_event({"id": "late", "time": "2026-01-02", "attributes": {"x": 5}})])
    assert count_recent(service.history(1000), "ann") == (2, 1, 0)


def test_an_account_agrees_with_the_log(service: Service) -> None:
    served(service)
    for _, delivery in service.deliveries("ann", 0, 50):
        event = service.event(delivery.event)
        assert event is not None
        explanation = explain_event(service.settings.store, 1_000, delivery.user, delivery.event)
        assert not explanation.remark
        assert explanation.decision is not None
        assert explanation.decision.sent
        assert explanation.rank == delivery.rank
        assert explanation.decision.window == delivery.window
