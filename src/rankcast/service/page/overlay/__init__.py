"""The overlay: brokers, and what they forward to each other."""

from rankcast.service.page.overlay.overlay import build

__all__ = ["build"]
