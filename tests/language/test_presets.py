import pytest

from rankcast.errors import RecordError
from rankcast.language import PRESETS, decode_record, encode_record
from rankcast.model import FilterKind, Mode, Policy, ScorePart, Update


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_policy_that_says_something(name):
    policy = decode_record({"kind": "policy", "user": "u", "preset": name})
    assert isinstance(policy, Policy)
    assert policy != Policy("u")
    assert decode_record(encode_record(policy)) == policy
    assert PRESETS[name].meaning


def test_presets_spend_their_budget_and_a_record_that_says_nothing_is_lazy():
    filters = [decode_record({"kind": "policy", "user": "u", "preset": name}).filter for name in PRESETS]
    assert {one.update for one in filters if one and one.novelty is FilterKind.THRESHOLD} == {Update.PACED}
    plain = decode_record({"kind": "policy", "user": "u", "filter": {"novelty": "threshold", "rate": 0.2}})
    assert plain.filter.update is Update.LAZY


def test_own_fields_go_before_those_of_the_preset():
    policy = decode_record({"kind": "policy", "user": "u", "preset": "calm", "k": 9, "score": {"degree": 1}})
    assert (policy.mode, policy.k, policy.score) == (Mode.PERIODIC, 9, {ScorePart.DEGREE: 1.0})


def test_unknown_preset_lists_those_that_are():
    with pytest.raises(RecordError, match=r"there is no preset 'clam'; there are .*calm.*did you mean 'calm'"):
        decode_record({"kind": "policy", "user": "u", "preset": "clam"})
