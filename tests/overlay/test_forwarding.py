"""What a catalog's subscriptions come to for an advertisement."""

from rankcast.language import parse
from rankcast.model import Advertisement, Catalog, Ranking, ScorerName, Subscription
from rankcast.overlay import STRATEGIES, forwarded


def catalog(rank: Ranking = Ranking.RELEVANCE) -> Catalog:
    return Catalog(
        [
            Subscription("narrow", "u", parse("price <= 50 and brand = 'x'"), score=0.9),
            Subscription("wide", "u", parse("price <= 50"), score=0.1),
            Subscription("apart", "u", parse("price > 200")),
            Advertisement("a1", "shop", parse("price between 0 and 100"), 1, rank),
        ]
    )


def sent(strategy: str, rank: Ranking = Ranking.RELEVANCE, score: ScorerName | None = None) -> list[str]:
    known = catalog(rank)
    found = forwarded(known, known.advertisements["a1"], STRATEGIES[strategy], score)
    return [one.subscription.id for one in found]


def test_only_what_can_intersect_the_space_takes_part() -> None:
    assert sent("regular") == ["narrow", "wide"]
    assert sent("regular-cover") == ["wide"]


def test_the_scorer_decides_what_is_hidden() -> None:
    assert sent("ancestor-cover") == ["wide"]
    assert sent("ancestor-cover", score=ScorerName.PREFERENCE) == ["narrow", "wide"]
    assert sent("ancestor-cover", score=ScorerName.DEGREE) == ["narrow", "wide"]


def test_a_named_scorer_makes_a_fair_ranking_one_by_relevance() -> None:
    assert sent("ancestor-cover", Ranking.FAIR) == ["narrow", "wide"]
    assert sent("ancestor-cover", Ranking.FAIR, ScorerName.AREA) == ["wide"]
    assert sent("ancestor-fair", Ranking.FAIR) == ["wide"]


def test_another_k_and_the_weights() -> None:
    known = catalog(Ranking.FAIR)
    found = forwarded(known, known.advertisements["a1"], STRATEGIES["ancestor-fair"])
    assert [(one.subscription.id, one.weight) for one in found] == [("wide", 2)]
    found = forwarded(known, known.advertisements["a1"], STRATEGIES["ancestor-fair"], k=2)
    assert [(one.subscription.id, one.weight) for one in found] == [("narrow", 1), ("wide", 1)]
