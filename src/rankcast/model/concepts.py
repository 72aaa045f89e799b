"""Concepts: names for membership functions on an attribute."""

from dataclasses import dataclass

from rankcast.errors import ModelError
from rankcast.model.membership import Membership
from rankcast.model.values import check_scalar

__all__ = ["Concept"]


@dataclass(frozen=True, slots=True)
class Concept:
    """`name` on `attribute` means `membership`: for everybody, or, as an override, for one `user`."""

    name: str
    attribute: str
    membership: Membership
    user: str | None = None

    def __post_init__(self) -> None:
        for label, text in (("name", self.name), ("attribute", self.attribute)):
            if not text:
                raise ModelError(f"a concept needs a value for {label!r}")
            check_scalar(text)
