"""The interval panel: crisp and approximate matches as a value gets vague."""

from rankcast.service.page.intervals.intervals import build

__all__ = ["build"]
