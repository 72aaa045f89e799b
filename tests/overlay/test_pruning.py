"""The kept ones that stand above the next are just those of the order's relation."""

from hypothesis import given
from hypothesis import strategies as st

from rankcast.language import parse
from rankcast.model import Advertisement, Between, Expression, Predicate, Ranking, Subscription
from rankcast.overlay import Area, KnownSubscription, Order, Standing, Weight
from rankcast.overlay.strategies import KeptEntries
from rankcast.testing.strategies import conjunctions, expressions

intervals = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(
    lambda pair: Predicate("a", Between(pair[0], sum(pair)))
)
AREA = Area(Advertisement("a1", "p", parse("a between 1 and 5"), 1))


@given(
    st.one_of(
        st.lists(st.tuples(intervals, st.integers(1, 3)), max_size=12),
        st.lists(st.tuples(st.one_of(intervals, conjunctions(), expressions(1)), st.integers(1, 3)), max_size=10),
    ),
    st.sampled_from(Standing),
    st.sampled_from(Ranking),
    st.sampled_from([AREA, Weight()]),
)
def test_those_of_the_relation(
    wanted: list[tuple[Expression, int]], standing: Standing, ranking: Ranking, scorer: "Area | Weight"
) -> None:
    order = Order(standing, ranking, scorer)
    known = [
        KnownSubscription(Subscription(f"s{at:02}", "u", where, weight=by)) for at, (where, by) in enumerate(wanted)
    ]
    entries = order.entries(known)
    kept = KeptEntries(order, entries)
    for number, entry in enumerate(entries):
        assert kept.above(entry).tolist() == [
            at
            for at, other in enumerate(entries[:number])
            if order.stands_above(other.known.subscription, entry.known.subscription)
        ]
        kept.keep(entry)
