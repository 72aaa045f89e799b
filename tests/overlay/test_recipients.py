"""One broker that knows all: relevance, fairness, ties by lot, diversity (semantics: Producer-side top-k)."""

from collections import Counter
from datetime import UTC, datetime
from itertools import combinations

from rankcast.language import parse
from rankcast.model import Advertisement, Event, Ranking, Subscription
from rankcast.overlay import Matched, Weight, recipients

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def event(name: str = "e1", k: int | None = None) -> Event:
    return Event(name, NOW, {"x": (5,)}, advertisement="a1", k=k)


def advertisement(rank: Ranking, k: int = 2) -> Advertisement:
    return Advertisement("a1", "shop", parse("x between 0 and 10"), k, rank)


def subscribed(*texts: str, weights: tuple[float, ...] = ()) -> list[Matched]:
    given = weights or (1.0,) * len(texts)
    return [
        (Subscription(f"s{number}", "u", parse(text), weight=weight), 1.0)
        for number, (text, weight) in enumerate(zip(texts, given, strict=True), 1)
    ]


def chosen(found: list[Matched]) -> list[str]:
    return [subscription.id for subscription, _ in found]


def test_relevance_takes_the_highest_scores_and_ties_by_id() -> None:
    matches = subscribed("x > 4", "x > 1", "x > 4", "x > 2")
    assert chosen(recipients(advertisement(Ranking.RELEVANCE, 3), event(), matches)) == ["s2", "s4", "s1"]
    assert chosen(recipients(advertisement(Ranking.RELEVANCE, 3), event(), matches[::-1])) == ["s2", "s4", "s1"]


def test_a_publication_may_ask_for_less() -> None:
    matches = subscribed("x > 4", "x > 1", "x > 2")
    assert chosen(recipients(advertisement(Ranking.RELEVANCE, 3), event(k=1), matches)) == ["s2"]
    assert len(recipients(advertisement(Ranking.RELEVANCE, 9), event(), matches)) == 3


def test_fairness_chooses_every_subset_as_often() -> None:
    matches = subscribed(*["x > 4"] * 5)
    trials = 10_000
    subsets = Counter(
        tuple(sorted(chosen(recipients(advertisement(Ranking.FAIR), event(f"e{number}"), matches))))
        for number in range(trials)
    )
    pairs = list(combinations([f"s{number}" for number in range(1, 6)], 2))
    due = trials / len(pairs)
    # 9 degrees of freedom: 33.7 is passed by one in ten thousand
    assert sum((subsets[pair] - due) ** 2 / due for pair in pairs) < 33.7


def test_relevance_with_fair_ties_draws_only_among_the_tied() -> None:
    matches = subscribed(*["x > 4"] * 4, weights=(5, 1, 1, 1))
    ranking = advertisement(Ranking.RELEVANCE_FAIR_TIES)
    trials = 3_000
    counts = Counter(
        name for number in range(trials) for name in chosen(recipients(ranking, event(f"e{number}"), matches, Weight()))
    )
    assert counts["s1"] == trials
    due = trials / 3
    # 2 degrees of freedom: 18.4 is passed by one in ten thousand
    assert sum((counts[name] - due) ** 2 / due for name in ("s2", "s3", "s4")) < 18.4


def test_diversity_takes_those_unlike_the_others() -> None:
    matches = subscribed(
        "x between 4 and 6", "x between 4 and 6", "x between 4 and 7", "x between 0 and 5", "x between 5 and 10"
    )
    assert chosen(recipients(advertisement(Ranking.DIVERSE), event(), matches)) == ["s4", "s5"]
