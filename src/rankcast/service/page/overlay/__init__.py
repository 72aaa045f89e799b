"""The overlay: brokers, and the messages between them."""

from rankcast.service.page.overlay.overlay import build

__all__ = ["build"]
