"""Concepts: names for membership functions on an attribute."""

from dataclasses import dataclass
from typing import Annotated

from rankcast.model.declared import NAME, About, check_fields
from rankcast.model.membership import Membership


@dataclass(frozen=True, slots=True)
class Concept:
    """The definition of `name` on `attribute` as `membership`: for everybody, or as an override for one `user`."""

    name: Annotated[str, About(NAME, "The word.")]
    attribute: Annotated[str, About(NAME, "The attribute whose values it describes.")]
    membership: Membership
    user: Annotated[str | None, About(NAME, "The user for whom it means this; by default everybody.")] = None

    def __post_init__(self) -> None:
        check_fields(self)
