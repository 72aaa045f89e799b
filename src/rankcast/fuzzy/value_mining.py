"""Mining concepts for strings: values that occur in similar events have similar meanings.

Numbers have an order, strings have none. Their distance comes from their contexts (`ValueSummary`): two values are
alike if the rest of their events is, or if subscriptions accept them together. Each other attribute counts as much as
it depends on this one (Cramér's V, corrected for its bias). The values are clustered by Hellinger distance, and each
cluster becomes a concept with a table.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from rankcast.fuzzy.clustering import best_clusters
from rankcast.fuzzy.partition import enough, fixed_count
from rankcast.fuzzy.value_summary import MOST_VALUES, Context, ValueSummary
from rankcast.model import Concept, Table
from rankcast.plain import Array

FEWEST = 3
"""The fewest distinct strings from which concepts are mined."""

SURE = 5.0
"""An attribute counts if chi-square lies so many standard deviations above what independence gives."""

BINS = 8
"""Numbers of other attributes count by their octile, or in fewer parts of at least `LEAST_IN_BIN` numbers."""

LEAST_IN_BIN = 25

PRIOR = 5.0
"""So many events of average company are added to each value, so that rare values do not seem special."""


@dataclass(frozen=True, slots=True)
class ValueMiningResult:
    """The concepts found for an attribute of strings; if there are none, `reason` says why.

    `clusters` are the values of each concept, the most frequent first. `associations` has Cramér's V of each attribute
    that counted. `unexplained` is the share of the variance that 1, 2, 3, … clusters leave.
    """

    summary: ValueSummary
    concepts: tuple[Concept, ...] = ()
    clusters: tuple[tuple[str, ...], ...] = ()
    associations: tuple[tuple[str, float], ...] = ()
    unexplained: tuple[float, ...] = ()
    reason: str = ""


def mine_values(
    summary: ValueSummary,
    *,
    at_most: int = 5,
    count: int | None = None,
    names: Sequence[str] | None = None,
    known: Sequence[Concept] = (),
) -> ValueMiningResult:
    """The concepts of an attribute of strings. O(values ** 3): about 0.2 s for the most.

    Parameters
    ----------
    at_most, count
        The largest number of concepts, or a fixed number.
    names
        Names to use instead of the proposed ones, starting with the most frequent cluster. They also fix the number.
    known
        Concepts of an earlier run, which give their names to the clusters that resemble them most.
    """
    count = fixed_count(count, names, at_most)
    attribute, found = summary.attribute, len(summary.values)
    if found < FEWEST:
        reason = f"{attribute!r} has {found} distinct strings; it takes at least {FEWEST}"
        return ValueMiningResult(summary, reason=reason)
    if found > MOST_VALUES:
        reason = f"{attribute!r} has more than {MOST_VALUES} distinct strings, too many for tables"
        return ValueMiningResult(summary, reason=reason)
    values = sorted(summary.values)
    weights = np.array([summary.values[value] for value in values], dtype=float)
    associations, places = _places(summary, values)
    if not associations:
        return ValueMiningResult(summary, reason=f"nothing tells the strings of {attribute!r} apart")
    divisions = best_clusters(places, weights, count or at_most)
    unexplained = tuple(left / divisions[0][1] for _, left in divisions)
    if count is not None and len(divisions) < count:
        reason = f"{attribute!r} has only {len(divisions)} strings that can be told apart"
        return ValueMiningResult(summary, associations=associations, unexplained=unexplained, reason=reason)
    label, _ = divisions[(count or enough(unexplained)) - 1]
    order = sorted(range(label.max() + 1), key=lambda one: (-weights[label == one].sum(), one))
    tables = [_table(values, places, weights, label, one) for one in order]
    clusters = [
        sorted((values[at] for at in np.flatnonzero(label == one)), key=lambda value: (-summary.values[value], value))
        for one in order
    ]
    given = names or _names(clusters, tables, known)
    return ValueMiningResult(
        summary,
        tuple(Concept(name, attribute, table) for name, table in zip(given, tables, strict=True)),
        tuple(map(tuple, clusters)),
        associations,
        unexplained,
    )


def _places(summary: ValueSummary, values: Sequence[str]) -> tuple[tuple[tuple[str, float], ...], Array]:
    """The attributes that count, and a point for each value whose distances are weighted Hellinger distances."""
    by_attribute: dict[str, list[tuple[Context, int]]] = defaultdict(list)
    for context, count in summary.contexts.items():
        by_attribute[context.attribute].append((context, count))
    row = {value: at for at, value in enumerate(values)}
    associations, parts = [], []
    for name in sorted(by_attribute):
        counts = _counts(by_attribute[name], row)
        association = _cramers_v(counts)
        if not association:
            continue
        average = counts.sum(axis=0) / counts.sum()
        shares = (counts + PRIOR * average) / (counts.sum(axis=1, keepdims=True) + PRIOR)
        associations.append((name, round(association, 6)))
        parts.append(np.sqrt(association * shares))
    return tuple(associations), np.concatenate(parts, axis=1) if parts else np.empty((len(values), 0))


def _counts(found: Iterable[tuple[Context, int]], row: dict[str, int]) -> Array:
    """Values by columns: a column for each string, and one for each part of the numbers."""
    column: dict[object, int] = {}
    cells: dict[tuple[int, int], int] = defaultdict(int)
    numbers: dict[float, int] = defaultdict(int)
    for context, count in found:
        if context.exponent is not None:
            numbers[_number(context)] += count
    points = sorted(numbers)
    reached = list(accumulate(numbers[x] for x in points))
    total = reached[-1] if reached else 0
    bins = max(2, min(BINS, total // LEAST_IN_BIN))
    part = {x: bins * (upto - numbers[x]) // total for x, upto in zip(points, reached, strict=True)}
    for context, count in sorted(found, key=lambda pair: (pair[0].value, pair[0].exponent or 0, pair[0].code)):
        key = ("text", context.code) if context.exponent is None else ("number", part[_number(context)])
        cells[row[context.value], column.setdefault(key, len(column))] += count
    counts = np.zeros((len(row), len(column)))
    for place, count in cells.items():
        counts[place] = count
    return counts


def _number(context: Context) -> float:
    return context.code * 10.0 ** (context.exponent or 0)


def _cramers_v(counts: Array) -> float:
    """How much rows and columns depend on each other, from 0 to 1, corrected for bias (Bergsma, 2013).

    0 also if it may be chance.
    """
    counts = counts[counts.sum(axis=1) > 0]
    rows, columns = counts.shape
    total = counts.sum()
    if rows < 2 or columns < 2 or total < 2:
        return 0.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / total
    chi_square, freedom = ((counts - expected) ** 2 / expected).sum(), (rows - 1) * (columns - 1)
    if chi_square < freedom + SURE * np.sqrt(2 * freedom):
        return 0.0
    phi = max(0.0, chi_square / total - freedom / (total - 1))
    least = min(rows - (rows - 1) ** 2 / (total - 1), columns - (columns - 1) ** 2 / (total - 1)) - 1
    return float(min(1.0, np.sqrt(phi / least))) if least > 0 else 0.0


def _table(values: Sequence[str], places: Array, weights: Array, label: Array, cluster: int) -> Table:
    """The degree of each value: 1/2 halfway between this cluster and the next, 1 from three quarters on."""
    centres = [
        np.average(places[label == one], axis=0, weights=weights[label == one]) for one in range(label.max() + 1)
    ]
    distances = np.stack([np.linalg.norm(places - centre, axis=1) for centre in centres])
    own, others = distances[cluster], np.delete(distances, cluster, axis=0).min(axis=0)
    nearness = np.divide(others, own + others, out=np.full(len(values), 0.5), where=own + others > 0)
    degrees = np.round(np.clip(2 * nearness - 0.5, 0.0, 1.0), 2)
    return Table(tuple((value, float(degree)) for value, degree in zip(values, degrees, strict=True) if degree > 0))


def _names(clusters: Sequence[Sequence[str]], tables: Sequence[Table], known: Sequence[Concept]) -> list[str]:
    """The names of known concepts, each for the cluster that resembles it most; for more clusters, new names.

    A new name is ``like_`` and the most frequent value.
    """
    old = [one for one in known if isinstance(one.membership, Table)]
    pairs = sorted(
        (-_overlap(table, one.membership), at, place)
        for at, table in enumerate(tables)
        for place, one in enumerate(old)
        if isinstance(one.membership, Table)
    )
    named: dict[int, str] = {}
    for _, at, place in pairs:
        if at not in named and old[place].name not in named.values():
            named[at] = old[place].name
    taken = {one.name for one in known}
    for at, cluster in enumerate(clusters):
        if at not in named:
            word = re.sub(r"\W+", "_", cluster[0].lower()).strip("_") or "value"
            tried = (
                f"like_{word}{number}" for number in ("", *(f"_{n}" for n in range(2, len(clusters) + len(taken) + 3)))
            )
            named[at] = next(name for name in tried if name not in taken)
            taken.add(named[at])
    return [named[at] for at in range(len(clusters))]


def _overlap(one: Table, other: Table) -> float:
    """What two tables share. Values count alike, so that no frequent value alone takes a name along."""
    first, second = dict(one.degrees), dict(other.degrees)
    both = [(first.get(value, 0.0), second.get(value, 0.0)) for value in first.keys() | second.keys()]
    return math.fsum(min(pair) for pair in both) / math.fsum(max(pair) for pair in both)
