"""Administration: users, set-aside events, unreadable records, and the audit trail."""

from rankcast.service.page.administration.administration import build

__all__ = ["build"]
