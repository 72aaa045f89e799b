"""The policy: how much, when and how mixed, tried on past events."""

from rankcast.service.page.policy.policy import build

__all__ = ["build"]
