"""The concepts: what vague words mean, drawn and edited."""

from rankcast.service.page.concepts.concepts import build

__all__ = ["build"]
