"""Candidates survive a restart."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import Candidate
from rankcast.testing.strategies import events

NAMES = st.lists(st.sampled_from(["s1", "s2", "s3"]), unique=True).map(tuple)


@given(events(fuzzy=True), st.integers(1, 2**63 - 1), st.floats(0, 1), NAMES, NAMES, st.floats(0, 1))
def test_a_candidate_goes_to_plain_data_and_back(event, seq, rank, matching, specific, degree):
    candidate = Candidate(event.at(seq), rank, matching, specific, degree)
    state = candidate.state()
    assert Candidate.of_state(msgspec.msgpack.decode(msgspec.msgpack.encode(state))) == candidate
    as_lists = {**state, "matching": list(matching), "specific": list(specific)}
    assert msgspec.json.decode(msgspec.json.encode(state)) == as_lists
    assert Candidate.of_state(state) == candidate


def test_the_position_is_that_of_the_event(candidate):
    assert candidate(7).seq == 7
