"""Webhooks according to the Standard Webhooks specification."""

from rankcast.service.push.webhooks.addresses import is_public
from rankcast.service.push.webhooks.endpoints import TYPES, Endpoints
from rankcast.service.push.webhooks.metrics import PushMetrics
from rankcast.service.push.webhooks.posting import PostOutcome
from rankcast.service.push.webhooks.sending import RetrySchedule
from rankcast.service.push.webhooks.signing import sign
from rankcast.service.push.webhooks.webhooks import Webhooks

__all__ = ["TYPES", "Endpoints", "PostOutcome", "PushMetrics", "RetrySchedule", "Webhooks", "is_public", "sign"]
