"""Every error that Rankcast raises on purpose.

::

    RankcastError
    ├── ModelError              a value, record or setting that cannot be (also a ValueError)
    │   ├── ExpressionError     bad text of an expression: position, what was found, what would be right
    │   │   └── LimitError      well formed perhaps, but over a size limit
    │   ├── PolicyCostError     a policy that would cost more than the operator allows
    │   ├── RecordError         a JSON record with an unknown field, a wrong type, a bad value
    │   └── CatalogError        a record that does not fit the others: duplicate id, unknown name
    │       └── PreferenceCycle the preferences of a user go round in a circle
    ├── StoreError              the store is missing, of another version, or damaged
    │   ├── OutdatedStore       the store is of an earlier version and can be upgraded
    │   └── Overtaken           something was published meanwhile, so that the clock alone decides nothing
    └── EnvironmentProblem      something outside is missing: Java, memory, a port

Messages name the value, the place and what would be right; they are meant to be shown to people as
they are.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "CatalogError",
    "EnvironmentProblem",
    "ExpressionError",
    "LimitError",
    "ModelError",
    "OutdatedStore",
    "Overtaken",
    "PolicyCostError",
    "PreferenceCycle",
    "RankcastError",
    "RecordError",
    "StoreError",
    "did_you_mean",
]


class RankcastError(Exception):
    """Base of all errors raised on purpose."""


class ModelError(RankcastError, ValueError):
    """A value, record or setting that cannot be."""


class ExpressionError(ModelError):
    """Text that is not an expression; `position` is the offending character, from 0."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.position = position

    def pointed(self, width: int = 72) -> str:
        """The message with the text's neighbourhood and a caret under the character."""
        start = max(0, self.position - width // 2)
        line_start = self.text.rfind("\n", 0, self.position) + 1
        start = max(start, line_start)
        end = self.text.find("\n", self.position)
        end = min(len(self.text) if end < 0 else end, start + width)
        before = "…" if start > line_start else ""
        shown = self.text[start:end].encode("utf-8", "replace").decode("utf-8")
        caret = " " * (len(before) + self.position - start) + "^"
        return f"{self.message}\n  {before}{shown}\n  {caret}"

    def __str__(self) -> str:
        return f"{self.message} (at character {self.position + 1})"


class LimitError(ExpressionError):
    """An expression over one of the size limits."""


class PolicyCostError(ModelError):
    """A policy that would cost more with every event than the operator allows."""


class RecordError(ModelError):
    """A JSON record that does not have the form that its kind asks for."""


class CatalogError(ModelError):
    """A record that does not fit the rest of the catalog."""


class PreferenceCycle(CatalogError):
    """Preferences that go round in a circle; `cycle` lists the subscriptions once each, in order."""

    def __init__(self, user: str, cycle: Sequence[str]) -> None:
        self.user = user
        self.cycle = tuple(cycle)
        circle = " > ".join([*self.cycle, self.cycle[0]])
        super().__init__(f"the preferences of {user!r} go round in a circle: {circle}")


class StoreError(RankcastError):
    """The store is missing, of another version, or damaged."""


class OutdatedStore(StoreError):
    """A store of an earlier schema version, which can be upgraded; `store` is what it was opened by, its password included."""

    def __init__(self, message: str, store: str) -> None:
        super().__init__(message)
        self.store = store


class Overtaken(StoreError):
    """What the clock ended was not written, because something was published meanwhile; that is served first."""


class EnvironmentProblem(RankcastError):
    """Something outside of Rankcast is missing; the message says how to mend it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`"; did you mean 'startswith'?"`, or nothing if no known name is near.

    >>> did_you_mean("startwith", ["startswith", "endswith"])
    "; did you mean 'startswith'?"
    >>> did_you_mean("xyz", ["startswith"])
    ''
    """
    if len(name) > 64:
        return ""
    near = get_close_matches(name.lower(), {word.lower(): None for word in known}, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
