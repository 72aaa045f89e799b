"""The rows of an experiment's table, of three kinds, and the rules that decide whether a statement holds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

WITHIN = 0.10
"""The largest relative difference at which our number agrees with a printed one."""


class RowKind(StrEnum):
    """What a row compares."""

    heading: str
    counted: str

    def __new__(cls, value: str, heading: str, counted: str) -> "RowKind":
        """Create a kind with its heading over a table, and its name in the plural for the headline."""
        made = str.__new__(cls, value)
        made._value_, made.heading, made.counted = value, heading, counted
        return made

    PRINTED = "printed", "Numbers that the paper prints", "printed numbers"
    SHAPE = "shape", "Statements about the shape", "statements about the shape"
    OURS = "ours", "Ours alone", "results of ours alone"


class Comparison(msgspec.Struct, frozen=True):
    """A row: what the paper has, what we have, and whether they agree; `note` explains.

    A row of the kind OURS has no verdict: `agrees` is None. Its `paper` is the result of the paper's form, if we ran
    it.
    """

    kind: RowKind
    what: str
    paper: str
    ours: str
    agrees: bool | None
    note: str = ""

    def __post_init__(self) -> None:
        if (self.agrees is None) != (self.kind is RowKind.OURS):
            raise ValueError(f"row {self.what!r}: printed numbers and shapes have a verdict, rows of ours have none")

    @property
    def verdict(self) -> str:
        """Whether they agree, in a word; empty for a row of ours alone."""
        return {True: "yes", False: "no", None: ""}[self.agrees]


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement of a paper as a function of a plain result (numbers, sequences, mappings) that can say no.

    `example` is a result for which the rule holds, `contradiction` one that contradicts the statement. A test checks
    both for all rules, so no rule passes whatever the result is. Text that leaves a tolerance open is made precise in
    `statement`.
    """

    statement: str
    holds: Callable[..., bool]
    example: Sequence[object]
    contradiction: Sequence[object]

    def __call__(self, *result: object) -> bool:
        """Whether the statement holds for a result."""
        return bool(self.holds(*result))


def differs(paper: float, ours: float) -> float:
    """The relative difference of our number from the paper's."""
    return (ours - paper) / abs(paper) if paper else float(ours != 0)


def agreeing(rows: Iterable[Comparison], kind: RowKind) -> tuple[int, int]:
    """How many rows of a kind agree, and how many there are."""
    chosen = [row for row in rows if row.kind is kind]
    return sum(row.agrees is True for row in chosen), len(chosen)


def headline(rows: Sequence[Comparison]) -> str:
    """How many rows of each kind agree, in words."""
    printed, shapes, ours = (agreeing(rows, kind) for kind in RowKind)
    return (
        f"{printed[0]} of {printed[1]} {RowKind.PRINTED.counted} agree within {WITHIN:.0%}. "
        f"{shapes[0]} of {shapes[1]} {RowKind.SHAPE.counted} hold in every case. "
        f"{ours[1]} {RowKind.OURS.counted} count for neither."
    )
