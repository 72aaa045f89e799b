"""The monitor: what comes in, and what becomes of it."""

from rankcast.service.page.monitor.monitor import build

__all__ = ["build"]
