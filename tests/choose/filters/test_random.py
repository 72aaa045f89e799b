import numpy as np
import pytest

from rankcast.choose.filters import Random, chance, event_filter
from rankcast.model import Filter, FilterKind


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


@pytest.mark.parametrize(("rate", "period", "each"), [(0.2, 100, [20]), (0.25, 10, [2, 3]), (0.0005, 1000, [0, 1])])
def test_exactly_the_share_of_each_period(zipf, rate, period, each):
    made = event_filter("u", Filter(FilterKind.RANDOM, rate, period))
    passed = np.array([made.admit(one).passed for one in zipf(20_000, 1.25)]).reshape(-1, period).sum(axis=1)
    assert passed.tolist() == each * (len(passed) // len(each))


def test_every_event_of_a_period_is_equally_likely(candidate):
    counts = np.zeros(5)
    for seed in range(4000):
        made = Random("u", 0.4, seed, period=5)
        counts += [made.admit(candidate(seq, "a")).passed for seq in range(1, 6)]
    assert counts.sum() == 8000
    assert counts == pytest.approx([1600] * 5, rel=0.06)


def test_on_average_if_the_record_says_so_and_an_old_state_is_read(candidate):
    made = event_filter("u", Filter(FilterKind.RANDOM, 0.2, exact=False))
    assert made.state() == {}
    drawn = [chance(0, "u", f"e{seq}") < 0.2 for seq in range(1, 200)]
    assert [made.admit(candidate(seq, "a")).passed for seq in range(1, 200)] == drawn
    exact = event_filter("u", Filter(FilterKind.RANDOM, 0.2, 10))
    exact.restore({})
    assert sum(exact.admit(candidate(seq, "a")).passed for seq in range(1, 101)) == 20
