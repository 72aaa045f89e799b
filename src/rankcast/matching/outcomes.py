"""The meaning of concepts, and the outcome of evaluating an expression."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.errors import CatalogError
from rankcast.model import Membership, Term

Meaning: TypeAlias = Callable[[str, Term], Membership]
"""Returns the membership function of a term on an attribute, without hedges. Raises CatalogError for an unknown
term."""


def _no_concepts(attribute: str, term: Term) -> Membership:
    raise CatalogError(f"no concept {term.concept!r} on attribute {attribute!r}")


NO_CONCEPTS: Meaning = _no_concepts
"""The meaning for a catalog without concepts: raises for every name."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether an expression holds logically, and the possibility and necessity aggregated over its parts.

    An expression that does not hold has degree 0. One that holds may also have degree 0: under the Lukasiewicz norm,
    two degrees of 0.5 give 0.
    """

    holds: bool
    possibility: float
    necessity: float


HELD = Outcome(True, 1.0, 1.0)
FAILED = Outcome(False, 0.0, 0.0)
