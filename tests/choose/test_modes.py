"""semantics: Delivery modes: the delivery mode of a policy; and what all modes have in common."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import AllEvents, History, Moment, Periodic, Sliding, delivery_mode
from rankcast.model import EPOCH, Length, Mode, Policy, Select, Ties, Unit


@pytest.mark.parametrize(
    ("mode", "expected"),
    [(Mode.ALL, AllEvents), (Mode.PERIODIC, Periodic), (Mode.SLIDING, Sliding), (Mode.HISTORY, History)],
)
def test_each_mode_has_its_type(mode, expected):
    assert type(delivery_mode(Policy("u", mode, k=2, length=Length(4)))) is expected


def test_a_user_without_a_policy_gets_everything():
    assert type(delivery_mode(Policy("u"))) is AllEvents


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Mode.PERIODIC, "e2 e4 | e7 e8"),
        (Mode.SLIDING, "e1 | e2 | - | e4 | e5 | e3 e6 | e7 | e8"),
        (Mode.HISTORY, "e1 | e2 | - | - | e5 | e6 | - | e8"),
        (Mode.ALL, "e1 | e2 | e3 | e4 | e5 | e6 | e7 | e8"),
    ],
)
def test_the_examples_of_spec_4(genres, publish, sent, mode, expected):
    policy = Policy("addison", mode, k=2, length=Length(4), sigma=0.5)
    assert sent(publish(delivery_mode(policy), genres)) == expected


def test_a_policy_may_weigh_and_name_the_attributes_of_the_distance(directors, publish, sent):
    def sliding(**more):
        return delivery_mode(Policy("u", Mode.SLIDING, k=2, length=Length(3), sigma=0.5, **more))

    by_director = sliding(attributes=("director",))
    weightless = sliding(weights={"genre": 0.0})
    assert sent(publish(by_director, directors)) == "e1 | e2 | - | e4 | e5"
    assert sent(publish(weightless, directors)) == "e1 | e2 | - | e4 | e5"


def test_a_policy_may_give_the_origin_of_periods(candidate, publish):
    length, origin = Length(timedelta(minutes=30), Unit.TIME), EPOCH + timedelta(minutes=10)
    mode = delivery_mode(Policy("u", Mode.PERIODIC, k=2, length=length, origin=origin))
    assert [step.window for step in publish(mode, [candidate(1, minute=9), candidate(2, minute=11)])] == [0, 1]


def test_a_policy_may_let_equals_replace(candidate, publish, sent):
    mode = delivery_mode(Policy("u", Mode.HISTORY, k=1, length=Length(9), ties=Ties.REPLACE))
    assert sent(publish(mode, [candidate(1, 0.5), candidate(2, 0.5)])) == "e1 | e2"


@pytest.mark.parametrize(
    ("select", "expected"), [(Select.GREEDY, [3, 4, 5]), (Select.IMPROVED, [3, 4, 5]), (Select.EXACT, [1, 2, 4])]
)
def test_a_policy_may_ask_for_the_best_of_all_sets(candidate, publish, select, expected):
    movies = [(0.5, "b", "a"), (0.5, "c", "c"), (0.7, "c", "a"), (0.9, "a", "b"), (0.5, "b", "b")]
    mode = delivery_mode(Policy("u", Mode.PERIODIC, k=3, length=Length(9), sigma=0.5, select=select))
    (step,) = publish(mode, [candidate(seq, rank, x=x, y=y) for seq, (rank, x, y) in enumerate(movies, 1)])
    assert [each.seq for each in step.sent] == expected


@pytest.mark.parametrize(("select", "expected"), [(Select.GREEDY, [2, 3, 4]), (Select.IMPROVED, [1, 2, 3])])
def test_a_policy_may_ask_for_swaps(candidate, publish, select, expected):
    movies = [(0.9, "b", "a"), (0.7, "a", "c"), (0.9, "b", "a"), (0.7, "b", "c")]
    mode = delivery_mode(Policy("u", Mode.PERIODIC, k=3, length=Length(9), sigma=0.5, select=select))
    (step,) = publish(mode, [candidate(seq, rank, x=x, y=y) for seq, (rank, x, y) in enumerate(movies, 1)])
    assert [each.seq for each in step.sent] == expected


POLICIES = st.builds(
    Policy,
    user=st.just("u"),
    mode=st.sampled_from(Mode),
    k=st.integers(1, 3),
    length=st.one_of(
        st.builds(Length, st.integers(1, 6), st.sampled_from([Unit.EVENTS, Unit.MATCHED])),
        st.builds(Length, st.integers(1, 300).map(lambda n: timedelta(seconds=n)), st.just(Unit.TIME)),
    ),
    sigma=st.sampled_from([0, 0.5, 1]),
    ties=st.sampled_from(Ties),
    select=st.sampled_from(Select),
    attributes=st.sampled_from([None, ("g",)]),
    weights=st.sampled_from([{}, {"g": 2.0}]),
)
EVENTS = st.lists(
    st.tuples(
        st.integers(1, 3),  # by how much seq grows
        st.sampled_from([0, 1, 20, 61.5, 200]),  # and time, in seconds
        st.none() | st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from(["a", "b", ("a", "b")])),
    ),
    max_size=16,
)


def published(candidate, events):
    seq, seconds, stream = 0, 0.0, []
    for step, pause, movie in events:
        seq, seconds = seq + step, seconds + pause
        here = candidate(seq, movie[0], minute=seconds / 60, g=movie[1], n=seq % 3) if movie else None
        stream.append((Moment(seq, here.event.time if here else EPOCH + timedelta(seconds=seconds)), here))
    return stream


@given(POLICIES, EVENTS, st.integers(0, 16))
def test_a_stream_cut_anywhere_goes_on_exactly(candidate, policy, events, cut):
    stream = published(candidate, events)
    whole, first, second = delivery_mode(policy), delivery_mode(policy), delivery_mode(policy)
    expected = [whole.publish(*each) for each in stream]
    found = [first.publish(*each) for each in stream[:cut]]
    second.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(first.state())))
    assert second.state() == first.state()
    found += [second.publish(*each) for each in stream[cut:]]
    assert found == expected
    assert second.close() == whole.close()


@given(POLICIES, EVENTS)
def test_what_all_modes_have_in_common(candidate, policy, events):
    mode, seen, sent = delivery_mode(policy), set(), []
    stream = published(candidate, events)
    for moment, here in [*stream, (None, None)]:
        seen |= {here.seq} if here else set()
        for step in mode.publish(moment, here) if moment else mode.close():
            for part in (step.candidates, step.chosen, step.sent):
                assert list(part) == sorted(part, key=lambda each: each.seq)
            offered, chosen = {each.seq for each in step.candidates}, {each.seq for each in step.chosen}
            assert chosen <= offered <= seen
            assert {each.seq for each in step.sent} <= chosen
            assert policy.mode is Mode.ALL or len(chosen) <= policy.k
            assert all(each.event.time <= step.forwarded for each in step.sent)
            sent += [each.seq for each in step.sent]
    assert len(sent) == len(set(sent)), "an event was sent twice"
    assert mode.close() == []


@given(POLICIES, EVENTS)
def test_state_is_plain_data(candidate, policy, events):
    mode = delivery_mode(policy)
    for each in published(candidate, events):
        mode.publish(*each)
    state = mode.state()
    assert msgspec.json.decode(msgspec.json.encode(state)) == _with_lists(state)


def _with_lists(value):
    """The value with lists in place of tuples, as JSON has them."""
    if isinstance(value, dict):
        return {key: _with_lists(one) for key, one in value.items()}
    return [_with_lists(one) for one in value] if isinstance(value, list | tuple) else value
