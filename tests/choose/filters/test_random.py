import pytest

from rankcast.choose.filters import Random, chance


def test_passes_at_its_rate(zipf):
    event_filter = Random("u", 0.2)
    passed = [event_filter.admit(one).passed for one in zipf(20_000, 1.25)]
    assert sum(passed) / len(passed) == pytest.approx(0.2, abs=0.01)


def test_rate_of_one_passes_everything(candidate):
    event_filter = Random("u", 1.0)
    assert all(event_filter.admit(candidate(seq, "a")).passed for seq in range(1, 100))


def test_draws_by_user_seed_and_event(candidate):
    one = candidate(1, "a")
    drawn = chance(5, "u", one.event.id)
    verdict = Random("u", drawn, seed=5).admit(one)
    assert not verdict.passed, "deliver if x < P"
    assert verdict.reason == f"stopped by the random filter: drawn {drawn:.4f}, probability {drawn:.4f}"
    assert Random("u", drawn + 1e-9, seed=5).admit(one).reason.startswith("passed the random filter")
