"""The windows of a crowd as plain data: one by one as in the reference engine, or many as columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankcast.choose import Candidate
from rankcast.engine.arrays.crowd import Crowd, Member
from rankcast.engine.arrays.patterns import Pattern
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Event
from rankcast.plain import State

__all__ = ["columns_of", "folded_of_columns", "restore_columns", "restore_member", "state_of"]

_LAST = np.iinfo(np.int64).max


def state_of(crowd: Crowd, member: Member, table: EventTable) -> State:
    """The state of a member, in the format of the reference engine."""
    held, entries = crowd.held, crowd.entries(np.array([member.number]))
    patterns = [crowd.patterns.all[number] for number in held.pattern[entries].tolist()]
    candidates = [
        Candidate(event, pattern.rank, pattern.matching, pattern.specific, degree).state()
        for event, pattern, degree in zip(
            table.at(held.row[entries]), patterns, held.degree[entries].tolist(), strict=True
        )
    ]
    window = {
        "matched": int(crowd.members.matched[member.number]),
        "entries": [list(pair) for pair in zip(held.position[entries].tolist(), candidates, strict=True)],
    }
    return {"mode": {"window": window, "sent": held.seq[entries][held.sent[entries]].tolist()}, "score": {}}


def restore_member(crowd: Crowd, member: Member, state: State, table: EventTable) -> None:
    """Continue a member from a saved state of this or the reference engine."""
    window = state["mode"]["window"]
    candidates = [Candidate.of_state(candidate) for _, candidate in window["entries"]]
    number = np.array([member.number])
    crowd.allot(number, np.array([len(candidates)]))
    held, own = crowd.held, crowd.entries(number)
    held.row[own] = table.rows_of([candidate.event for candidate in candidates])
    held.seq[own] = [candidate.seq for candidate in candidates]
    held.position[own] = [position for position, _ in window["entries"]]
    held.degree[own] = [candidate.degree for candidate in candidates]
    held.sent[own] = np.isin(held.seq[own], np.array(state["mode"]["sent"], np.int64))
    known: dict[Pattern, int] = {}
    for place, candidate in zip(own.tolist(), candidates, strict=True):
        pattern = Pattern(candidate.matching, candidate.specific, candidate.rank)
        if pattern not in known:
            known[pattern] = crowd.patterns.add(pattern)
        held.pattern[place] = known[pattern]
    crowd.members.matched[number] = window["matched"]
    crowd.go_on(number)


def columns_of(
    crowd: Crowd, members: Sequence[Member], table: EventTable, events: dict[int, Event], since: int
) -> State:
    """The states of some members as columns, which name events by `seq`.

    Named events before `since`, and the first one from `since` on, are added to `events`.

    Costs about 0.1 µs per entry, and 1 µs for each distinct pattern in the windows.
    """
    numbers = np.array([member.number for member in members], np.int64)
    held, entries = crowd.held, crowd.entries(numbers)
    seqs = held.seq[entries]
    named = entries[seqs < since]
    if len(named) < len(entries):
        named = np.append(named, entries[np.argmin(np.where(seqs < since, _LAST, seqs))])
    events |= zip(held.seq[named].tolist(), table.at(held.row[named]), strict=True)
    used, kind = np.unique(held.pattern[entries], return_inverse=True)
    degree = held.degree[entries]
    return {
        "users": [member.user for member in members],
        "matched": crowd.members.matched[numbers].tolist(),
        "count": crowd.members.count[numbers].tolist(),
        "patterns": [crowd.patterns.all[number] for number in used.tolist()],
        "pattern": kind.astype("<i4").tobytes(),
        "seq": seqs.astype("<i8").tobytes(),
        "position": held.position[entries].astype("<i8").tobytes(),
        "sent": held.sent[entries].astype("<i1").tobytes(),
        "degree": b"" if (degree == 1).all() else degree.astype("<f8").tobytes(),
    }


class _Read:
    """Columns, read back."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.count = np.array(columns["count"], np.int64)
        self.pattern = np.frombuffer(columns["pattern"], "<i4").astype(np.int64)
        self.seq = np.frombuffer(columns["seq"], "<i8")
        self.position = np.frombuffer(columns["position"], "<i8")
        self.sent = np.frombuffer(columns["sent"], "<i1").astype(bool)
        given = columns["degree"]
        self.degree = np.frombuffer(given, "<f8") if given else np.ones(len(self.seq))
        self.patterns = [
            Pattern(tuple(matching), tuple(specific), rank) for matching, specific, rank in columns["patterns"]
        ]


def restore_columns(
    crowd: Crowd,
    members: Iterable[Member],
    columns: Mapping[str, object],
    table: EventTable,
    events: Mapping[int, Event],
) -> None:
    """Continue the members from the states in `columns`, which have the same order."""
    read = _Read(columns)
    numbers = np.array([member.number for member in members], np.int64)
    crowd.allot(numbers, read.count)
    held, entries = crowd.held, crowd.entries(numbers)
    seqs, places = np.unique(read.seq, return_inverse=True)
    held.row[entries] = table.rows_of([events[seq] for seq in seqs.tolist()])[places]
    held.seq[entries], held.position[entries] = read.seq, read.position
    held.sent[entries], held.degree[entries] = read.sent, read.degree
    renumbered = np.array([crowd.patterns.add(pattern) for pattern in read.patterns], np.int64)
    held.pattern[entries] = renumbered[read.pattern]
    crowd.members.matched[numbers] = columns["matched"]
    crowd.go_on(numbers)


def folded_of_columns(columns: Mapping[str, Any]) -> dict[str, State]:
    """The same states one by one, in the form of `rankcast.engine.arrays.folded`, for a shard without a crowd."""
    read = _Read(columns)
    states: dict[str, State] = {}
    end = 0
    for user, matched, count in zip(columns["users"], columns["matched"], columns["count"], strict=True):
        own = slice(end, end + count)
        end += count
        entries = []
        for seq, position, number, degree in zip(
            *(column[own].tolist() for column in (read.seq, read.position, read.pattern, read.degree)), strict=True
        ):
            pattern = read.patterns[number]
            candidate = {"event": None, "seq": seq, "rank": pattern.rank, "degree": degree}
            entries.append([position, candidate | {"matching": pattern.matching, "specific": pattern.specific}])
        sent = read.seq[own][read.sent[own]].tolist()
        states[user] = {"mode": {"window": {"matched": matched, "entries": entries}, "sent": sent}, "score": {}}
    return states
