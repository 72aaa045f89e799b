"""What the nodes of a team tell each other after each round, and how a coordinator merges it (semantics: Teams)."""

import math
from collections.abc import Iterable, Sequence

import msgspec

from rankcast.choose.filters.pacing import Pacing, takes_turns
from rankcast.choose.filters.score_sketch import ScorePoint, kth_highest
from rankcast.errors import ModelError
from rankcast.model import Filter, FilterKind, Scoring, Update


class NodeReport(msgspec.Struct, frozen=True):
    """A node's report after a round. Its size depends on the length of the round by two bits per event.

    `matched` and `delivered` have a bit for each event of the round. `wanted` is the number of events that the filter
    would let through, with or without quota. `points` are the node's scores (`rankcast.choose.filters.score_sketch`),
    and `active` is the number of its subscriptions that ever matched, if the filter needs it.
    """

    matched: bytes
    delivered: bytes
    wanted: int
    points: list[ScorePoint]
    active: int


class RoundOrders(msgspec.Struct, frozen=True):
    """What a node knows at the start of a round.

    It delivers at most `quota` events, of those that score at least `threshold`. `matched` events matched the team
    before the round. Of each event of the round, the node expects `others` to match the other nodes alone. `delivered`
    has a bit for each event of the last round, and `elsewhere` is the number of active subscriptions of other nodes.
    If subscriptions take turns, `turn` is the number of the current one, which decides instead of the threshold.
    """

    threshold: float
    quota: int
    matched: int = 0
    others: float = 0.0
    delivered: bytes = b""
    elsewhere: int = 0
    turn: int | None = None


class PastRound(msgspec.Struct, frozen=True):
    """A round that still counts for the threshold: its matching and delivered events, and its scores."""

    matched: int
    delivered: int
    points: list[ScorePoint]


class TeamState(msgspec.Struct):
    """What the coordinator keeps: totals, the quotas it gave, the rounds of the last period, and the number of the turn."""

    quotas: list[int]
    matched: int = 0
    passed: int = 0
    rounds: list[PastRound] = []
    turn: int = 0


def check_team_filter(settings: Filter | None) -> Filter:
    """Return the filter if nodes can share it: threshold or sampling, by rate or by interval. Else raise."""
    if settings is None or settings.novelty not in (FilterKind.THRESHOLD, FilterKind.SAMPLING):
        raise ModelError("a team needs a policy with a threshold or sampling filter")
    if settings.scoring not in (Scoring.RATE, Scoring.INTERVAL):
        raise ModelError("a team's filter scores by rate or interval")
    return settings


def first_orders(settings: Filter, nodes: int, length: int) -> tuple[TeamState, list[RoundOrders]]:
    """The start: no threshold, every event is assumed to match, equal quotas, and no other node matches anything."""
    if _is_paced(settings):
        budget = _ceil(settings.rate * length)
    else:
        budget = _floor(settings.rate * (length if settings.update is Update.LAZY else max(length, settings.period)))
    state = TeamState(_shares(budget, nodes))
    turn = _next_turn(state, settings, active=0) if takes_turns(settings) and length == 1 else None
    return state, [RoundOrders(0.0, quota, turn=turn) for quota in state.quotas]


def merge(
    reports: Sequence[NodeReport], before: TeamState, settings: Filter, length: int
) -> tuple[TeamState, list[RoundOrders]]:
    """Merge the reports of a round of `length` published events; an event that concerned several nodes counts once.

    The budget of the next round goes to the nodes as they wanted to deliver in this one. Several nodes keep what they
    left, up to the budget of a round: each needs room of its own, so that no one has to stop while others have room.
    """
    matched, delivered = (_union([getattr(report, name) for report in reports]) for name in ("matched", "delivered"))
    state = TeamState(
        before.quotas,
        before.matched + matched.bit_count(),
        before.passed + delivered.bit_count(),
        [
            *before.rounds,
            PastRound(matched.bit_count(), delivered.bit_count(), [point for one in reports for point in one.points]),
        ],
        before.turn,
    )
    _forget(state.rounds, settings)
    left = sum(before.quotas) - delivered.bit_count()
    state.quotas = _allotted(_budget(state, settings, max(0, left)), [one.wanted for one in reports])
    active = sum(report.active for report in reports)
    turn = None
    if takes_turns(settings) and length == 1:
        turn = _next_turn(state, settings, active) if matched else state.turn
    threshold = _threshold(state, settings)
    told = delivered.to_bytes(-(-length // 8), "little")
    return state, [
        RoundOrders(
            threshold,
            quota,
            state.matched,
            (matched.bit_count() - int.from_bytes(report.matched, "little").bit_count()) / max(1, length),
            told,
            active - report.active,
            turn,
        )
        for report, quota in zip(reports, state.quotas, strict=True)
    ]


def seqs_of(bits: bytes, start: int) -> list[int]:
    """The events of a round after event `start` whose bit is set.

    >>> seqs_of(bytes([0b101]), 10)
    [11, 13]
    """
    return [start + 1 + place for place in range(8 * len(bits)) if bits[place // 8] >> place % 8 & 1]


def _is_paced(settings: Filter) -> bool:
    return settings.novelty is FilterKind.THRESHOLD and settings.update is Update.PACED


def _union(parts: Iterable[bytes]) -> int:
    found = 0
    for bits in parts:
        found |= int.from_bytes(bits, "little")
    return found


def _forget(rounds: list[PastRound], settings: Filter) -> None:
    """Keep the rounds of the last period; of a lazy filter, the last round."""
    kept = 1 if settings.update is Update.LAZY else settings.period
    while len(rounds) > 1 and (settings.update is Update.LAZY or sum(one.matched for one in rounds[1:]) >= kept):
        del rounds[0]


def _pacing(state: TeamState, settings: Filter) -> Pacing:
    """The budget as it will be at the end of a round like the last, with a slack of at least what such a round gets."""
    pacing = Pacing(settings.rate, settings.period)
    expected = max(1, state.rounds[-1].matched)
    pacing.slack = max(pacing.slack, 2 * settings.rate * expected)
    pacing.t, pacing.passed = state.matched + expected, state.passed
    return pacing


def _budget(state: TeamState, settings: Filter, left: int) -> int:
    """How many events the next round may deliver, if as many match as in the last; `left` were not delivered in it."""
    if _is_paced(settings):
        return max(0, _ceil(_pacing(state, settings).unspent))
    budget = _new_budget(state, settings)
    return budget + (min(left, budget) if len(state.quotas) > 1 else 0)


def _new_budget(state: TeamState, settings: Filter) -> int:
    last = state.rounds[-1].matched
    if settings.update is Update.LAZY or last >= settings.period:
        return _floor(settings.rate * last)
    leaving, over = 0, sum(one.matched for one in state.rounds) + last - 1 - settings.period
    for one in state.rounds:
        if one.matched > over:
            break
        over -= one.matched
        leaving += one.delivered
    return max(0, _floor(settings.rate * settings.period) - sum(one.delivered for one in state.rounds) + leaving)


def _next_turn(state: TeamState, settings: Filter, active: int) -> int:
    """The turn of the next event that matches, if nodes talk after each event, so that turns can begin at any one."""
    pacing = Pacing(settings.rate, settings.period)
    pacing.t, pacing.passed = state.matched + 1, state.passed
    state.turn += pacing.begins_turn(active)
    return state.turn


def _threshold(state: TeamState, settings: Filter) -> float:
    """The k-th highest score of the rounds that count; for a paced filter, the quantile at the level."""
    points = [point for one in state.rounds for point in one.points]
    if _is_paced(settings):
        level, size = _pacing(state, settings).level, sum(count for _, count in points)
        place = max(1, math.floor(level * size))
        return 0.0 if level >= 1 or place >= size else kth_highest(points, place)
    if settings.update is Update.LAZY:
        return kth_highest(points, _floor(settings.rate * state.rounds[-1].matched))
    return kth_highest(points, _floor(settings.rate * settings.period))


def _allotted(budget: int, wanted: Sequence[int]) -> list[int]:
    """Divide a budget: first to each what it wants, the small wishes first, then the rest evenly.

    >>> _allotted(10, [2, 9, 9]), _allotted(10, [1, 2, 1])
    ([2, 4, 4], [3, 4, 3])
    """
    quotas, left = [0] * len(wanted), budget
    order = sorted(range(len(wanted)), key=lambda node: (wanted[node], node))
    for done, node in enumerate(order):
        quotas[node] = min(wanted[node], left // (len(order) - done))
        left -= quotas[node]
    return [quota + extra for quota, extra in zip(quotas, _shares(left, len(wanted)), strict=True)]


def _shares(amount: int, among: int) -> list[int]:
    return [amount // among + (number < amount % among) for number in range(among)]


def _floor(amount: float) -> int:
    return math.floor(amount + 1e-9)


def _ceil(amount: float) -> int:
    return math.ceil(amount - 1e-9)
