"""Decaying novelty after many numbers of matches at once."""

from functools import lru_cache

import numpy as np

from rankcast.engine.arrays.filters.batch import Integers, Reals
from rankcast.model import Decay, Decaying
from rankcast.rank.decaying import DecayingNovelty

__all__ = ["novelties"]

_BLOCK = 256
"""So many numbers of matches in a row are computed together: a user's events raise a number one by one."""


def novelties(settings: Decaying, matches: Integers) -> Reals:
    """What `DecayingNovelty.after` gives for each number of matches.

    Blocks are computed once for all users whose novelty decays alike, at some 0.1 ms each, and the last 32 MiB of them are kept.

    >>> novelties(Decaying(alpha=0.25), np.array([0, 3, 1])).tolist()
    [1.0, 0.25, 0.75]
    """
    numbers, which = np.unique(matches // _BLOCK, return_inverse=True)
    form, beta, alpha = settings.form, settings.beta, settings.alpha
    known = np.array([_block(form, beta, alpha, number) for number in numbers.tolist()]).reshape(-1, _BLOCK)
    found: Reals = known[which, matches % _BLOCK]
    return found


@lru_cache(maxsize=1 << 14)
def _block(form: Decay, beta: float, alpha: float, number: int) -> Reals:
    novelty = DecayingNovelty(Decaying(form, beta, alpha))
    return np.array([novelty.after(matches) for matches in range(number * _BLOCK, (number + 1) * _BLOCK)])
