"""Routing by summaries never misses a shard that holds one of the chosen, and visits fewer where there is locality."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.errors import CatalogError, ModelError
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import (
    Advertisement,
    Catalog,
    Concept,
    Event,
    Preference,
    Ranking,
    ScorerName,
    Subscription,
)
from rankcast.overlay import STRATEGIES, Router, admitted, check_publication, lot, summarise
from rankcast.testing.strategies import CONCEPTS, conjunctions, events

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def part_of(catalog: Catalog, shard: int, shards: int) -> Catalog:
    """The records of the users u0, u1, … that live in a shard, and what everybody needs."""
    return Catalog(
        [one for one in catalog.records() if not hasattr(one, "user") or _user(one) in (None, shard, shard + shards)]
    )


def _user(record: object) -> int | None:
    user = getattr(record, "user", None)
    return None if user is None else int(user[1:])


def chosen(catalog: Catalog, event: Event) -> set[str]:
    matcher = OracleMatcher(
        catalog.subscriptions.values(),
        lambda user: lambda attribute, term: catalog.membership(attribute, term, user),
        shared=catalog.membership,
    )
    return {one.id for one, _ in admitted(catalog, event, list(matcher.match(event)))}


@settings(max_examples=60)
@given(data=st.data(), ranking=st.sampled_from(Ranking), score=st.sampled_from(ScorerName))
@pytest.mark.parametrize("name", ["regular", "rank-cover", "ancestor-cover"])
def test_every_chosen_subscription_is_visited(
    name: str, data: st.DataObject, ranking: Ranking, score: ScorerName
) -> None:
    catalog = Catalog([Concept(word, attribute, means) for (attribute, word), means in CONCEPTS.items()])
    quarters = st.integers(0, 4).map(lambda step: step / 4)
    for number, where in enumerate(data.draw(st.lists(conjunctions(fuzzy=True), max_size=10))):
        own = data.draw(st.one_of(st.none(), quarters))
        catalog.add(Subscription(f"s{number}", f"u{number % 4}", where, own, data.draw(st.integers(1, 3))))
    if len(catalog.subscriptions) > 4:
        catalog.add(Preference("u0", "s4", "s0"))
    space = data.draw(st.sampled_from(["true", "a between 0 and 5"]))
    catalog.add(Advertisement("a1", "shop", parse(space), data.draw(st.integers(1, 3)), ranking, score))
    summaries = {shard: summarise(part_of(catalog, shard, 2), STRATEGIES[name]) for shard in range(2)}
    shared = Catalog([one for one in catalog.records() if isinstance(one, Concept | Advertisement)])
    router = Router(shared, summaries)
    for number in range(3):
        drawn = data.draw(events(f"e{number}", fuzzy=number == 2))
        under = data.draw(st.sampled_from([None, "a1"]))
        event = Event(drawn.id, drawn.time, drawn.attributes, advertisement=under)
        try:
            check_publication(catalog, event)
        except CatalogError:
            continue
        needed = {int(catalog.subscriptions[name].user[1:]) % 2 for name in chosen(catalog, event)}
        assert needed.issubset(router.shards(event))


def test_locality_is_made_use_of() -> None:
    shards, catalogs = 8, []
    space = Advertisement("a1", "shop", parse("x between 0 and 800"), 3)
    for shard in range(shards):
        part = Catalog([space])
        for number in range(40):
            low = 100 * shard + 60 * lot("low", str(shard), str(number))
            part.add(Subscription(f"s{shard}.{number}", f"u{shard}", parse(f"x between {low} and {low + 40}")))
        catalogs.append(part)
    router = Router(
        Catalog([space]), {at: summarise(part, STRATEGIES["ancestor-cover"]) for at, part in enumerate(catalogs)}
    )
    published = [Event(f"e{at}", NOW, {"x": (800 * lot("x", str(at)),)}, advertisement="a1") for at in range(300)]
    visited = [router.shards(event) for event in published]
    assert sum(map(len, visited)) <= 300  # broadcast: 2,400
    assert {shard for each in visited for shard in each} == set(range(shards))
    consumers = [router.shards(Event(event.id, NOW, event.attributes)) for event in published]
    assert sum(map(len, consumers)) <= 300


def test_only_exact_strategies_route() -> None:
    catalog = Catalog([Advertisement("a1", "shop", parse("true"), 3, Ranking.FAIR)])
    with pytest.raises(ModelError, match="fair ranking of advertisement 'a1'"):
        summarise(catalog, STRATEGIES["ancestor-fair"])
    with pytest.raises(ModelError, match="rank-cover and regular do"):
        summarise(catalog, STRATEGIES["regular-cover"])
