"""Our engine on a workload: CPU time of compiling, encoding, matching and ranking."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from workloads import BETWEEN, Workload, clauses, word

from rankcast.engine.index import bulk as columns
from rankcast.engine.index.arrow import codes_of_batch
from rankcast.engine.index.building import IndexedSubscriptions, build
from rankcast.engine.index.draft import Draft
from rankcast.engine.index.index import Index
from rankcast.engine.index.texts import PackedStrings
from rankcast.model import And, Between, Compare, Expression, Op, Or, Predicate

CHECKED = 20
"""The number of events for which answers are compared with the peers'."""

OPS = {"=": Op.EQ, "contains": Op.CONTAINS, "startswith": Op.STARTSWITH}


class Measured(NamedTuple):
    """Events per second, including encoding; matches per event; the answers to the first events."""

    speed: float
    matches: float
    answers: list[list[int]]


def compiled(workload: Workload, progress: Callable[[float], None] = lambda share: None) -> Index:
    """Our index of a workload."""
    count = len(workload)
    digits = np.char.add("s", np.arange(count).astype("U9")) if count else np.zeros(0, "U1")
    ids = PackedStrings.of(digits.tolist())
    progress(0.1)
    rng = np.random.default_rng(0)
    if workload.attribute.shape[2] == 1:
        draft, owner = columns.bulk_draft(_columns(workload))
    else:
        draft = Draft()
        owner = np.array([draft.add(expression(workload, place)) for place in range(count)])
    progress(0.4)
    users = max(1, count // 10)
    members = IndexedSubscriptions(
        ids,
        rng.integers(0, users, count).astype(np.int32),
        PackedStrings.of(f"u{i}" for i in range(users)),
        rng.random(count),
        owner,
    )
    return Index(build(draft, members, progress=lambda share: progress(0.4 + 0.6 * share)))


def expression(workload: Workload, place: int) -> Expression:
    """A subscription as an expression."""
    outer, inner = (Or, And) if workload.is_dnf[place] else (And, Or)
    parts = []
    for clause in clauses(workload, place):
        rows = tuple(_predicate(row) for row in clause)
        parts.append(inner(rows) if len(rows) > 1 else rows[0])
    return outer(tuple(parts)) if len(parts) > 1 else parts[0]


def batch_of(workload: Workload) -> pa.RecordBatch:
    """The events as an Arrow batch; strings are dictionary-encoded."""
    made = {}
    for column, name in enumerate(workload.attributes):
        values = workload.events[:, column]
        absent = values < 0
        if not workload.is_text[column]:
            made[name] = pa.array(values, mask=absent)
            continue
        known = np.unique(values[~absent])
        places = pa.array(np.searchsorted(known, values).astype(np.int32), mask=absent)
        made[name] = pa.DictionaryArray.from_arrays(places, pa.array([word(value) for value in known], pa.string()))
    return pa.RecordBatch.from_pydict(made)


def measure(index: Index, workload: Workload, budget: float) -> Measured:
    """Measure our speed, including the encoding of the columns, and return the answers to the first events."""
    first = replace(workload, events=workload.events[:CHECKED])
    sure = index.candidates(codes_of_batch(index.encoder, batch_of(first)))
    answers = [sure.subscription[sure.event == place].tolist() for place in range(CHECKED)]
    batch = batch_of(workload)
    spent, rounds, matches = 0.0, 0, 0
    while spent < budget:
        began = time.process_time()
        found, _ = index.found(codes_of_batch(index.encoder, batch))
        spent += time.process_time() - began
        rounds, matches = rounds + 1, len(found)
    return Measured(rounds * len(workload.events) / spent, matches / len(workload.events), answers)


def matching_and_ranking(index: Index, workload: Workload, rounds: int = 5) -> tuple[float, float, float]:
    """Seconds per event to match encoded events, seconds to match and rank (best score per user), matches per event.

    The two are measured in turns, so that both see the same load.
    """
    codes = codes_of_batch(index.encoder, batch_of(workload))
    spent = [0.0, 0.0]
    matches = len(index.found(codes)[0])
    for turn in range(-1, rounds):  # the first compiles
        for which, run in enumerate((index.found, lambda given: sum(len(block.user) for block in index.ranked(given)))):
            began = time.process_time()
            run(codes)
            spent[which] += time.process_time() - began if turn >= 0 else 0.0
    return spent[0] / rounds / len(codes), spent[1] / rounds / len(codes), matches / len(codes)


def _predicate(row: list) -> Predicate:
    return Predicate(row[0], Between(row[2], row[3]) if row[1] == "between" else Compare(OPS[row[1]], row[2]))


def _columns(workload: Workload) -> columns.Conjunctions:
    k = workload.attribute.shape[1]
    attribute = workload.attribute.reshape(-1).astype(np.int32)
    is_text = workload.is_text[attribute]
    ops = np.array([0, columns.BETWEEN, *(list(Op).index(OPS[op]) for op in ("contains", "startswith"))], np.int8)
    low, high = workload.low.reshape(-1), workload.high.reshape(-1)
    is_range = workload.op.reshape(-1) == BETWEEN
    return columns.Conjunctions(
        np.arange(len(workload) + 1, dtype=np.int64) * k,
        workload.attributes,
        attribute,
        ops[workload.op.reshape(-1)],
        np.where(is_text, 0, low).astype(np.float64),
        np.where(is_range, high, 0).astype(np.float64),
        np.where(is_text, low, -1).astype(np.int32),
        [word(i) for i in range(int(low.max(initial=0)) + 1)],
    )
