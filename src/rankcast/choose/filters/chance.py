"""Randomness without a generator: a number in 0..1 that depends only on stable ids."""

from functools import lru_cache
from hashlib import blake2b

_BITS = 2**64 - 1


def chance(seed: int, user: str, event_id: str) -> float:
    """A number in [0, 1), uniform over events and users; the same arguments always give the same number.

    Event and user each have a key, and the keys are mixed. So drawing for many users hashes the event only once.

    >>> chance(0, "addison", "e1") == chance(0, "addison", "e1") != chance(1, "addison", "e1")
    True
    """
    mixed = event_key(event_id) ^ user_key(seed, user)
    # the finalizer of splitmix64: every bit of the keys affects every bit of the result
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _BITS
    return ((mixed ^ mixed >> 31) >> 11) / 2**53


def event_key(event_id: str) -> int:
    """A 64-bit key of an event."""
    return _hashed(f"event {event_id}")


@lru_cache(maxsize=4096)
def user_key(seed: int, user: str) -> int:
    """A 64-bit key of a user under a seed."""
    return _hashed(f"user {seed} {user}")


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
