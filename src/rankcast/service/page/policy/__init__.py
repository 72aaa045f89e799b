"""The policy: how many events are sent, when, and how diverse, tried on past events."""

from rankcast.service.page.policy.policy import build

__all__ = ["build"]
