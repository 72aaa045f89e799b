"""Advertisements: what a publisher will publish, and to how many subscriptions (semantics: Producer-side top-k)."""

from dataclasses import dataclass
from typing import Annotated

from rankcast.model.declared import NAME, About, Whole, Word, Worded, check_fields
from rankcast.model.expressions import Expression


class Ranking(Worded):
    """How the recipients of a publication are ranked."""

    RELEVANCE = "relevance", "By relevance", "The most relevant first."
    FAIR = "fair", "Fairly", "Each with the same probability."
    RELEVANCE_FAIR_TIES = (
        "relevance-fair",
        "By relevance, ties fairly",
        "The most relevant first, equal ones by chance.",
    )
    DIVERSE = "diverse", "By diversity", "Those that differ most from the others first."


class ScorerName(Worded):
    """What relevance means: the area, selectivity, preference, degree or weight of the subscription."""

    AREA = "area", "Area", "How much space the subscription takes."
    SELECTIVITY = "selectivity", "Selectivity", "How few events the subscription matches."
    PREFERENCE = "preference", "Preference", "The preference score of the subscription."
    DEGREE = "degree", "Degree of match", "The degree of match."
    WEIGHT = "weight", "Weight", "The weight of the subscription."


K = Whole(1, 1_000_000)
"""Bounds for `k`, the number of subscriptions that receive an event, in an advertisement and in an event under
one."""


@dataclass(frozen=True, slots=True)
class Advertisement:
    """A space of publications, each of which goes to the `k` best-ranked matching subscriptions.

    `function` names a ranking function that was registered (`rankcast.overlay.register_scorer`).
    """

    id: Annotated[str, About(NAME, "The id of the advertisement.")]
    publisher: Annotated[str, About(NAME, "The publisher who publishes under it.")]
    where: Expression
    k: Annotated[int, About(K, "How many subscriptions a publication goes to.")]
    rank: Annotated[Ranking, About(Word(Ranking), "How recipients are ranked.")] = Ranking.RELEVANCE
    score: Annotated[ScorerName, About(Word(ScorerName), "What relevance means.")] = ScorerName.AREA
    function: Annotated[str | None, About(NAME, "A registered ranking function, in place of `score`.")] = None

    def __post_init__(self) -> None:
        check_fields(self)
