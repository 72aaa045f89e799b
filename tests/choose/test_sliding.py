"""semantics: Delivery modes: sliding-window delivery."""

import sys
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import DivRank, Exact, Greedy, Improved, Moment, Sliding, select
from rankcast.choose.distance_table import DistanceTable
from rankcast.model import EPOCH, Length, Unit

FOUR_MINUTES = Length(timedelta(minutes=4), Unit.TIME)


def minute(n):
    return EPOCH + timedelta(minutes=n)


def seqs(candidates):
    return [candidate.seq for candidate in candidates]


@pytest.mark.parametrize("optimizer", [Greedy(), Exact()])
@pytest.mark.parametrize("length", [Length(4), Length(4, Unit.MATCHED), FOUR_MINUTES])
@pytest.mark.parametrize(
    ("sigma", "expected"),
    [(0.5, "e1 | e2 | - | e4 | e5 | e3 e6 | e7 | e8"), (1, "e1 | e2 | - | e4 | e5 | e6 | e7 | e8")],
)
def test_the_first_example_of_spec_4(genres, publish, sent, length, sigma, expected, optimizer):
    steps = publish(Sliding(2, length, DivRank(sigma), optimizer), genres)
    assert sent(steps) == expected
    assert [(step.window, step.forwarded) for step in steps] == [(n, minute(n)) for n in range(1, 9)]


def test_the_second_example_of_spec_4_where_two_enter_at_once(directors, publish, sent):
    assert sent(publish(Sliding(2, Length(3), DivRank(0.5)), directors)) == "e1 | e2 | - | e4 | e3 e5"


def test_a_step_shows_the_window_and_its_top_k(genres, publish):
    sixth = publish(Sliding(2, Length(4), DivRank(0.5)), genres)[5]
    assert (seqs(sixth.candidates), seqs(sixth.chosen), seqs(sixth.sent)) == ([3, 4, 5, 6], [3, 6], [3, 6])


def test_what_drops_out_lets_an_older_one_in_even_when_nothing_matches(candidate):
    mode = Sliding(1, Length(3), DivRank(1))
    assert seqs(mode.publish(Moment(1, minute(1)), candidate(1, 0.9))[0].sent) == [1]
    assert seqs(mode.publish(Moment(2, minute(2)), candidate(2, 0.5))[0].sent) == []
    assert mode.publish(Moment(3, minute(3)), None) == []
    (step,) = mode.publish(Moment(4, minute(4)), None)
    assert (step.window, step.forwarded, seqs(step.sent)) == (4, minute(4), [2])


def test_a_window_of_matches_only_moves_with_a_match(candidate):
    mode = Sliding(1, Length(2, Unit.MATCHED), DivRank(1))
    mode.publish(Moment(1, minute(1)), candidate(1, 0.9))
    mode.publish(Moment(2, minute(2)), candidate(2, 0.5))
    assert [mode.publish(Moment(seq, minute(seq)), None) for seq in range(3, 50)] == [[]] * 47
    (step,) = mode.publish(Moment(50, minute(50)), candidate(50, 0.1))
    assert (seqs(step.candidates), seqs(step.sent)) == ([2, 50], [2])


def test_an_emptied_window_is_a_step_that_sends_nothing(candidate):
    mode = Sliding(1, Length(1), DivRank(1))
    mode.publish(Moment(1, minute(1)), candidate(1))
    (step,) = mode.publish(Moment(2, minute(2)), None)
    assert (step.candidates, step.chosen, step.sent) == ((), (), ())
    assert mode.publish(Moment(3, minute(3)), None) == []


def test_what_comes_back_into_the_top_k_is_not_sent_again(candidate, publish, sent):
    # e3 makes e2 and e3 the best pair, then e4 makes it e1 and e4
    stream = [
        candidate(1, 0.5, p="1", q="1"),
        candidate(2, 0.5, p="2", q="3"),
        candidate(3, 0.9, p="1", q="2"),
        candidate(4, 1.0, p="2", q="2"),
    ]
    steps = publish(Sliding(2, Length(9), DivRank(0.5)), stream)
    assert [seqs(step.chosen) for step in steps] == [[1], [1, 2], [2, 3], [1, 4]]
    assert sent(steps) == "e1 | e2 | e3 | e4"


def test_events_of_one_instant_each_make_a_window(candidate, publish, sent):
    stream = [candidate(seq, 0.5, minute=1) for seq in (1, 2, 3)]
    assert sent(publish(Sliding(1, Length(timedelta(minutes=1), Unit.TIME), DivRank(1)), stream)) == "e1 | e2 | e3"


def test_distances_and_memory_of_sent_stay_within_the_window(candidate, publish):
    objective = DivRank(0.5)
    mode = Sliding(2, Length(5), objective)
    publish(mode, [candidate(seq, x=str(seq % 7)) for seq in range(1, 60)])
    assert len(objective.distance) <= 5 * 4 / 2
    assert len(mode.state()["sent"]) <= 5


@pytest.mark.parametrize("optimizer", [Greedy(), Improved()])
@pytest.mark.parametrize("worth", [10**9, -1], ids=["plain", "compiled"])
def test_a_window_that_slides_measures_its_new_event_only(candidate, monkeypatch, optimizer, worth):
    length, count, measured = 40, 120, []
    module = sys.modules["rankcast.choose.distance"]
    plainly, take = module.distance, DistanceTable._take

    def measure(a, b, *given):
        measured.append((a.seq, b.seq))
        return plainly(a, b, *given)

    def taken(self, new):
        measured.extend((event.seq, other) for event in new for other in range(event.seq - length, event.seq))
        take(self, new)

    monkeypatch.setattr("rankcast.choose.loading._WORTH", worth)
    monkeypatch.delitem(sys.modules, "rankcast.choose.kernels.greedy", raising=False)
    monkeypatch.setattr(module, "distance", measure)
    monkeypatch.setattr(DistanceTable, "_take", taken)
    mode = Sliding(5, Length(length), DivRank(0.5), optimizer)
    for seq in range(1, count + 1):
        mode.publish(Moment(seq, minute(seq)), candidate(seq, 0.5 + seq % 9 / 20, x=str(seq % 7)))
    assert 0 < len(measured) <= 1.5 * count * length, "all pairs of each window would be 20 times as many"


STREAM = st.lists(
    st.none()
    | st.tuples(st.integers(0, 10).map(lambda n: n / 10), st.sampled_from("abc"), st.sampled_from("xy"))
    | st.tuples(st.sampled_from([0.5, 0.9]), st.sampled_from("ab"), st.just("x")),
    max_size=25,
)


@given(STREAM, st.integers(1, 4), st.integers(1, 6), st.sampled_from(Unit), st.sampled_from([0, 0.3, 0.5, 1]))
def test_it_is_the_selection_of_every_window_computed_anew(candidate, stream, k, length, unit, sigma):
    amount = timedelta(minutes=length) if unit is Unit.TIME else length
    mode = Sliding(k, Length(amount, unit), DivRank(sigma))
    matching, ever_sent = [], set()
    for seq, movie in enumerate(stream, 1):
        here = candidate(seq, movie[0], g=movie[1], d=movie[2]) if movie else None
        steps = mode.publish(Moment(seq, minute(seq)), here)
        matching += [here] if here else []
        window = matching[-length:] if unit is Unit.MATCHED else [c for c in matching if c.seq > seq - length]
        expected = [c.seq for c in select(window, k, DivRank(sigma)).chosen if c.seq not in ever_sent]
        ever_sent.update(expected)
        assert [c.seq for step in steps for c in step.sent] == expected
        assert len(steps) == 1 if here else len(steps) <= 1


@given(STREAM, st.integers(1, 4), st.integers(1, 6), st.sampled_from([Unit.EVENTS, Unit.MATCHED]))
def test_proposition_2_without_diversity_at_most_one_enters(candidate, stream, k, length, unit):
    mode = Sliding(k, Length(length, unit), DivRank(1))
    before = set()
    for seq, movie in enumerate(stream, 1):
        here = candidate(seq, movie[0], g=movie[1]) if movie else None
        for step in mode.publish(Moment(seq, minute(seq)), here):
            assert len(set(seqs(step.chosen)) - before) <= 1
            assert len(step.sent) <= 1
            before = set(seqs(step.chosen))
