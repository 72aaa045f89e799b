"""Subscriptions, and preferences between them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import Annotated

from rankcast.model.declared import NAME, About, Real, check_fields
from rankcast.model.expressions import Expression


class _ReadLater:
    """Where the fields of a record come from that are not set yet: `_read` gives the whole record at `_place`."""

    __slots__ = ("_place", "_read")
    _place: int
    _read: "Callable[[int], Subscription]"

    def __getattr__(self, name: str) -> object:
        """Read the fields that are missing. Only called for a field that is not set."""
        if name not in ("where", "weight"):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        whole = self._read(self._place)
        object.__setattr__(self, "where", whole.where)
        object.__setattr__(self, "weight", whole.weight)
        return getattr(whole, name)


@dataclass(frozen=True, slots=True)
class Subscription(_ReadLater):
    """A user's interest in certain events.

    `score` is the user's quantitative preference. Without it, the level in the user's qualitative preferences
    decides. `weight` is used by the weighted mean and the weight scorer.
    """

    id: Annotated[str, About(NAME, "The id of the subscription.")]
    user: Annotated[str, About(NAME, "The user who subscribes.")]
    where: Expression
    score: Annotated[float | None, About(Real(0, 1), "How much the user prefers it.")] = None
    weight: Annotated[
        float, About(Real(0, 1_000_000, above=True), "Its weight in a weighted mean and for the scorer `weight`.")
    ] = 1.0

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def read_later(
        cls,
        ids: Iterable[str],
        users: Iterable[str],
        scores: Iterable[float | None],
        read: "Callable[[int], Subscription]",
    ) -> "list[Subscription]":
        """Many subscriptions that were checked before, in order. `read` gives the one at a place.

        It is called when `where` or `weight` is first needed. About 0.6 µs each.
        """
        made, fields = list[Subscription](), ("id", "user", "score", "_place", "_read")
        set_id, set_user, set_score, set_place, set_read = (getattr(cls, name).__set__ for name in fields)
        for name, user, score, place in zip(ids, users, scores, count(), strict=False):
            one = cls.__new__(cls)
            set_id(one, name)
            set_user(one, user)
            set_score(one, score)
            set_place(one, place)
            set_read(one, read)
            made.append(one)
        return made


@dataclass(frozen=True, slots=True)
class Preference:
    """The user prefers one of their subscriptions over another."""

    user: Annotated[str, About(NAME, "The user who prefers.")]
    prefer: Annotated[str, About(NAME, "The subscription that is preferred.")]
    over: Annotated[str, About(NAME, "The subscription over which it is preferred.")]

    def __post_init__(self) -> None:
        check_fields(self)
