"""Chance without a generator: a number in 0..1 that depends on nothing but stable ids."""

from hashlib import blake2b

__all__ = ["chance"]


def chance(seed: int, user: str, event_id: str) -> float:
    """A number in [0, 1), uniform over events and users; always the same for the same three.

    >>> chance(0, "addison", "e1") == chance(0, "addison", "e1") != chance(1, "addison", "e1")
    True
    """
    # the length keeps ("ab", "c") apart from ("a", "bc")
    text = f"{seed} {len(user)} {user}{event_id}"
    digest = blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53
