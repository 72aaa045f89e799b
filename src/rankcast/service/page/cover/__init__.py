"""The cover graph: which subscriptions contain which."""

from rankcast.service.page.cover.cover import build

__all__ = ["build"]
