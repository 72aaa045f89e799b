"""Webhooks by the Standard Webhooks specification."""

from rankcast.serve.webhooks.addresses import is_public
from rankcast.serve.webhooks.endpoints import TYPES, Endpoints
from rankcast.serve.webhooks.metrics import PushMetrics
from rankcast.serve.webhooks.posting import Outcome
from rankcast.serve.webhooks.retrying import Retrying
from rankcast.serve.webhooks.signing import sign
from rankcast.serve.webhooks.webhooks import Webhooks

__all__ = ["TYPES", "Endpoints", "Outcome", "PushMetrics", "Retrying", "Webhooks", "is_public", "sign"]
