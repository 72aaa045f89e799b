import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import ByRank, Threshold
from rankcast.model import Scoring, Update
from rankcast.rank.novelty import NoveltyState

SCALE = [0.9, 0.1, 0.5, 0.7, 0.8, 0.6, 0.7, 0.2, 0.9, 0.7, 0.7, 0.8]


def passed(threshold, candidates):
    return [threshold.admit(one).passed for one in candidates]


@pytest.fixture(scope="session")
def ranked(candidate):
    return [candidate(seq, "a", rank) for seq, rank in enumerate(SCALE, 1)]


def test_lazy_compares_with_the_kth_highest_of_the_previous_period(ranked):
    threshold = Threshold(ByRank(), rate=0.5, period=4)
    assert passed(threshold, ranked[:4]) == [True, True, False, False], "it starts at 0, and the budget is 2"
    assert threshold.threshold == 0.7
    assert passed(threshold, ranked[4:8]) == [True, False, True, False], "a score equal to the threshold passes"
    assert threshold.threshold == 0.7
    assert passed(threshold, ranked[8:]) == [True, True, False, False], "no more than 2"


def test_eager_compares_with_the_kth_highest_of_the_window_before_the_event(ranked):
    threshold = Threshold(ByRank(), rate=0.5, period=4, update=Update.EAGER)
    bars, decisions = [], []
    for one in ranked[:8]:
        bars.append(threshold.threshold)
        decisions.append(threshold.admit(one).passed)
    assert bars == [0, 0, 0.1, 0.5, 0.7, 0.7, 0.7, 0.7]
    # the third and fourth find two passes in the window, the fifth too: the window before it is the first four
    assert decisions == [True, True, False, False, False, False, True, False]


def test_verdict_says_why(ranked):
    threshold = Threshold(ByRank(), rate=0.5, period=4)
    reasons = [threshold.admit(one).reason for one in ranked[:6]]
    assert reasons[0] == "passed the threshold filter: score 0.9 reaches the threshold 0"
    assert reasons[2] == "stopped by the threshold filter: 2 of 4 events passed already"
    assert reasons[5] == "stopped by the threshold filter: score 0.6 below the threshold 0.7"


def test_verdict_shows_the_difference_of_close_scores(candidate):
    threshold = Threshold(ByRank(), rate=1, period=1)
    threshold.admit(candidate(1, "a", 0.62345))
    reason = threshold.admit(candidate(2, "a", 0.62341)).reason
    assert reason == "stopped by the threshold filter: score 0.62341 below the threshold 0.62345"


def test_what_passes_is_delivered_in_the_eyes_of_the_novelty(candidate):
    threshold = Threshold(NoveltyState(Scoring.RATE), rate=0.5, period=2)
    # t 1: 1 passes; t 2: 0, no room; the threshold becomes 1; t 3: a is at 1/2, t 4: b at 1
    assert passed(threshold, [candidate(seq, s) for seq, s in enumerate("aaab", 1)]) == [True, False, False, True]


def test_scores_that_differ_by_rounding_only_are_equal(candidate):
    threshold = Threshold(ByRank(), rate=1, period=1)
    threshold.admit(candidate(1, "a", 0.1 + 0.2))
    assert threshold.admit(candidate(2, "a", 0.3)).passed


def test_keep_forgets_in_the_novelty(candidate):
    threshold = Threshold(NoveltyState(Scoring.RATE), rate=0.5, period=2)
    threshold.admit(candidate(1, "a"))
    threshold.admit(candidate(2, "a"))
    threshold.keep(set())
    assert threshold.admit(candidate(3, "a")).passed


@given(
    st.lists(st.tuples(st.integers(1, 9), st.sets(st.sampled_from("abc"), min_size=1).map(sorted)), max_size=60),
    st.sampled_from(Scoring),
    st.sampled_from([0.3, 1.0]),
    st.integers(1, 8),
    st.floats(0.05, 1),
)
def test_eager_agrees_with_sorting_the_window(candidate, stream, scoring, aging, window, rate):
    threshold = Threshold(NoveltyState(scoring, aging), rate, window, Update.EAGER)
    novelty, k = NoveltyState(scoring, aging), threshold._budget.k
    scores, decisions = [], []
    for seq, (_, matching) in enumerate(stream, 1):
        one = candidate(seq, matching)
        score = novelty.score(one)
        recent = sorted(scores[-window:], reverse=True)
        bar = recent[k - 1] if 0 < k <= len(recent) else 0
        decisions.append(score >= bar and sum(decisions[-window:]) < k)
        if decisions[-1]:
            novelty.delivered(one)
        scores.append(score)
        assert threshold.admit(one).passed == decisions[-1]
