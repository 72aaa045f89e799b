import pytest

from rankcast.choose.filters import Sampling, chance
from rankcast.model import Filter, FilterKind, RateSpan, Scoring, Update


def sampling(rate=0.5, period=4, **settings):
    return Sampling("u", Filter(FilterKind.SAMPLING, rate, period, **settings))


def feed(event_filter, candidate, stream, start=1):
    return [event_filter.admit(candidate(seq, s)) for seq, s in enumerate(stream, start)]


def probabilities(event_filter, subscriptions="ab"):
    return [event_filter.probability(s) for s in subscriptions]


def test_everything_passes_until_the_first_update_and_the_budget(candidate):
    verdicts = feed(sampling(), candidate, "aaba")
    assert [one.passed for one in verdicts] == [True, True, False, False]
    assert verdicts[2].reason == "stopped by the sampling filter: 2 of 4 events passed already"


def test_rate_form_shares_the_rate_among_the_active(candidate):
    event_filter = sampling(rate=0.6)
    feed(event_filter, candidate, "aaa")
    assert probabilities(event_filter) == pytest.approx([1, 1])
    feed(event_filter, candidate, "b", start=4)
    # m = 0.3; a matches 3/4: 0.3 / 0.75; b matches 1/4 < 0.3: always. "c" never matched
    assert probabilities(event_filter, "abc") == pytest.approx([0.4, 1, 1])


def test_match_rate_equal_to_the_share_gives_one_either_way(candidate):
    event_filter = sampling(rate=0.5)
    feed(event_filter, candidate, "aaab")
    assert probabilities(event_filter) == pytest.approx([0.25 / 0.75, 1])


def test_interval_form_takes_the_mean_distance_of_consecutive_matches(candidate):
    event_filter = sampling(rate=0.4, period=6, scoring=Scoring.INTERVAL)
    feed(event_filter, candidate, "abbabb")
    # m = 0.2; a at 1 and 4: distance 3; b at 2, 3, 5, 6: mean 4/3
    assert probabilities(event_filter) == pytest.approx([0.6, 0.2 * 4 / 3])


def test_interval_form_without_two_matches_always_passes(candidate):
    event_filter = sampling(rate=0.5, period=2, scoring=Scoring.INTERVAL)
    feed(event_filter, candidate, "ab")
    assert probabilities(event_filter) == pytest.approx([1, 1])


def test_eager_uses_the_events_before_this_one(candidate):
    event_filter = sampling(rate=0.6, update=Update.EAGER)
    seen = []
    for seq, s in enumerate("aabaa", 1):
        event_filter.admit(candidate(seq, s))
        seen.append(event_filter.probability(s))
    assert seen == pytest.approx([1, 0.6, 1, 0.3 / (2 / 3), 0.3 / 0.75])


def test_rates_of_the_period_forget_older_ones(candidate):
    event_filter = sampling(rate=0.6, rates=RateSpan.PERIOD)
    feed(event_filter, candidate, "aaab" + "bbbb")
    # a did not match in the last period, b always did; both are active
    assert probabilities(event_filter) == pytest.approx([1, 0.3])
    history = sampling(rate=0.6)
    feed(history, candidate, "aaab" + "bbbb")
    assert probabilities(history) == pytest.approx([0.8, 0.48])


def test_rates_of_the_window_forget_older_ones(candidate):
    event_filter = sampling(rate=0.6, update=Update.EAGER, rates=RateSpan.PERIOD)
    feed(event_filter, candidate, "aaab" + "bbbb" + "a")
    assert probabilities(event_filter) == pytest.approx([1, 0.3])  # each as of its last event: four times b before it
    feed(event_filter, candidate, "b", start=10)
    assert event_filter.probability("b") == pytest.approx(0.3 / 0.75)


def test_aging_slows_the_probability_down(candidate):
    event_filter = sampling(rate=0.6, aging=0.5)
    feed(event_filter, candidate, "aaab")
    assert probabilities(event_filter) == pytest.approx([0.7, 1])  # half of 0.4, half of the 1 at first
    feed(event_filter, candidate, "aaab", start=5)
    assert probabilities(event_filter) == pytest.approx([0.55, 1])


def test_event_takes_the_chance_of_its_most_novel_subscription(candidate):
    event_filter = sampling(rate=0.6)
    feed(event_filter, candidate, "aaab")
    assert event_filter.probability("a") < 1 == event_filter.probability("b")
    assert all(one.passed for one in feed(event_filter, candidate, ["ab", "ab"], start=5))


def test_draws_by_user_seed_and_event(candidate):
    event_filter = sampling(rate=0.6, period=1000, update=Update.EAGER, seed=3)
    for seq in range(1, 200):
        one = candidate(seq, "a")
        verdict = event_filter.admit(one)
        drawn = chance(3, "u", one.event.id)
        assert verdict.passed == (drawn < event_filter.probability("a"))
        assert f"drawn {drawn:.4f}, probability {event_filter.probability('a'):.4f}" in verdict.reason


def test_forgotten_subscriptions_leave_their_share_to_the_others(candidate):
    event_filter = sampling(rate=0.6)
    feed(event_filter, candidate, "aaab")
    event_filter.keep({"a"})
    feed(event_filter, candidate, "aaaa", start=5)
    assert probabilities(event_filter) == [pytest.approx(0.6), 1]


@pytest.mark.parametrize("scoring", [Scoring.RATE, Scoring.INTERVAL])
@pytest.mark.parametrize("update", [Update.LAZY, Update.EAGER])
def test_matches_of_a_subscription_that_left_no_longer_count(candidate, update, scoring):
    event_filter = sampling(0.2, 1000, update=update, scoring=scoring)
    feed(event_filter, candidate, "abcc" * 250)
    event_filter.keep({"a", "b"})
    feed(event_filter, candidate, "ab" * 500, start=1001)
    # each of the two matches half of what remains and has half of the rate; with the matches of c it would be 0.15
    assert probabilities(event_filter) == pytest.approx([0.2, 0.2], abs=0.001)
