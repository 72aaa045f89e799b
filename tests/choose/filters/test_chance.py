from statistics import fmean

import pytest

from rankcast.choose.filters import chance


def test_depends_on_seed_user_and_event():
    assert len({chance(seed, user, event) for seed in (0, 1) for user in ("u", "v") for event in ("e", "f")}) == 8


def test_keeps_user_and_event_apart():
    assert chance(0, "ab", "c") != chance(0, "a", "bc")


def test_is_the_same_for_ever():
    # a change here would change every delivery that was decided by chance
    assert chance(0, "addison", "e1") == 0.7637365657293383


def test_is_uniform():
    drawn = [chance(7, "u", f"e{number}") for number in range(20_000)]
    assert min(drawn) >= 0
    assert max(drawn) < 1
    assert fmean(drawn) == pytest.approx(0.5, abs=0.01)
    assert [sum(int(x * 10) == tenth for x in drawn) for tenth in range(10)] == pytest.approx([2000] * 10, rel=0.08)
