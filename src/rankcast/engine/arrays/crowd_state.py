"""The state of a crowd as plain data: user by user as in the reference engine, or many users as columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, assert_never

import numpy as np

from rankcast.choose import Candidate
from rankcast.choose.periodic import clock_state
from rankcast.engine.arrays.crowd import Crowd
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.patterns import Pattern
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.named_events import EventSource, NamedEvents
from rankcast.matching.batch import numbered
from rankcast.model import Mode
from rankcast.plain import State

_PERIOD = ("period", "last", "clock", "by_clock")
"""The columns of a member that only periods have."""

_NONE = -(2**62)
"""Stands for a period or a clock that has not begun (`-NEVER` of the kernels)."""


class _Saved(NamedTuple):
    """What a member's state says: candidates with their positions, which were sent or are kept, and the period.

    Only calm windows have kept candidates.
    """

    matched: int
    positions: list[int]
    candidates: list[State]
    sent: list[int]
    period: tuple[int, ...] = ()
    """The values of `_PERIOD`."""
    kept: list[int] | None = None

    def state(self, mode: Mode) -> State:
        """The state in the format of the reference engine."""
        pairs = [list(pair) for pair in zip(self.positions, self.candidates, strict=True)]
        window = {"matched": self.matched, "entries": pairs}
        match mode:
            case Mode.ALL:
                made: State = {}
            case Mode.SLIDING:
                made = {"window": window, "sent": self.sent, **({} if self.kept is None else {"kept": self.kept})}
            case Mode.HISTORY:
                made = {"held": window}
            case Mode.PERIODIC:
                period, last, clock, by_clock = self.period
                made = {
                    "matched": self.matched,
                    "period": None if period == _NONE else period,
                    "last": last,
                    "candidates": self.candidates,
                    **clock_state(None if clock == _NONE else clock, bool(by_clock)),
                }
            case other:
                assert_never(other)
        return {"mode": made, "score": {}}

    @classmethod
    def of_state(cls, mode: Mode, state: State) -> "_Saved":
        """What a state of the reference engine says."""
        match mode:
            case Mode.ALL:
                return cls(0, [], [], [])
            case Mode.SLIDING | Mode.HISTORY:
                window = state["window" if mode is Mode.SLIDING else "held"]
                positions, candidates = [one for one, _ in window["entries"]], [one for _, one in window["entries"]]
                sent, kept = state.get("sent", []), state.get("kept")
                return cls(window["matched"], positions, candidates, sent, kept=kept)
            case Mode.PERIODIC:
                candidates, period = state["candidates"], _NONE if state["period"] is None else state["period"]
                clock = state.get("clock", _NONE), int(state.get("goes_by_clock", False))
                return cls(state["matched"], [0] * len(candidates), candidates, [], (period, state["last"], *clock))
            case other:
                assert_never(other)


def state_of(crowd: Crowd, member: Member, table: EventTable) -> State:
    """The state of a member, in the format of the reference engine."""
    held, entries = crowd.held, crowd.columns.entries(np.array([member.number]))
    patterns = [crowd.patterns.all[number] for number in held.pattern[entries].tolist()]
    candidates = [
        Candidate(event, pattern.rank, pattern.matching, pattern.specific, degree).state()
        for event, pattern, degree in zip(
            table.at(held.row[entries]), patterns, held.degree[entries].tolist(), strict=True
        )
    ]
    seqs = held.seq[entries]
    state = _Saved(
        int(crowd.members.matched[member.number]),
        held.position[entries].tolist(),
        candidates,
        seqs[held.sent[entries]].tolist(),
        tuple(int(getattr(crowd.members, name)[member.number]) for name in _PERIOD),
        seqs[held.kept[entries]].tolist() if member.policy.calm else None,
    ).state(member.policy.mode)
    if member.filter is not None:
        state["mode"] = {"filter": member.filter.state(), "mode": state["mode"]}
    return state


def restore_member(crowd: Crowd, member: Member, state: State, table: EventTable) -> None:
    """Continue a member from a saved state of this or the reference engine."""
    mode = state["mode"]
    if member.filter is not None:
        member.filter.restore(mode["filter"])
        mode = mode["mode"]
    saved = _Saved.of_state(member.policy.mode, mode)
    candidates = [Candidate.of_state(candidate) for candidate in saved.candidates]
    number = np.array([member.number])
    crowd.columns.allot(number, np.array([len(candidates)]))
    held, own = crowd.held, crowd.columns.entries(number)
    held.row[own] = table.rows_of([candidate.event for candidate in candidates])
    held.seq[own] = [candidate.seq for candidate in candidates]
    held.position[own] = saved.positions
    held.degree[own] = [candidate.degree for candidate in candidates]
    held.sent[own] = np.isin(held.seq[own], np.array(saved.sent, np.int64))
    held.kept[own] = np.isin(held.seq[own], np.array(saved.kept or (), np.int64))
    known: dict[Pattern, int] = {}
    same: dict[tuple[int, int, float], int] = {}
    """Patterns by the identity of their tuples. In a state of this process they are often identical, and comparing is
    slower."""
    for place, candidate in zip(own.tolist(), candidates, strict=True):
        seen = (id(candidate.matching), id(candidate.specific), candidate.rank)
        if seen not in same:
            pattern = Pattern(candidate.matching, candidate.specific, candidate.rank)
            if pattern not in known:
                known[pattern] = crowd.patterns.add(pattern)
            same[seen] = known[pattern]
        held.pattern[place] = same[seen]
    crowd.members.matched[number] = saved.matched
    for name, value in zip(_PERIOD, saved.period, strict=False):
        getattr(crowd.members, name)[number] = value
    crowd.go_on(number)


def columns_of(crowd: Crowd, members: Sequence[Member], table: EventTable, named: NamedEvents) -> State | None:
    """The states of some members as columns, which name events by `seq`. The events are added to `named`.

    Costs about 0.1 µs per entry, and 1 µs for each user and for each distinct pattern.
    """
    if not members:
        return None
    numbers = np.array([member.number for member in members], np.int64)
    held, entries = crowd.held, crowd.columns.entries(numbers)
    seqs = held.seq[entries]
    kept = entries[seqs < named.since]
    named.kept |= zip(held.seq[kept].tolist(), table.at(held.row[kept]), strict=True)
    if len(kept) < len(entries):
        named.is_kept(int(seqs[seqs >= named.since].min()))
    used, kind = numbered(held.pattern[entries])
    degree = held.degree[entries]
    return {
        "users": [member.user for member in members],
        "modes": [member.policy.mode.value for member in members],
        "matched": crowd.members.matched[numbers].tolist(),
        "count": crowd.members.count[numbers].tolist(),
        "patterns": [crowd.patterns.all[number] for number in used.tolist()],
        "pattern": kind.astype("<i4").tobytes(),
        "seq": seqs.astype("<i8").tobytes(),
        "position": held.position[entries].astype("<i8").tobytes(),
        "sent": held.sent[entries].astype("<i1").tobytes(),
        "calm": [bool(member.policy.calm) for member in members],
        "kept": held.kept[entries].astype("<i1").tobytes(),
        "degree": b"" if (degree == 1).all() else degree.astype("<f8").tobytes(),
        **{name: getattr(crowd.members, name)[numbers].tolist() for name in _PERIOD},
    }


class _Read:
    """Columns, read back. Those of the forms before are of windows without calm, or of sliding windows only."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.users: list[str] = columns["users"]
        self.modes = [Mode(one) for one in columns.get("modes", [Mode.SLIDING.value] * len(self.users))]
        self.matched = np.array(columns["matched"], np.int64)
        self.count = np.array(columns["count"], np.int64)
        self.pattern = np.frombuffer(columns["pattern"], "<i4").astype(np.int64)
        self.seq = np.frombuffer(columns["seq"], "<i8")
        self.position = np.frombuffer(columns["position"], "<i8")
        self.sent = np.frombuffer(columns["sent"], "<i1").astype(bool)
        self.calm = columns.get("calm", [False] * len(self.users))
        self.kept = np.frombuffer(columns.get("kept", bytes(len(self.seq))), "<i1").astype(bool)
        given = columns["degree"]
        self.degree = np.frombuffer(given, "<f8") if given else np.ones(len(self.seq))
        self.patterns = [
            Pattern(tuple(matching), tuple(specific), rank) for matching, specific, rank in columns["patterns"]
        ]
        nothing = [0] * len(self.users)
        self.period = np.array([columns.get(name, nothing) for name in _PERIOD], np.int64)


def restore_columns(
    crowd: Crowd,
    members: Iterable[Member],
    columns: Mapping[str, object],
    table: EventTable,
    events: EventSource,
) -> None:
    """Continue the members from the states in `columns`, which have the same order."""
    read = _Read(columns)
    members = list(members)
    if [member.policy.mode for member in members] != read.modes:
        raise ValueError("the saved state is of other delivery modes")
    numbers = np.array([member.number for member in members], np.int64)
    crowd.columns.allot(numbers, read.count)
    held, entries = crowd.held, crowd.columns.entries(numbers)
    seqs, places = np.unique(read.seq, return_inverse=True)
    held.row[entries] = table.rows_of([events[seq] for seq in seqs.tolist()])[places]
    held.seq[entries], held.position[entries] = read.seq, read.position
    held.sent[entries], held.degree[entries], held.kept[entries] = read.sent, read.degree, read.kept
    held.pattern[entries] = crowd.patterns.add_all([(pattern, ()) for pattern in read.patterns]) + read.pattern
    crowd.members.matched[numbers] = read.matched
    for name, values in zip(_PERIOD, read.period, strict=True):
        getattr(crowd.members, name)[numbers] = values
    crowd.go_on(numbers)


def folded_of_columns(columns: Mapping[str, Any]) -> dict[str, State]:
    """The same states one by one, in the form of `rankcast.engine.arrays.folded`, for a shard without a crowd."""
    read = _Read(columns)
    states: dict[str, State] = {}
    end = 0
    for place, (user, mode, count) in enumerate(zip(read.users, read.modes, read.count.tolist(), strict=True)):
        own = slice(end, end + count)
        end += count
        candidates = [
            {
                "event": None,
                "seq": seq,
                "rank": read.patterns[number].rank,
                "degree": degree,
                "matching": read.patterns[number].matching,
                "specific": read.patterns[number].specific,
            }
            for seq, number, degree in zip(
                *(column[own].tolist() for column in (read.seq, read.pattern, read.degree)), strict=True
            )
        ]
        positions, sent = read.position[own].tolist(), read.seq[own][read.sent[own]].tolist()
        period = tuple(read.period[:, place].tolist())
        kept = read.seq[own][read.kept[own]].tolist() if read.calm[place] else None
        states[user] = _Saved(int(read.matched[place]), positions, candidates, sent, period, kept).state(mode)
    return states
