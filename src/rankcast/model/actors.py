"""The actor: who makes a change. It is set once at the entry point and written into the audit trail."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Actor(NamedTuple):
    """Somebody who makes changes.

    `own` is the actor's own user or publisher. Changes to its records are not audited, except deleting the user.
    """

    who: str
    own: str | None = None


OPERATOR = Actor("operator (command line)")
"""Whoever runs commands on a store."""

_present: ContextVar[Actor | None] = ContextVar("actor", default=None)


@contextmanager
def acting(actor: Actor | None) -> Iterator[None]:
    """Attribute the changes made within the block to an actor, or to nobody if the actor is None.

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
    """Attribute all later changes of the current task to an actor."""
    _present.set(actor)


def present_actor() -> Actor | None:
    """The current actor; None if the program did not set one."""
    return _present.get()
