"""Quiet hours and digests, in the time zone of each user."""

from rankcast.engine.explain.reasons import Reason
from rankcast.service.push.digests.contents import Digest, read_digest
from rankcast.service.push.digests.digests import Digests, HeldDeliveries
from rankcast.service.push.digests.rendering import as_html, as_text
from rankcast.service.push.digests.schedules import DAYS, QuietHours, QuietStretch, Schedule

__all__ = [
    "DAYS",
    "Digest",
    "Digests",
    "HeldDeliveries",
    "QuietHours",
    "QuietStretch",
    "Reason",
    "Schedule",
    "as_html",
    "as_text",
    "read_digest",
]
