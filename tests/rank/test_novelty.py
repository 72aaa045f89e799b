from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.model import EPOCH, Credit, Event, Filter, FilterKind, RateSpan, Scoring
from rankcast.rank import novelty_of_filter
from rankcast.rank.novelty import NoveltyState


class Seen(NamedTuple):
    matching: tuple[str, ...]
    specific: tuple[str, ...] = ()
    event: Event = Event("e", EPOCH, {})


def feed(novelty, stream):
    """Score each (subscriptions, delivered?) in turn."""
    scores = []
    for matching, is_delivered in stream:
        scores.append(novelty.score(Seen(tuple(matching))))
        if is_delivered:
            novelty.delivered(Seen(tuple(matching)))
    return scores


def test_rate_is_one_less_the_share_of_deliveries_before():
    assert feed(NoveltyState(Scoring.RATE), [("a", True), ("a", False), ("a", True), ("a", False), ("b", False)]) == [
        1,  # nothing was before
        0,  # 1 of 1
        0.5,  # 1 of 2
        1 - 2 / 3,
        1,
    ]


def test_interval_is_the_distance_to_the_last_delivery_and_t_without_one():
    stream = [("a", False), ("a", True), ("a", False), ("b", False), ("a", False), ("b", True), ("b", False)]
    assert feed(NoveltyState(Scoring.INTERVAL), stream) == [1, 2, 1, 4, 3, 6, 1]


@pytest.mark.parametrize("scoring", Scoring)
def test_never_delivered_is_at_least_as_novel_as_anything(scoring):
    # semantics: Errata of the papers: the thesis' literal "last = t - 1" would starve rare subscriptions
    novelty = NoveltyState(scoring)
    scores = feed(novelty, [("a", True), ("a", False), ("a", False), ("a", False)])
    assert novelty.score(Seen(("rare",))) >= max(scores)


def test_event_scores_as_its_most_novel_subscription_and_updates_all_of_them():
    novelty = NoveltyState(Scoring.INTERVAL)
    assert feed(novelty, [("a", True), ("b", False), ("ab", True), ("a", False), ("b", False)]) == [1, 2, 3, 1, 2]


def test_aging_blends_with_the_score_at_the_last_event_that_matched_the_subscription():
    scores = feed(NoveltyState(Scoring.INTERVAL, aging=0.5), [("a", True), ("b", False), ("a", False), ("a", False)])
    assert scores == [
        1,  # the first has no previous score: as it is
        2,
        1.5,  # half of t - last = 2, half of the 1 before
        2.25,  # half of 3, half of 1.5: evaluated though not delivered
    ]


def test_aging_of_zero_never_changes_a_score():
    assert feed(NoveltyState(Scoring.INTERVAL, aging=0), [("a", True), ("b", False), ("a", False)]) == [1, 2, 1]


def test_aging_ages_every_matching_subscription_not_only_the_most_novel():
    novelty = NoveltyState(Scoring.INTERVAL, aging=0.5)
    # at t = 2 both are evaluated: a as 1 (half of 1, half of 1), b as 2; at t = 3 a is half of 2 and half of 1
    assert feed(novelty, [("a", True), ("ab", False), ("a", False)]) == [1, 2, 1.5]


@pytest.mark.parametrize("aging", [-0.1, 1.1])
def test_aging_outside_its_range_is_refused(aging):
    with pytest.raises(ModelError, match=r"aging is .*; it must lie in 0\.\.1"):
        NoveltyState(aging=aging)


def test_candidate_without_subscriptions_is_refused_and_not_counted():
    novelty = NoveltyState()
    with pytest.raises(ModelError, match="event 'e' has no novelty"):
        novelty.score(Seen(()))
    assert novelty.t == 0


def test_forgotten_subscription_starts_afresh_and_kept_one_goes_on():
    novelty = NoveltyState(Scoring.INTERVAL)
    feed(novelty, [("a", True), ("b", True)])
    novelty.keep({"b", "unknown"})
    assert feed(novelty, [("a", False), ("b", False)]) == [3, 2]


def test_late_delivery_counts_from_when_the_user_heard_of_it():
    novelty = NoveltyState(Scoring.INTERVAL)
    first = Seen(("a",))
    novelty.score(first)
    feed(novelty, [("b", False), ("b", False)])
    novelty.delivered(first)
    assert novelty.score(first) == 1


streams = st.lists(st.tuples(st.sets(st.sampled_from("abcd"), min_size=1).map(sorted), st.booleans()), max_size=40)
settings = st.tuples(st.sampled_from(Scoring), st.sampled_from([0, 0.1, 0.5, 1.0]))


@given(streams, settings)
def test_normalised_scores_lie_between_zero_and_one(stream, how):
    novelty = NoveltyState(*how)
    for matching, is_delivered in stream:
        score = novelty.score(Seen(tuple(matching)))
        assert 0 <= novelty.normalise(score) <= 1
        if is_delivered:
            novelty.delivered(Seen(tuple(matching)))


@given(streams, settings, st.integers(0, 40))
def test_goes_on_from_its_state(stream, how, cut):
    whole, before, after = NoveltyState(*how), NoveltyState(*how), NoveltyState(*how)
    feed(before, stream[:cut])
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert feed(whole, stream)[cut:] == feed(after, stream[cut:])
    assert whole.state() == after.state()


def test_state_is_a_copy():
    novelty = NoveltyState(aging=0.5)
    state = novelty.state()
    feed(novelty, [("a", True)])
    assert state == {"t": 0, "delivered": {}, "last": {}, "previous": {}}


def test_credit_to_the_most_novel_alone():
    novelty = NoveltyState(Scoring.INTERVAL, credit=Credit.MOST_NOVEL)
    # at t = 3 b is the most novel (2 against 3 - 1), so only b is credited and a still counts from t = 1
    assert feed(novelty, [("a", True), ("a", False), ("ab", True), ("a", False), ("b", False)]) == [1, 1, 3, 3, 2]


def test_of_equally_novel_ones_the_most_specific_is_credited_then_the_first():
    novelty = NoveltyState(Scoring.RATE, credit=Credit.MOST_NOVEL)
    for specific, credited in ((("c", "b"), "b"), ((), "a")):
        event = Seen(("c", "a", "b"), specific)
        novelty.score(event)
        novelty.delivered(event)
        assert novelty.score(Seen((credited,))) < 1


def test_rates_of_the_period_forget_older_deliveries():
    novelty = novelty_of_filter(Filter(FilterKind.THRESHOLD, 1.0, 2, rates=RateSpan.PERIOD))
    assert feed(novelty, [("a", True), ("a", True), ("a", False), ("a", False)]) == [1, 0, 1, 1]


def test_decayed_rates_weigh_recent_deliveries_more():
    novelty = novelty_of_filter(Filter(FilterKind.THRESHOLD, 1.0, 9, rates=RateSpan.DECAYED, half_life=1))
    # before the third event: a at weight 1/2, none at weight 1
    assert feed(novelty, [("a", True), ("a", False), ("a", False)]) == pytest.approx([1, 0, 1 - 0.5 / 1.5])
