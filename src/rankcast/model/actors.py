"""Who is at work: told once where somebody comes in, and read where a change is written into the audit trail."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["OPERATOR", "Actor", "acting", "present_actor", "set_actor"]


class Actor(NamedTuple):
    """One who changes things. What is of `own` (a user or a publisher) is theirs to change, and nobody's business."""

    who: str
    own: str | None = None


OPERATOR = Actor("operator (command line)")
"""Whoever runs commands on a store."""

_present: ContextVar[Actor | None] = ContextVar("actor", default=None)


@contextmanager
def acting(actor: Actor | None) -> Iterator[None]:
    """Let changes within the block be those of an actor; of nobody in particular if it is None.

    >>> with acting(OPERATOR):
    ...     present_actor().who
    'operator (command line)'
    >>> present_actor() is None
    True
    """
    before = _present.set(actor)
    try:
        yield
    finally:
        _present.reset(before)


def set_actor(actor: Actor) -> None:
    """Let changes in the task at hand be those of an actor, until it ends."""
    _present.set(actor)


def present_actor() -> Actor | None:
    """Who is at work; None for a program that did not say."""
    return _present.get()
