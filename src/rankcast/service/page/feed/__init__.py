"""The feed: what a user was sent, and why."""

from rankcast.service.page.feed.feed import build

__all__ = ["build"]
