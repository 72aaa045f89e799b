"""Administration: users, what was set aside, what cannot be read, and who changed what."""

from rankcast.service.page.administration.administration import build

__all__ = ["build"]
