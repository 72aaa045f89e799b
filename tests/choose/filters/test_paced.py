"""The paced filter spends its budget on any stream (semantics: Paced filters)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import ByRank, Paced, event_filter
from rankcast.engine.arrays.filters import FilterBatch, array_filter
from rankcast.model import Filter, FilterKind, Scoring, Update
from rankcast.rank.measures import entropy

PERIOD = 1000
SUBSCRIPTIONS = 10
VARIANTS = [(scoring, aging) for scoring in (Scoring.RATE, Scoring.INTERVAL) for aging in (1.0, 0.1)]


def paced(scoring=Scoring.RATE, aging=1.0, update=Update.PACED, rate=0.2, period=PERIOD):
    return Filter(FilterKind.THRESHOLD, rate, period, scoring, update, aging)


def zipf(exponent, events, seed=0, count=SUBSCRIPTIONS):
    shares = 1 / np.arange(1, count + 1) ** exponent
    return np.random.default_rng(seed).choice(count, events, p=shares / shares.sum())


def run(how, numbers, changes=()):
    """Which events pass, each of which matches one subscription; `changes` are (event, number of subscriptions)."""
    passed, made = [], None
    bounds = [*(event for event, _ in changes), len(numbers)]
    for (start, count), end in zip(changes, bounds[1:], strict=True):
        after = array_filter("u", how, [f"s{number}" for number in range(count)])
        if made is not None:
            after.restore(made.state())
        made = after
        passed.append(made.admit(FilterBatch(numbers[start:end], np.arange(count + 1), np.arange(count))))
    return np.concatenate(passed)


def shares(passed, length):
    """The share of every stretch of this many events."""
    counted = np.concatenate(([0], np.cumsum(passed)))
    return (counted[length:] - counted[:-length]) / length


def halves(first, second):
    return np.concatenate([first, second])


STREAMS = {
    "zipf 1.25": (zipf(1.25, 100_000), [(0, 10)]),
    "zipf 0.75": (zipf(0.75, 100_000), [(0, 10)]),
    "the skew changes": (halves(zipf(0.75, 50_000), zipf(1.25, 50_000)), [(0, 10)]),
    "the popularity is reversed": (halves(zipf(1.25, 50_000), 9 - zipf(1.25, 50_000)), [(0, 10)]),
    "five of ten leave": (halves(zipf(1.25, 50_000), zipf(1.25, 50_000, count=5)), [(0, 10), (50_000, 5)]),
    "five join": (halves(zipf(1.25, 50_000, count=5), zipf(1.25, 50_000)), [(0, 5), (50_000, 10)]),
}


def shortened(numbers, changes):
    """A stream of 30,000 events, with the change in the middle."""
    return numbers[35_000:65_000], [(max(0, event - 35_000), count) for event, count in changes]


@pytest.mark.parametrize(("scoring", "aging"), VARIANTS)
@pytest.mark.parametrize("stream", STREAMS)
def test_any_ten_periods_get_the_rate(stream, scoring, aging):
    numbers, changes = shortened(*STREAMS[stream])
    found = shares(run(paced(scoring, aging), numbers, changes), 10 * PERIOD)
    assert found.min() >= 0.98 * 0.2
    assert found.max() <= 1.02 * 0.2


def spread(numbers, passed):
    return entropy(np.bincount(numbers[passed], minlength=SUBSCRIPTIONS).tolist())


@pytest.mark.parametrize("stream", ["zipf 1.25", "the skew changes", "the popularity is reversed"])
@pytest.mark.parametrize(("scoring", "aging"), VARIANTS)
def test_entropy_is_that_of_the_lazy_form(stream, scoring, aging):
    numbers, changes = STREAMS[stream]
    ours = spread(numbers, run(paced(scoring, aging), numbers, changes))
    lazy = spread(numbers, run(paced(scoring, aging, Update.LAZY), numbers, changes))
    assert ours >= lazy - 0.005


@pytest.mark.parametrize(("scoring", "aging"), VARIANTS)
@pytest.mark.parametrize("stream", ["five of ten leave", "five join"])
def test_entropy_after_a_change_is_that_of_the_lazy_form(stream, scoring, aging):
    numbers, changes = STREAMS[stream]
    ours, lazy = (
        spread(numbers[50_000:], run(paced(scoring, aging, update), numbers, changes)[50_000:])
        for update in (Update.PACED, Update.LAZY)
    )
    assert ours >= lazy - 0.005


def test_turns_by_interval_are_more_even_than_the_lazy_form_and_spend_more():
    for stream in ("zipf 1.25", "zipf 0.75", "the popularity is reversed", "five join"):
        numbers, changes = STREAMS[stream]
        lazy, ours = (
            run(paced(Scoring.INTERVAL, update=update), numbers, changes)[50_000:]
            for update in (Update.LAZY, Update.PACED)
        )
        assert spread(numbers[50_000:], ours) >= spread(numbers[50_000:], lazy) + 0.005, stream
        assert ours.mean() == pytest.approx(0.2, rel=0.001)


@pytest.mark.parametrize("aging", [1.0, 0.1])
def test_any_ten_periods_after_a_join_are_as_even_as_in_the_lazy_form(aging):
    numbers, changes = STREAMS["five join"]
    found = {update: run(paced(aging=aging, update=update), numbers, changes) for update in Update}
    for start in range(50_000, 91_000, 1_000):
        ours, lazy = (
            spread(numbers[start : start + 10_000], found[update][start : start + 10_000])
            for update in (Update.PACED, Update.LAZY)
        )
        assert ours >= lazy - 0.005
    assert spread(numbers, found[Update.PACED]) > spread(numbers, found[Update.LAZY]) + 0.05


@pytest.mark.parametrize("aging", [1.0, 0.1])
def test_while_subscriptions_leave_it_is_as_even_as_any_filter_that_spends_the_rate(aging):
    """Lazy has up to 0.18 bits more in such ten periods, because it spends 0.12 instead of 0.2."""
    numbers, changes = STREAMS["five of ten leave"]
    passed = run(paced(aging=aging), numbers, changes)
    for start in range(41_000, 50_000, 1000):
        before, after = 0.2 * (50_000 - start) / 10, 0.2 * (start - 40_000) / 5  # for each subscription that is there
        even = entropy([before + after] * 5 + [before] * 5)
        assert spread(numbers[start : start + 10_000], passed[start : start + 10_000]) >= even - 0.005


def test_second_subscription_does_not_starve_its_user():
    # one subscription, 10,000 matches; then a second one joins and matches as often as the first
    numbers = halves(np.zeros(10_000, np.int64), zipf(0, 4000, count=2))
    joins = [(0, 1), (10_000, 2)]
    by_thousand = {
        update: run(paced(update=update), numbers, joins).reshape(-1, 1000).sum(axis=1)[10:].tolist()
        for update in Update
    }
    # the first period after the change still has the threshold of before
    assert max(by_thousand[Update.LAZY][1:]) < 20, "the rule of the thesis starves the user"
    assert max(by_thousand[Update.EAGER][1:]) < 20
    assert min(by_thousand[Update.PACED]) >= 0.98 * 200 - 20
    assert sum(by_thousand[Update.PACED]) >= 0.98 * 800 - 20


@pytest.mark.parametrize(("scoring", "aging"), VARIANTS)
@pytest.mark.parametrize("stream", ["five of ten leave", "five join"])
def test_three_periods_after_a_change_the_share_is_back(stream, scoring, aging):
    passed = run(paced(scoring, aging), *shortened(*STREAMS[stream]))[18_000:]
    assert abs(shares(passed, 10 * PERIOD) - 0.2).max() <= 0.02 * 0.2
    assert passed[:1000].mean() == pytest.approx(0.2, abs=0.02)


@given(
    st.integers(1, 60).flatmap(
        lambda period: st.tuples(st.floats(1 / period, 1), st.just(period), st.lists(st.floats(0, 1), max_size=300))
    )
)
def test_unspent_budget_is_bounded_for_any_scores(candidate, stream):
    rate, period, ranks = stream
    made = Paced(ByRank(), rate, period)
    passed = 0
    for seq, rank in enumerate(ranks, 1):
        passed += made.admit(candidate(seq, "a", rank)).passed
        assert -1 < rate * seq - passed <= max(1, 0.2 * rate * period - 1) + rate


def test_falling_scores_are_still_delivered(candidate):
    made = Paced(ByRank(), 0.2, 100)
    passed = [made.admit(candidate(seq, "a", 1 - seq / 1000)).passed for seq in range(1, 1001)]
    assert sum(passed) == pytest.approx(200, abs=4)


def test_says_why(candidate):
    made = event_filter("u", paced(Scoring.SCORE, rate=0.5, period=100))
    verdicts = [made.admit(candidate(seq, "a", rank)) for seq, rank in enumerate([0.5] * 40 + [0.1, 0.9], 1)]
    assert verdicts[0].reason == "passed the paced filter: so much of its budget is unspent that every event passes"
    assert verdicts[1].reason == "stopped by the paced filter: 1 of 2 events passed, which is the rate 0.5"
    assert verdicts[40].reason == "stopped by the paced filter: score 0.1 below the threshold 0.5"
    assert verdicts[41].reason == "passed the paced filter: score 0.9 reaches the threshold 0.5"
    assert made.threshold > 0


@pytest.mark.parametrize("kind", [FilterKind.SAMPLING, FilterKind.MINIMUM])
def test_other_filters_take_it_as_eager(zipf, kind):
    made = [event_filter("u", Filter(kind, 0.2, 50, update=update)) for update in (Update.EAGER, Update.PACED)]
    passed = [[one.admit(event).passed for event in zipf(500, 1.25)] for one in made]
    assert passed[0] == passed[1]
