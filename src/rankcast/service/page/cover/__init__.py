"""The cover graph: which subscriptions cover which."""

from rankcast.service.page.cover.cover import build

__all__ = ["build"]
