"""The draft of an index: all distinct literals of the subscriptions, with constants that are not yet ordered."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, assert_never

from rankcast.engine.index.spaces import KINDS
from rankcast.engine.index.trees import LiteralEntry, Tree, entries_of, program_of, tree_of
from rankcast.engine.index.words import CHECKED, NEGATED, VAGUE
from rankcast.fuzzy.cuts import AlphaCut, cuts_of
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import (
    Between,
    Compare,
    Exists,
    Expression,
    Is,
    Kind,
    OneOf,
    Op,
    Predicate,
    Scalar,
    Sides,
    Thresholds,
    kind_of,
    predicates_of,
)

ANY, PATTERN = len(KINDS), len(KINDS) + 1
"""Kinds of interval besides those of values: all codes, and the number of a string pattern."""

NO_END = -1
"""Stands for a missing lower or upper bound of an interval."""

Interval: TypeAlias = tuple[int, int, int]
"""Kind, lower and upper bound; a bound is ``2 i + 1`` at constant i, ``2 i`` just below it, ``2 i + 2`` just
above."""

_NUMBER = KINDS.index(Kind.NUMBER)
_STRING = KINDS.index(Kind.STRING)
_PLACE = {kind: place for place, kind in enumerate(KINDS)}
_EVERYTHING: Interval = (ANY, NO_END, NO_END)


@dataclass
class Draft:
    """Columns that grow as subscriptions are added; `rankcast.engine.index.building` turns them into an index.

    Attributes
    ----------
    names
        The number of each attribute by name; a pattern attribute is (attribute, operator), and the members of lists
        are (attribute, None).
    constants
        The constants of each attribute and kind, in the order of their addition.
    literal_attribute, literal_flags, literal_key, interval_start
        A row per literal: the literal under which it is filed (nearly always itself; -1 for none), and its intervals.
    entry_start, entry_literals, entry_owner, entry_program
        A row per entry: its literals, its owner, and the first instruction of its program or -1.
    """

    names: dict[str | tuple[str, Op | None], int] = field(default_factory=dict)
    constants: dict[tuple[int, int], dict[Scalar, int]] = field(default_factory=dict)
    literal_attribute: "array[int]" = field(default_factory=lambda: array("i"))
    literal_flags: "array[int]" = field(default_factory=lambda: array("b"))
    literal_key: "array[int]" = field(default_factory=lambda: array("i"))
    interval_start: "array[int]" = field(default_factory=lambda: array("q", [0]))
    interval_kind: "array[int]" = field(default_factory=lambda: array("b"))
    interval_low: "array[int]" = field(default_factory=lambda: array("i"))
    interval_high: "array[int]" = field(default_factory=lambda: array("i"))
    entry_start: "array[int]" = field(default_factory=lambda: array("q", [0]))
    entry_literals: "array[int]" = field(default_factory=lambda: array("i"))
    entry_owner: "array[int]" = field(default_factory=lambda: array("i"))
    entry_program: "array[int]" = field(default_factory=lambda: array("i"))
    owner_flags: "array[int]" = field(default_factory=lambda: array("b"))
    instructions: list[tuple[int, int, int]] = field(default_factory=list)
    _known: dict[Any, int] = field(default_factory=dict)

    def add(self, where: Expression, meaning: Meaning = NO_CONCEPTS) -> int:
        """Add an expression; returns its number, which owns its entries. About 10 µs for three predicates."""
        owner = len(self.owner_flags)
        is_vague = any(isinstance(predicate.test, Is) for predicate in predicates_of(where))
        self.owner_flags.append(CHECKED if is_vague else 0)
        tree = tree_of(where, lambda predicate, negated: self._literal(predicate, negated, meaning))
        for entry in entries_of(tree, self._is_key):
            self._enter(owner, entry)
        return owner

    def predicate(self, predicate: Predicate) -> int:
        """The number of the literal of a crisp predicate."""
        literal = self._literal(predicate, False, NO_CONCEPTS)
        assert isinstance(literal, int)
        return literal

    def _enter(self, owner: int, entry: LiteralEntry) -> None:
        self.entry_literals.extend(dict.fromkeys(entry.literals))
        self.entry_start.append(len(self.entry_literals))
        self.entry_owner.append(owner)
        self.entry_program.append(-1 if entry.rest is True else program_of(entry.rest, self.instructions))

    def _is_key(self, literal: int) -> bool:
        return self.literal_key[literal] >= 0

    def _literal(self, predicate: Predicate, negated: bool, meaning: Meaning) -> Tree:
        attribute, test = predicate.attribute, predicate.test
        if isinstance(test, Is):
            # Plain evaluation makes the final decision, so a `not` may hold too often here.
            return True if negated else self._vague(predicate, test, meaning)
        if isinstance(test, Compare) and test.op is Op.CONTAINS and not isinstance(test.value, str):
            self.attribute(attribute)  # the attribute of its members refers to it
            number = self.attribute((attribute, None))
            return self.literal(number, self._intervals(number, Compare(Op.EQ, test.value)), negated)
        if isinstance(test, Compare) and test.op.sides is None:
            self.attribute(attribute)  # the pattern attribute refers to it
            number = self.attribute((attribute, test.op))
            pattern = self.constant(number, PATTERN, test.value)
            return self.literal(number, [(PATTERN, pattern, pattern)], negated)
        key = (attribute, test, negated)
        known = self._known.get(key)
        if known is None:
            number = self.attribute(attribute)
            known = self._known[key] = self.literal(number, self._intervals(number, test), negated)
        return known

    def _vague(self, predicate: Predicate, test: Is, meaning: Meaning) -> Tree:
        least = predicate.thresholds or Thresholds()
        number = self.attribute(predicate.attribute)
        mu, hedges = meaning(predicate.attribute, test.term), test.term.hedges
        found = cuts_of(mu, hedges, least.possibility, least.necessity).possible
        wanted = cuts_of(mu, hedges, max(least.possibility, least.necessity), 0.0).possible
        key = self.literal(number, self._spans(number, found), False)
        if wanted == found:
            return key
        return self.literal(number, self._spans(number, wanted), False, VAGUE, key)

    def attribute(self, name: str | tuple[str, Op | None]) -> int:
        """The number of an attribute."""
        return self.names.setdefault(name, len(self.names))

    def constant(self, attribute: int, kind: int, value: Scalar) -> int:
        """The number of a constant."""
        constants = self.constants.setdefault((attribute, kind), {})
        return constants.setdefault(value, len(constants))

    def literal(
        self, attribute: int, intervals: Iterable[Interval], negated: bool, flags: int = 0, key: int | None = None
    ) -> int:
        """The number of the literal that some value lies in one of the intervals (`negated`: that none does)."""
        wanted = tuple(sorted(intervals))
        flags |= NEGATED if negated else 0
        number = self._known.setdefault((attribute, wanted, flags, key), len(self.literal_attribute))
        if number == len(self.literal_attribute):
            self.literal_attribute.append(attribute)
            self.literal_flags.append(flags)
            self.literal_key.append(-1 if negated else number if key is None else key)
            for kind, low, high in wanted:
                self.interval_kind.append(kind)
                self.interval_low.append(low)
                self.interval_high.append(high)
            self.interval_start.append(len(self.interval_kind))
        return number

    def _intervals(self, attribute: int, test: Compare | OneOf | Between | Exists) -> Sequence[Interval]:
        match test:
            case Compare(op, value):
                if op.sides is None:
                    raise TypeError(f"{op.value} is not a comparison")
                kind, at = self._point(attribute, value)
                return _spans_of(op.sides, kind, at)
            case Between(low, high):
                kind, first = self._point(attribute, low)
                return [(kind, first, self._point(attribute, high)[1])]
            case OneOf(values):
                points = [self._point(attribute, value) for value in values]
                return [(kind, at, at) for kind, at in points]
            case Exists():
                return [_EVERYTHING]
            case other:
                assert_never(other)

    def _point(self, attribute: int, value: Scalar) -> tuple[int, int]:
        kind = _PLACE[kind_of(value)]
        return kind, 2 * self.constant(attribute, kind, value) + 1

    def _spans(self, attribute: int, cut: AlphaCut) -> list[Interval]:
        if cut.others:
            return [(_STRING, NO_END, NO_END)]
        spans = [(_STRING, at, at) for _, at in (self._point(attribute, text) for text in sorted(cut.strings))]
        for low, high in cut.spans:
            first = NO_END if low == float("-inf") else self._point(attribute, low)[1]
            last = NO_END if high == float("inf") else self._point(attribute, high)[1]
            spans.append((_NUMBER, first, last))
        return spans


def _spans_of(sides: Sides, kind: int, at: int) -> list[Interval]:
    below, here, above = sides
    spans = []
    if below:
        spans.append((kind, NO_END, at if here else at - 1))
    elif here and not above:
        spans.append((kind, at, at))
    if above:
        spans.append((kind, at if here else at + 1, NO_END))
    return spans
