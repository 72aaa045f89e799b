"""Concepts: an editor for the meaning of vague words."""

from rankcast.service.page.concepts.concepts import build

__all__ = ["build"]
