"""The kept ones above the next: the same in numpy as one normal form at a time."""

from hypothesis import given
from hypothesis import strategies as st

from rankcast.language import parse
from rankcast.model import Advertisement, Between, Predicate, Ranking, Subscription
from rankcast.overlay import Area, Known, Order, Standing, Weight
from rankcast.overlay.pruning import kept_of

intervals = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(
    lambda pair: Predicate("a", Between(pair[0], sum(pair)))
)
AREA = Area(Advertisement("a1", "p", parse("a between 1 and 5"), 1))


@given(
    st.lists(st.tuples(intervals, st.integers(1, 3)), max_size=12),
    st.sampled_from(Standing),
    st.sampled_from(Ranking),
    st.sampled_from([AREA, Weight()]),
)
def test_boxes_and_forms_agree(
    wanted: list[tuple[Predicate, int]], standing: Standing, ranking: Ranking, scorer: "Area | Weight"
) -> None:
    order = Order(standing, ranking, scorer)
    known = [Known(Subscription(f"s{at:02}", "u", where, weight=by)) for at, (where, by) in enumerate(wanted)]
    entries = order.entries(known)
    fast, slow = kept_of(order, entries), kept_of(order, [entry._replace(box=None) for entry in entries])
    for number, entry in enumerate(entries):
        above = fast.above(entry).tolist()
        assert above == slow.above(entry._replace(box=None)).tolist()
        assert above == [
            at
            for at, other in enumerate(entries[:number])
            if order.stands_above(other.known.subscription, entry.known.subscription)
        ]
        fast.keep(entry)
        slow.keep(entry)
