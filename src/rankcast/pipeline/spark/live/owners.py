"""Whose a record of the catalog is."""

from rankcast.model import Advertisement, Record

__all__ = ["owner_of"]


def owner_of(record: Record) -> str | None:
    """The user whose record it is; None if it concerns all."""
    return None if isinstance(record, Advertisement) else record.user
