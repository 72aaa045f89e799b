"""Advertisements: what a publisher will publish, and to how many (SPEC 7)."""

from dataclasses import dataclass
from enum import Enum

from rankcast.errors import ModelError
from rankcast.model.expressions import Expression
from rankcast.model.values import check_scalar

__all__ = ["Advertisement", "Ranking", "ScorerName"]


class Ranking(Enum):
    """How the recipients of a publication are ranked."""

    RELEVANCE = "relevance"
    FAIR = "fair"
    RELEVANCE_FAIR_TIES = "relevance-fair"
    DIVERSE = "diverse"


class ScorerName(Enum):
    """What relevance means: the subscription's area or selectivity, its preference, its degree, its weight."""

    AREA = "area"
    SELECTIVITY = "selectivity"
    PREFERENCE = "preference"
    DEGREE = "degree"
    WEIGHT = "weight"


@dataclass(frozen=True, slots=True)
class Advertisement:
    """A space of publications, each of which goes to the `k` best-ranked matching subscriptions."""

    id: str
    publisher: str
    where: Expression
    k: int
    rank: Ranking = Ranking.RELEVANCE
    score: ScorerName = ScorerName.AREA

    def __post_init__(self) -> None:
        for name, text in (("id", self.id), ("publisher", self.publisher)):
            if not text:
                raise ModelError(f"an advertisement needs a value for {name!r}")
            check_scalar(text)
        if self.k < 1:
            raise ModelError(f"k is {self.k}; it must be at least 1")
