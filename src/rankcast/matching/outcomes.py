"""What evaluation needs and gives: the meaning of concepts, and whether and how far an expression holds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.errors import CatalogError
from rankcast.model import Membership, Term

__all__ = ["FAILED", "HELD", "NO_CONCEPTS", "Meaning", "Outcome"]

Meaning: TypeAlias = Callable[[str, Term], Membership]
"""The membership function of a term on an attribute, hedges not applied; raises CatalogError for an unknown one."""


def _no_concepts(attribute: str, term: Term) -> Membership:
    raise CatalogError(f"no concept {term.concept!r} on attribute {attribute!r}")


NO_CONCEPTS: Meaning = _no_concepts
"""The meaning in a catalog without concepts: refuses every name."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether an expression holds, logically, and the possibility and necessity aggregated over its parts.

    What does not hold has degree 0. What holds may have it too: under the Lukasiewicz norm two halves make nothing.
    """

    holds: bool
    possibility: float
    necessity: float


HELD = Outcome(True, 1.0, 1.0)
FAILED = Outcome(False, 0.0, 0.0)
