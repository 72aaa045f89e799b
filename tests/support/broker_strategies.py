"""Trees of brokers and their subscriptions for property tests, and what one broker with all of them would choose."""

from hypothesis import strategies as st

from rankcast import model
from rankcast.matching import OracleMatcher
from rankcast.overlay import Matched, Tree, recipients, scorer_of
from rankcast.testing.strategies import CONCEPTS, conjunctions

QUARTERS = st.integers(0, 4).map(lambda step: step / 4)


@st.composite
def trees(draw: st.DrawFn, most: int = 5) -> Tree:
    size = draw(st.integers(1, most))
    return Tree([(f"b{draw(st.integers(0, at - 1))}", f"b{at}") for at in range(1, size)], ["b0"])


@st.composite
def boxes(draw: st.DrawFn) -> model.Expression:
    """Intervals of one or two attributes, of which many cover each other."""
    sides = []
    for name in draw(st.sampled_from([("a",), ("a", "b")])):
        low = draw(st.integers(0, 3))
        sides.append(model.Predicate(name, model.Between(low, low + draw(st.integers(0, 5 - low)))))
    return sides[0] if len(sides) == 1 else model.And(tuple(sides))


@st.composite
def subscriptions(draw: st.DrawFn, name: str, *others: st.SearchStrategy[model.Expression]) -> model.Subscription:
    where = draw(st.one_of(boxes(), boxes(), conjunctions(fuzzy=True), *others))
    score = draw(st.one_of(st.none(), QUARTERS))
    return model.Subscription(name, draw(st.sampled_from(["u1", "u2", "u3"])), where, score, draw(st.integers(1, 3)))


def concepts() -> list[model.Concept]:
    return [model.Concept(name, attribute, membership) for (attribute, name), membership in CONCEPTS.items()]


def matches(catalog: model.Catalog, event: model.Event) -> list[Matched]:
    return list(OracleMatcher.of(catalog).match(event))


def one_broker(catalog: model.Catalog, event: model.Event) -> tuple[str, ...]:
    """What one broker chooses that knows everything."""
    advertisement = catalog.advertisements[event.advertisement or ""]
    best = recipients(
        advertisement, event, matches(catalog, event), scorer_of(catalog, advertisement), catalog.meaning_of
    )
    return tuple(sorted(subscription.id for subscription, _ in best))
