"""The subscriptions: what a user wants to hear of."""

from rankcast.service.page.subscriptions.subscriptions import build

__all__ = ["build"]
