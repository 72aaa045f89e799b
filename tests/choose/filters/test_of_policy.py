from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import Moment, delivery_mode
from rankcast.choose.filters import Filtered, Random, Sampling, Threshold, event_filter, filtered
from rankcast.model import EPOCH, Filter, FilterKind, Length, Mode, Policy, Unit


@pytest.mark.parametrize(
    ("kind", "made"),
    [(FilterKind.THRESHOLD, Threshold), (FilterKind.SAMPLING, Sampling), (FilterKind.RANDOM, Random)],
)
def test_each_kind_has_its_filter(kind, made):
    assert type(event_filter("u", Filter(kind, 0.2))) is made


def test_policy_with_a_filter_wraps_the_mode():
    mode = object()
    assert filtered(Policy("u"), mode) is mode
    assert type(filtered(Policy("u", filter=Filter(FilterKind.RANDOM, 0.2)), mode)) is Filtered


policies = st.builds(
    Policy,
    st.just("u"),
    st.sampled_from(Mode),
    k=st.just(2),
    length=st.sampled_from([Length(4), Length(3, Unit.MATCHED), Length(timedelta(seconds=5), Unit.TIME)]),
    sigma=st.sampled_from([0.5, 1.0]),
    filter=st.builds(Filter, st.sampled_from(FilterKind), st.just(0.6), st.just(5)),
)
published = st.lists(st.none() | st.sampled_from("abc"), max_size=30)


@given(policies, published, st.integers(0, 30))
def test_any_filter_before_any_mode_goes_on_from_its_state(candidate, policy, stream, cut):
    def publish(mode, part, start):
        steps = []
        for seq, matching in enumerate(part, start):
            moment = Moment(seq, EPOCH + timedelta(seconds=seq))
            steps += mode.publish(moment, matching and candidate(seq, matching, "abc".index(matching) / 2))
        return steps

    whole, before, after = (filtered(policy, delivery_mode(policy)) for _ in range(3))
    first = publish(before, stream[:cut], 1)
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    steps = publish(whole, stream, 1) + whole.close()
    assert steps == first + publish(after, stream[cut:], cut + 1) + after.close()

    stopped = {each.event.id for step in steps if step.note for each in step.candidates if not step.chosen}
    sent = {each.event.id for step in steps for each in step.sent}
    assert not stopped & sent
