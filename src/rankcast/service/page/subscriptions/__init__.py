"""The subscriptions: which events a user wants to receive."""

from rankcast.service.page.subscriptions.subscriptions import build

__all__ = ["build"]
