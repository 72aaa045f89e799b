"""Events: what is published."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from rankcast.errors import ModelError
from rankcast.model.advertisements import K
from rankcast.model.declared import MAX_NAME, NAME, About, Instant, Name, check_fields, check_name
from rankcast.model.membership import Membership, Term
from rankcast.model.values import Values, check_scalar, check_values

MAX_ATTRIBUTES = 1_000
"""Maximum number of attributes of one event."""

MAX_VALUES = 10_000
"""Maximum number of values of one attribute."""

AttributeValue: TypeAlias = Values | Membership | Term
"""Crisp values, a possibility distribution, or the name of a concept that stands for a distribution."""


EVENT_ID = Name(1, 1_000)
"""Event ids may be longer than other names because they are often URLs."""


@dataclass(frozen=True, slots=True)
class Event:
    """A published event: an id, a publication time and named values.

    `seq` is the position in publication order, from 1, which all windows and tie-breaks use; 0 means that the event
    has no position yet. `advertisement` and `k` are for producer-side top-k (semantics: Producer-side top-k).
    """

    id: Annotated[str, About(EVENT_ID, "The event's own name.")]
    time: Annotated[datetime, About(Instant(), "When it was published.")]
    attributes: Mapping[str, AttributeValue] = field(hash=False)
    source: Annotated[str | None, About(Name(0), "Who says it.")] = None
    advertisement: Annotated[str | None, About(NAME, "The advertisement under which it is published.")] = None
    k: Annotated[int | None, About(K, "To how many subscriptions it goes, if to fewer than advertised.")] = None
    seq: int = 0

    def __post_init__(self) -> None:
        self._check_texts()
        if self.time.tzinfo is not UTC:
            object.__setattr__(self, "time", check_scalar(self.time))
        for name, value in self.attributes.items():
            if isinstance(value, tuple):
                try:
                    if len(value) > MAX_VALUES:
                        raise ModelError(f"{len(value):,} values; it must have at most {MAX_VALUES:,}")
                    checked = check_values(value)
                except ModelError as error:
                    raise ModelError(f"attribute {name!r}: {error}") from None
                if checked is not value and checked != value:
                    object.__setattr__(self, "attributes", {**self.attributes, name: checked})
        if self.k is not None:
            K.check("k", self.k)
            if self.advertisement is None:
                raise ModelError("k without an advertisement")

    def _check_texts(self) -> None:
        if len(self.attributes) > MAX_ATTRIBUTES:
            raise ModelError(
                f"an event of {len(self.attributes):,} attributes; it must have at most {MAX_ATTRIBUTES:,}"
            )
        under = "-" if self.advertisement is None else self.advertisement
        texts = (self.id, self.source or "-", under, *self.attributes)
        # A fast path for nearly all events, because every event passes through here.
        if all(map(str.isprintable, texts)) and all(texts) and max(map(len, texts)) <= MAX_NAME:
            return
        check_fields(self)
        for name in self.attributes:
            check_name("the name of an attribute", name)

    @classmethod
    def kept(
        cls,
        id: str,  # noqa: A002  # the field's name
        time: datetime,
        attributes: Mapping[str, AttributeValue],
        source: str | None,
        advertisement: str | None,
        k: int | None,
        seq: int,
    ) -> "Event":
        """An event that was checked already, and is not checked again.

        One that is read from a log was checked when it was published, perhaps under other bounds.
        """
        made, put = object.__new__(cls), object.__setattr__
        put(made, "id", id)
        put(made, "time", time)
        put(made, "attributes", attributes)
        put(made, "source", source)
        put(made, "advertisement", advertisement)
        put(made, "k", k)
        put(made, "seq", seq)
        return made

    def at(self, seq: int) -> "Event":
        """The same event with a position in the stream."""
        # `replace` would check all values again, on the hottest path.
        moved = object.__new__(Event)
        for name in self.__slots__:
            object.__setattr__(moved, name, getattr(self, name))
        object.__setattr__(moved, "seq", seq)
        return moved


def in_publication_order(events: "list[Event]") -> "list[Event]":
    """The events sorted by time and then id, numbered from 1."""
    ordered = sorted(events, key=lambda event: (event.time, event.id))
    return [event.at(seq) for seq, event in enumerate(ordered, 1)]
