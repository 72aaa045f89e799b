"""The workloads of `benchmarks/matching.py`: subscriptions and events generated from a seed, as arrays.

A subscription is a conjunction of clauses. A clause is a list of alternatives (only one, except in workload e). An
alternative is ``attribute op low high``. Values are small integers; for a string attribute an integer stands for a
word.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EQ, BETWEEN, CONTAINS, STARTSWITH = 0, 1, 2, 3
OPS = ["=", "between", "contains", "startswith"]
TITLES = {
    "a": "3 predicates over 20 attributes, zipf values, 30 % ranges",
    "b": "8 predicates out of 122 attributes, events with 20 of them",
    "c": "a string pattern and an equality",
    "d": "3 wide ranges over 10 attributes",
    "e": "half CNF of 3 clauses of 2, half DNF of 2 conjunctions of 2",
}


@dataclass(frozen=True)
class Workload:
    """`shape` (clauses, alternatives); the four arrays have it per subscription. `is_dnf`: and/or exchanged."""

    name: str
    attributes: tuple[str, ...]
    is_text: NDArray[np.bool_]
    attribute: NDArray[np.int16]
    op: NDArray[np.int8]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    is_dnf: NDArray[np.bool_]
    events: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.attribute)


def word(number: int) -> str:
    """The word of a number: its digits as letters, so that words share substrings."""
    return "w" + "".join(chr(97 + int(digit)) for digit in str(number))


def zipf(rng: np.random.Generator, shape: tuple[int, ...], count: int, skew: float = 1.0) -> NDArray[np.int32]:
    """Random numbers below `count`; small ones are more frequent."""
    weights = 1.0 / np.arange(1, count + 1) ** skew
    bounds = np.cumsum(weights / weights.sum())
    return np.searchsorted(bounds, rng.random(shape)).astype(np.int32).clip(0, count - 1)


def make(name: str, size: int, events: int, seed: int = 1) -> Workload:
    """A workload with the given numbers of subscriptions and events."""
    rng = np.random.default_rng([seed, ord(name)])
    if name == "a":
        return _conjunctions(rng, name, size, events, count=20, k=3, values=100, ranges=0.6, width=30, present=20)
    if name == "b":
        return _conjunctions(
            rng, name, size, events, count=122, k=8, values=6, ranges=0.6, width=5, present=20, skew=1.5, steep=1.7
        )
    if name == "d":
        return _conjunctions(rng, name, size, events, 10, 3, 10_000, 1.0, 2_000, 10, skew=0.0, texts=0)
    if name == "c":
        made = _conjunctions(rng, name, size, events, 10, 2, 10_000, 0.0, 0, 10, skew=0.8, texts=10)
        made.op[:, 0] = rng.choice([CONTAINS, STARTSWITH], (size, 1))
        made.low[:, 0] = made.low[:, 0] % 1000
        made.low[:, 1] = made.low[:, 1] % 20
        made.events[:, 5:] %= 20
        made.attribute[:, 0], made.attribute[:, 1] = rng.integers(0, 5, (size, 1)), rng.integers(5, 10, (size, 1))
        return made
    made = _conjunctions(rng, name, size, events, 20, 6, 100, 0.4, 30, 20)
    is_dnf = rng.random(size) < 0.5
    shape = (size, 3, 2)
    attribute, op = made.attribute.reshape(shape).copy(), made.op.reshape(shape).copy()
    attribute[is_dnf, 2] = -1  # a DNF has two conjunctions only
    return Workload(
        name, made.attributes, made.is_text, attribute, op, made.low.reshape(shape), made.high.reshape(shape), is_dnf,
        made.events,
    )  # fmt: skip


def _conjunctions(
    rng: np.random.Generator, name: str, size: int, events: int, count: int, k: int, values: int, ranges: float,
    width: int, present: int, skew: float = 1.0, texts: int | None = None, steep: float = 0.0,
) -> Workload:  # fmt: skip
    texts = count // 2 if texts is None else texts
    # Popular attributes are more frequent in subscriptions and in events.
    weight = -steep * np.log(np.arange(1, count + 1))
    attribute = np.empty((size, k, 1), np.int16)
    for start in range(0, size, 1 << 18):
        part = slice(start, min(size, start + (1 << 18)))
        lots = rng.gumbel(size=(part.stop - part.start, count)) + weight
        attribute[part, :, 0] = np.argpartition(-lots, k - 1, axis=1)[:, :k]
    is_text = np.arange(count) % 2 == 0 if texts == count // 2 else np.arange(count) < texts
    low = zipf(rng, (size, k, 1), values, skew)
    op = np.where(~is_text[attribute] & (rng.random((size, k, 1)) < ranges), BETWEEN, EQ).astype(np.int8)
    length = rng.integers(0, width + 1, (size, k, 1)) if width else 0
    high = np.where(op == BETWEEN, low + length, low).astype(np.int32)
    made = zipf(rng, (events, count), values, skew)
    if present < count:
        lots = rng.gumbel(size=(events, count)) + weight
        absent = np.argpartition(-lots, present - 1, axis=1)[:, present:]
        np.put_along_axis(made, absent, -1, axis=1)
    names = tuple(f"{'s' if text else 'n'}{i}" for i, text in enumerate(is_text))
    return Workload(name, names, is_text, attribute, op, low, high, np.zeros(size, np.bool_), made)


def clauses(workload: Workload, place: int) -> list[list[list[object]]]:
    """The clauses of a subscription: lists of ``[attribute, op, value]`` or ``[attribute, "between", low, high]``."""
    made: list[list[list[object]]] = []
    for clause in range(workload.attribute.shape[1]):
        if workload.attribute[place, clause, 0] < 0:
            continue
        made.append([_row(workload, (place, clause, i)) for i in range(workload.attribute.shape[2])])
    return made


def _row(workload: Workload, at: tuple[int, int, int]) -> list[object]:
    attribute, op, low = int(workload.attribute[at]), int(workload.op[at]), int(workload.low[at])
    name = workload.attributes[attribute]
    if op == BETWEEN:
        return [name, "between", low, int(workload.high[at])]
    return [name, OPS[op], word(low) if workload.is_text[attribute] else low]


def event(workload: Workload, place: int) -> dict[str, object]:
    """An event's attributes."""
    row = workload.events[place].tolist()
    return {
        name: word(value) if text else value
        for name, text, value in zip(workload.attributes, workload.is_text.tolist(), row, strict=True)
        if value >= 0
    }
