"""The monitor: published events, and what happens to them."""

from rankcast.service.page.monitor.monitor import build

__all__ = ["build"]
