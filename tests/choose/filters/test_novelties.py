"""Novelty after many numbers of matches at once is that after each."""

import numpy as np
import pytest

from rankcast.engine.arrays.filters.novelties import novelties
from rankcast.model import Decay, Decaying
from rankcast.rank import DecayingNovelty


@pytest.mark.parametrize(
    "decay",
    [Decaying(), Decaying(beta=0.7, alpha=3.3), Decaying(Decay.EXPONENTIAL, 2.0, 0.999)],
    ids=["slow", "below zero", "exponential"],
)
@pytest.mark.parametrize("matches", [[], [0], [255, 256, 0, 256, 1], [10**9, 7, 40_000, 512]])
def test_as_after_each(decay, matches):
    found = novelties(decay, np.array(matches, np.int64))
    assert found.tolist() == [DecayingNovelty(decay).after(number) for number in matches]
