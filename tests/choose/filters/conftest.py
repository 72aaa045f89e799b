"""Streams of candidates for the filters."""

from bisect import bisect
from datetime import timedelta
from itertools import accumulate

import pytest

from rankcast.choose.candidates import Candidate
from rankcast.choose.filters.chance import chance
from rankcast.model import EPOCH, Event


def _candidate(seq, matching, rank=0.5):
    event = Event(f"e{seq}", EPOCH + timedelta(seconds=seq), {}, seq=seq)
    return Candidate(event, rank, tuple(matching), tuple(matching))


def _zipf(events, exponent, seed=0, subscriptions=10):
    """Events that match one of ten exclusive subscriptions each, the n-th in proportion to 1 / n^exponent."""
    shares = list(accumulate(1 / n**exponent for n in range(1, subscriptions + 1)))
    drawn = (chance(seed, "zipf", str(seq)) * shares[-1] for seq in range(1, events + 1))
    return [_candidate(seq, [f"s{bisect(shares, x)}"]) for seq, x in enumerate(drawn, 1)]


@pytest.fixture(scope="session")
def candidate():
    return _candidate


@pytest.fixture(scope="session")
def zipf():
    return _zipf
