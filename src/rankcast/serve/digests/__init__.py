"""Quiet hours and digests, in the time zone of each user."""

from rankcast.serve.digests.contents import Digest, read_digest
from rankcast.serve.digests.digests import Digests
from rankcast.serve.digests.holding import Held
from rankcast.serve.digests.quiet_hours import Quiet, QuietHours
from rankcast.serve.digests.reasons import Reason
from rankcast.serve.digests.rendering import as_html, as_text
from rankcast.serve.digests.schedules import DAYS, Schedule

__all__ = [
    "DAYS",
    "Digest",
    "Digests",
    "Held",
    "Quiet",
    "QuietHours",
    "Reason",
    "Schedule",
    "as_html",
    "as_text",
    "read_digest",
]
