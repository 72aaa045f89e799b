from collections import Counter
from datetime import timedelta
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.model import EPOCH, Decay, Decaying, Event, Length, Unit
from rankcast.rank.decaying import DecayingNovelty, with_starts


class Seen(NamedTuple):
    matching: tuple[str, ...]
    specific: tuple[str, ...]
    event: Event = Event("e", EPOCH, {})


def seen(matching, specific=None, seq=0, seconds=0.0):
    event = Event("e", EPOCH + timedelta(seconds=seconds), {}, seq=seq)
    return Seen(tuple(matching), tuple(matching if specific is None else specific), event)


def test_linear_subtracts_and_is_read_before_the_update():
    novelty = DecayingNovelty(Decaying(beta=2, alpha=0.5))
    assert [novelty.score(seen("a")) for _ in range(3)] == [2, 1.5, 1]
    assert novelty.novelty("a") == 0.5
    assert novelty.novelty("never seen") == 2


def test_exponential_multiplies():
    novelty = DecayingNovelty(Decaying(beta=2, alpha=0.5, form=Decay.EXPONENTIAL))
    assert [novelty.score(seen("a")) for _ in range(3)] == [2, 1, 0.5]


def test_importance_is_the_maximum_of_the_most_specific_and_all_matching_decay():
    novelty = DecayingNovelty(Decaying(alpha=0.1))
    novelty.score(seen("gb", "b"))  # b is more specific than g
    novelty.score(seen("gb", "b"))
    assert novelty.score(seen("g")) == 0.8
    assert novelty.score(seen("gc", "c")) == 1
    assert novelty.score(seen("gbc", "bc")) == 0.9, "the more novel of b (0.8) and c (0.9); g is not asked"
    assert [novelty.novelty(s) for s in "gbc"] == [0.5, 0.7, 0.8]


def test_linear_goes_below_zero_but_its_normal_form_does_not():
    novelty = DecayingNovelty(Decaying(beta=0.5, alpha=0.5))
    scores = [novelty.score(seen("a")) for _ in range(3)]
    assert scores == [0.5, 0, -0.5]
    assert [novelty.normalise(score) for score in scores] == [1, 0, 0]


def test_period_of_matched_events_resets_to_beta():
    novelty = DecayingNovelty(Decaying(alpha=0.1, period=Length(2, Unit.MATCHED)))
    assert [novelty.score(seen("a")) for _ in range(5)] == [1, 0.9, 1, 0.9, 1]


def test_period_of_published_events_counts_those_that_do_not_match_too():
    novelty = DecayingNovelty(Decaying(alpha=0.1, period=Length(4)))
    assert [novelty.score(seen("a", seq=seq)) for seq in (1, 4, 5, 8, 9, 17)] == [1, 0.9, 1, 0.9, 1, 1]


def test_period_of_time_aligns_to_its_origin():
    def scores(origin):
        novelty = DecayingNovelty(Decaying(alpha=0.1, period=Length(timedelta(minutes=1), Unit.TIME)), origin)
        return [novelty.score(seen("a", seconds=seconds)) for seconds in (0, 59.999999, 60, 95)]

    assert scores(EPOCH) == [1, 0.9, 1, 0.9]
    assert scores(EPOCH + timedelta(seconds=30)) == [1, 1, 0.9, 1]


def test_window_keeps_only_the_last_matches():
    matched = DecayingNovelty(Decaying(alpha=0.1, window=Length(2, Unit.MATCHED)))
    assert [matched.score(seen(s)) for s in "aaabba"] == [1, 0.9, 0.9, 1, 0.9, 1]
    published = DecayingNovelty(Decaying(alpha=0.1, window=Length(2)))
    assert [published.score(seen("a", seq=seq)) for seq in (1, 2, 3, 5, 6)] == [1, 0.9, 0.9, 1, 0.9]
    timed = DecayingNovelty(Decaying(alpha=0.1, window=Length(timedelta(seconds=10), Unit.TIME)))
    assert [timed.score(seen("a", seconds=s)) for s in (0, 9, 10, 30)] == [1, 0.9, 0.9, 1]


def test_more_general_subscriptions_lose_novelty_faster_as_in_dbrank_figure_2():
    children = {"s1": ("s3", "s4"), "s2": ("s5", "s6", "s7")}
    novelty = DecayingNovelty(Decaying(beta=1.0, alpha=0.001))
    kinds = [(parent, child) for parent, below in children.items() for child in below]
    counts = Counter()
    for number in range(1000):
        parent, child = kinds[number * 7919 % 1000 % 5]
        novelty.score(seen((parent, child), (child,)))
        counts.update((parent, child))
    assert {s: novelty.novelty(s) for s in counts} == {s: round(1 - n / 1000, 12) for s, n in counts.items()}
    assert novelty.novelty("s2") < novelty.novelty("s1") < min(novelty.novelty(f"s{n}") for n in range(3, 8))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beta": 0}, "must be above 0 and at most 1,000,000"),
        ({"alpha": 0}, "must be above 0 and at most 1,000,000"),
        ({"alpha": 1, "form": Decay.EXPONENTIAL}, "must be below 1"),
        ({"period": Length(1), "window": Length(1)}, "not over both"),
    ],
)
def test_refuses_what_cannot_decay(arguments, message):
    with pytest.raises(ModelError, match=message):
        Decaying(**arguments)


def test_candidate_without_subscriptions_is_refused():
    with pytest.raises(ModelError, match="event 'e' has no novelty"):
        DecayingNovelty().score(seen(""))


def test_forgotten_subscription_that_returns_is_not_touched_by_its_former_life():
    novelty = DecayingNovelty(Decaying(alpha=0.1, window=Length(3, Unit.MATCHED)))
    for matching in ("a", "ab"):
        novelty.score(seen(matching))
    novelty.keep({"b"})
    assert novelty.novelty("a") == 1
    assert novelty.novelty("b") == 0.9
    assert [novelty.score(seen("a")) for _ in range(3)] == [1, 0.9, 0.8]


lengths = st.sampled_from(
    [
        {},
        {"period": Length(3, Unit.MATCHED)},
        {"period": Length(7)},
        {"window": Length(3, Unit.MATCHED)},
        {"window": Length(7)},
        {"window": Length(timedelta(seconds=9), Unit.TIME)},
    ]
)
events = st.lists(st.tuples(st.integers(1, 5), st.sets(st.sampled_from("abc"), min_size=1).map(sorted)), max_size=40)


@given(events, lengths, st.sampled_from(Decay), st.integers(0, 40))
def test_goes_on_from_its_state(steps, length, decay, cut):
    stream, seq = [], 0
    for gap, matching in steps:
        seq += gap
        stream.append(seen(matching, seq=seq, seconds=seq))
    whole, before, after = (DecayingNovelty(Decaying(decay, 1.0, 0.1, **length)) for _ in range(3))
    for candidate in stream[:cut]:
        before.score(candidate)
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert [whole.score(c) for c in stream][cut:] == [after.score(c) for c in stream[cut:]]
    assert whole.state() == after.state()


def test_subscriptions_may_start_apart():
    novelty = DecayingNovelty(Decaying(beta=1, alpha=0.5, betas={"a": 4}))
    assert [novelty.score(seen("a")), novelty.score(seen("b")), novelty.score(seen("ab"))] == [4, 1, 3.5]
    assert novelty.normalise(2) == 0.5, "a share of the highest start"


def test_starts_in_proportion_to_preference():
    assert with_starts(Decaying(beta=2), {"a": 0.5}) == Decaying(beta=2)
    found = with_starts(Decaying(beta=2, betas={"b": 1}, preferred=True), {"a": 0.5, "b": 0})
    assert found == Decaying(beta=2, betas={"a": 1.0, "b": 0.0})
