"""The feed: what was sent to a user, and why."""

from rankcast.service.page.feed.feed import build

__all__ = ["build"]
