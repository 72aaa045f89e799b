import msgspec
import pytest

from rankcast.choose.filters import ByRank, ScoreSampling
from rankcast.model import Filter, FilterKind, Scoring, Update


def made(rate, period, update=Update.LAZY):
    settings = Filter(FilterKind.SAMPLING, rate, period, Scoring.SCORE, update)
    return ScoreSampling("u", ByRank(), settings)


@pytest.mark.parametrize("update", Update)
def test_what_scores_higher_passes_more_often_and_about_the_rate_passes(candidate, update):
    sampling = made(0.2, 1000, update)
    counts = {0.2: 0, 0.6: 0}
    for seq in range(1, 8001):
        rank = 0.6 if seq % 2 else 0.2
        if sampling.admit(candidate(seq, "a", rank)).passed and seq > 1000:
            counts[rank] += 1
    assert counts[0.6] == pytest.approx(3 * counts[0.2], rel=0.2)
    assert sum(counts.values()) / 7000 == pytest.approx(0.2, abs=0.02)


def test_until_there_is_a_mean_all_pass_that_have_room(candidate):
    sampling = made(0.5, 4)
    assert [sampling.admit(candidate(seq, "a")).passed for seq in range(1, 5)] == [True, True, False, False]


def test_scores_of_zero_pass_by_the_rate_alone(candidate):
    sampling = made(0.5, 2)
    reasons = [sampling.admit(candidate(seq, "a", 0.0)).reason for seq in range(1, 4)]
    assert reasons[2].endswith("probability 0.5000")


@pytest.mark.parametrize("update", Update)
def test_goes_on_from_its_state(candidate, update):
    stream = [candidate(seq, "a", seq % 7 / 10) for seq in range(1, 60)]
    whole, before, after = (made(0.4, 8, update) for _ in range(3))
    for one in stream[:23]:
        before.admit(one)
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert [whole.admit(one) for one in stream][23:] == [after.admit(one) for one in stream[23:]]
