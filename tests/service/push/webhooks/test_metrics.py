from prometheus_client import CollectorRegistry, generate_latest

from rankcast.service.push.digests import Digests, Schedule
from rankcast.service.push.webhooks.metrics import PushMetrics

MORNINGS = Schedule.of_json({"days": "daily", "at": "08:00", "zone": "UTC"})


def test_what_is_behind_is_shown(served, webhooks, publish, clock, store):
    digests = Digests(served)
    registry = CollectorRegistry()
    registry.register(PushMetrics(webhooks, digests))
    webhooks.endpoints.add("ann", "https://example.org")
    publish(3)
    digests.set_schedule("bob", MORNINGS)
    clock.now = digests.schedule("bob").next
    clock.advance(minutes=2)
    shown = generate_latest(registry).decode()
    assert 'rankcast_webhook_messages{state="waiting"} 3.0' in shown
    assert 'rankcast_webhook_messages{state="dead"} 0.0' in shown
    assert 'rankcast_webhooks{state="active"} 1.0' in shown
    assert "rankcast_digests_overdue 1.0" in shown
    assert "rankcast_digest_lag_seconds 120.0" in shown
    store.close()
    assert b"rankcast_webhook" not in generate_latest(registry)
