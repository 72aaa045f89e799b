"""Prometheus metrics of webhooks and digests."""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from rankcast.errors import StoreError
from rankcast.service.push.digests import Digests
from rankcast.service.push.webhooks.webhooks import Webhooks


class PushMetrics(Collector):
    """Reads the store at every scrape. Without a readable store there are no values; another metric says so."""

    def __init__(self, webhooks: Webhooks, digests: Digests) -> None:
        self._webhooks = webhooks
        self._digests = digests

    def collect(self) -> Iterable[Metric]:
        """Messages and endpoints by state; the number of overdue digests, and their delay."""
        try:
            webhooks, digests = self._webhooks.health(), self._digests.health()
        except StoreError:
            return
        messages = GaugeMetricFamily("rankcast_webhook_messages", "Messages not accepted yet", labels=["state"])
        for state in ("waiting", "retrying", "dead"):
            messages.add_metric([state], webhooks[state])
        endpoints = GaugeMetricFamily("rankcast_webhooks", "Endpoints of users", labels=["state"])
        for state in ("active", "disabled"):
            endpoints.add_metric([state], webhooks[state])
        yield messages
        yield endpoints
        yield GaugeMetricFamily("rankcast_digests_overdue", "Digests that should have been made", digests["overdue"])
        yield GaugeMetricFamily("rankcast_digest_lag_seconds", "For how long the oldest of them is due", digests["lag"])

    def describe(self) -> Iterable[Metric]:
        """Returns nothing, so that registration does not read the store."""
        return ()
