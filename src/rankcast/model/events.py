"""Events: what is published."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from rankcast.errors import ModelError
from rankcast.model.membership import Membership, Term
from rankcast.model.values import Values, check_scalar, check_values

__all__ = ["AttributeValue", "Event", "in_publication_order"]

AttributeValue: TypeAlias = Values | Membership | Term
"""Crisp values, a possibility distribution, or a distribution named by a concept of the catalog."""


@dataclass(frozen=True, slots=True)
class Event:
    """An id, a publication time, and named values.

    `seq` is the event's position in publication order, from 1, which all windows and tie-breaks use; 0 means
    that it has none yet. `advertisement` and `k` are for producer-side top-k (SPEC 7).
    """

    id: str
    time: datetime
    attributes: Mapping[str, AttributeValue] = field(hash=False)
    source: str | None = None
    advertisement: str | None = None
    k: int | None = None
    seq: int = 0

    def __post_init__(self) -> None:
        if not self.id:
            raise ModelError("an event needs an id")
        texts = (self.id, self.source or "", self.advertisement or "", *self.attributes)
        if not all(map(str.isascii, texts)):
            for text in texts:
                check_scalar(text)
        if "" in self.attributes:
            raise ModelError("an attribute needs a name")
        if self.time.tzinfo is not UTC:
            object.__setattr__(self, "time", check_scalar(self.time))
        for name, value in self.attributes.items():
            if isinstance(value, tuple):
                try:
                    checked = check_values(value)
                except ModelError as error:
                    raise ModelError(f"attribute {name!r}: {error}") from None
                if checked is not value and checked != value:
                    object.__setattr__(self, "attributes", {**self.attributes, name: checked})
        if self.k is not None and self.k < 1:
            raise ModelError(f"k is {self.k}; it must be at least 1")
        if self.k is not None and self.advertisement is None:
            raise ModelError("k without an advertisement")

    def at(self, seq: int) -> "Event":
        """The same event at a position of the stream."""
        # Not by `replace`, which would check all values again, on the hottest path there is.
        moved = object.__new__(Event)
        for name in self.__slots__:
            object.__setattr__(moved, name, getattr(self, name))
        object.__setattr__(moved, "seq", seq)
        return moved


def in_publication_order(events: "list[Event]") -> "list[Event]":
    """The events by time, ties by id, numbered from 1."""
    ordered = sorted(events, key=lambda event: (event.time, event.id))
    return [event.at(seq) for seq, event in enumerate(ordered, 1)]
