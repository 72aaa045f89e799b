"""Subscriptions, and preferences between them."""

from dataclasses import dataclass
from typing import Annotated

from rankcast.model.declared import NAME, About, Real, check_fields
from rankcast.model.expressions import Expression

__all__ = ["Preference", "Subscription"]


@dataclass(frozen=True, slots=True)
class Subscription:
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


@dataclass(frozen=True, slots=True)
class Preference:
    """The user prefers one of their subscriptions over another."""

    user: Annotated[str, About(NAME, "The user who prefers.")]
    prefer: Annotated[str, About(NAME, "The subscription that is preferred.")]
    over: Annotated[str, About(NAME, "The subscription over which it is preferred.")]

    def __post_init__(self) -> None:
        check_fields(self)
