"""Every error that Rankcast raises on purpose.

::

    RankcastError
    ├── ModelError              an invalid value, record or setting (also a ValueError)
    │   ├── ExpressionError     invalid expression text: position, what was found, what is expected
    │   │   └── LimitError      an expression over a size limit
    │   ├── PolicyCostError     a policy that would cost more than the operator allows
    │   ├── RecordError         a JSON record with an unknown field, a wrong type, a bad value
    │   └── CatalogError        a record that conflicts with others: duplicate id, unknown name
    │       ├── PreferenceCycle the preferences of a user form a cycle
    │       └── UnknownConcept  a vague word that nobody has defined for its attribute
    ├── StoreError              the store is missing, damaged, or has another version
    │   └── OutdatedStore       the store has an earlier version and can be upgraded
    └── EnvironmentProblem      something outside Rankcast is missing: Java, memory, a port
        └── MissingExtra        an optional part of Rankcast is not installed (also an ImportError)

Messages name the value, the place and what is expected. They can be shown to people unchanged.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class RankcastError(Exception):
    """Base of all errors raised on purpose."""


class ModelError(RankcastError, ValueError):
    """An invalid value, record or setting."""


class ExpressionError(ModelError):
    """Text that is not a valid expression; `position` is the offending character, from 0."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.position = position

    def pointed(self, width: int = 72) -> str:
        """The message, with the surrounding text and a caret under the offending character."""
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
    """An expression that exceeds a size limit."""


class PolicyCostError(ModelError):
    """A policy that would cost more with every event than the operator allows."""


class RecordError(ModelError):
    """A JSON record without the form that its kind requires."""


class CatalogError(ModelError):
    """A record that conflicts with the rest of the catalog."""


class PreferenceCycle(CatalogError):
    """Preferences that form a cycle; `cycle` lists each subscription once, in order."""

    def __init__(self, user: str, cycle: Sequence[str]) -> None:
        self.user = user
        self.cycle = tuple(cycle)
        circle = " > ".join([*self.cycle, self.cycle[0]])
        super().__init__(f"the preferences of {user!r} go round in a circle: {circle}")


class UnknownConcept(CatalogError):
    """A vague word that has no meaning for its attribute."""

    def __init__(
        self, message: str, concept: str = "", attribute: str = ""
    ) -> None:  # the first suffices to unpickle it
        super().__init__(message)
        self.concept = concept
        self.attribute = attribute


class StoreError(RankcastError):
    """The store is missing, damaged, or has another version."""


class OutdatedStore(StoreError):
    """The store has an earlier schema version and can be upgraded.

    `store` is the address used to open it, with the password.
    """

    def __init__(self, message: str, store: str) -> None:
        super().__init__(message)
        self.store = store


class EnvironmentProblem(RankcastError):
    """Something outside Rankcast is missing; the message says how to fix it."""


class MissingExtra(EnvironmentProblem, ImportError):
    """An optional part of Rankcast is not installed; the message has the command that installs it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint such as `"; did you mean 'startswith'?"`, or an empty string if no known name is similar.

    >>> did_you_mean("startwith", ["startswith", "endswith"])
    "; did you mean 'startswith'?"
    >>> did_you_mean("xyz", ["startswith"])
    ''
    """
    if len(name) > 64:
        return ""
    near = get_close_matches(name.lower(), {word.lower(): None for word in known}, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
