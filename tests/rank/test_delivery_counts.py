"""Counts over all history, a period, a window, or fading (semantics: Novelty counts)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.rank.delivery_counts import DeliveryCounts, FadingCounts, PeriodCounts, WindowCounts

streams = st.lists(st.sets(st.sampled_from("abc")).map(sorted), max_size=60)
MAKERS = {
    "history": DeliveryCounts,
    "period": lambda: PeriodCounts(7),
    "window": lambda: WindowCounts(7),
    "fading": lambda: FadingCounts(7),
}


def figures(counts, stream):
    """Total and counts before each event; an event is delivered for the given subscriptions, or for none."""
    found = []
    for credited in stream:
        counts.advance()
        found.append((counts.total, [counts.of(name) for name in "abc"]))
        counts.add(credited)
    return found


def plain(stream, weights):
    """The same by adding up: `weights` gives the weights of the events before event t, numbered from 0."""
    found = []
    for t in range(len(stream)):
        by = weights(t)
        found.append((sum(by), [sum(w for w, one in zip(by, stream, strict=False) if name in one) for name in "abc"]))
    return found


@given(streams)
def test_by_adding_up(stream):
    assert figures(DeliveryCounts(), stream) == plain(stream, lambda t: [1] * t)
    assert figures(PeriodCounts(7), stream) == plain(stream, lambda t: [int(n >= t // 7 * 7) for n in range(t)])
    assert figures(WindowCounts(7), stream) == plain(stream, lambda t: [int(n >= t - 7) for n in range(t)])


@given(streams)
def test_fading_counts_halve_with_each_half_life(stream):
    shares = [[each / total if total else 0 for each in counts] for total, counts in figures(FadingCounts(7), stream)]
    weighted = plain(stream, lambda t: [0.5 ** ((t - 1 - n) / 7) for n in range(t)])
    expected = [[each / total if total else 0 for each in counts] for total, counts in weighted]
    assert shares == [pytest.approx(each) for each in expected]


def test_fading_counts_stay_small():
    counts = FadingCounts(1)
    figures(counts, ["a"] * 5000)
    assert counts.total < 2**102
    assert counts.of("a") / counts.total == pytest.approx(1, rel=2)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@given(stream=streams, cut=st.integers(0, 60))
def test_goes_on_from_its_state(make, stream, cut):
    whole, before, after = make(), make(), make()
    figures(before, stream[:cut])
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert figures(whole, stream)[cut:] == figures(after, stream[cut:])


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_forgets_subscriptions_and_reads_a_state_of_before(make):
    counts = make()
    figures(counts, ["ab"] * 5)
    counts.keep({"b"})
    assert counts.of("a") == 0 < counts.of("b")
    counts.restore({"t": 3, "delivered": {"b": 1}, "last": {}, "previous": {}})
    figures(counts, ["a"])
    assert counts.total >= 1
