"""The preferences: which subscriptions a user prefers over others."""

from rankcast.service.page.preferences.preferences import build

__all__ = ["build"]
