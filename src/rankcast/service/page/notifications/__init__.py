"""Notifications: what is pushed to a user, where to, and when not."""

from rankcast.service.page.notifications.notifications import build

__all__ = ["build"]
