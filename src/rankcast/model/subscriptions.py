"""Subscriptions, and preferences between them."""

from dataclasses import dataclass

from rankcast.errors import ModelError
from rankcast.model.expressions import Expression
from rankcast.model.values import check_scalar

__all__ = ["Preference", "Subscription"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a user wants to hear of. `score` is the user's quantitative preference; without it the level in
    the user's qualitative preferences decides. `weight` serves the weighted mean and the weight scorer."""

    id: str
    user: str
    where: Expression
    score: float | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        for name, text in (("id", self.id), ("user", self.user)):
            if not text:
                raise ModelError(f"a subscription needs a value for {name!r}")
            check_scalar(text)
        if self.score is not None and not 0 <= self.score <= 1:
            raise ModelError(f"score is {self.score}; it must lie in 0..1")
        if not 0 < self.weight < float("inf"):
            raise ModelError(f"weight is {self.weight}; it must be above 0")


@dataclass(frozen=True, slots=True)
class Preference:
    """The user prefers one of their subscriptions over another."""

    user: str
    prefer: str
    over: str

    def __post_init__(self) -> None:
        for name, text in (("user", self.user), ("prefer", self.prefer), ("over", self.over)):
            if not text:
                raise ModelError(f"a preference needs a value for {name!r}")
            check_scalar(text)
