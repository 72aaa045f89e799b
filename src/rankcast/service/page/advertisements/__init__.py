"""The advertisements: what publishers promise, and publishing under one."""

from rankcast.service.page.advertisements.advertisements import build

__all__ = ["build"]
