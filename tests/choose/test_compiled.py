"""Compiled selection is the plain definition: the same candidates, to the last tie (semantics: Diversity)."""

import itertools
import math
import random
from dataclasses import replace

import pytest

from rankcast.choose import Candidate, Distance, DivRank, Exact, Greedy, History, Improved, MaxMin, Moment, compiled
from rankcast.model import EPOCH, Event, Interval, Length, Ties, Unit

SIGMAS = (0, 0.3, 0.5, 1 / 3, 0.9, 0.999, 1)
WEIGHTS = ({}, {}, {"a": 2.0, "b": 0.1}, {"d": 0.0}, {"a": 1e-9})


@pytest.fixture(autouse=True)
def _loops_are_worth_loading(monkeypatch):
    """Choices from more than a few candidates are compiled from the first one on, whatever this process did before."""
    monkeypatch.setattr("rankcast.choose.loading._WORTH", -1)


def candidates_of(chance: random.Random, count: int) -> list[Candidate]:
    """Candidates with gaps between positions, missing attributes, sets, equals, and ranks that are nearly or quite equal."""
    made, seq = [], chance.randint(0, 5)
    kinds = chance.choice([1, 2, 4, 9])
    for number in range(count):
        seq += chance.choice([1, 1, 3])
        values = {
            "a": (chance.randrange(kinds),),
            "b": chance.choice([(chance.randrange(kinds),), Interval(0, chance.randint(1, kinds))]),
            "c": (chance.random() < 0.5,),
            "d": tuple({f"v{chance.randrange(kinds)}" for _ in range(3)}),
        }
        present = {name: value for name, value in values.items() if chance.random() < 0.85}
        rank = chance.choice([chance.random(), round(chance.random(), 1), 0.1 + 0.2, 0.3, 1e-300])
        made.append(Candidate(Event(f"e{number}", EPOCH, present, seq=seq), rank))
    return made


@pytest.fixture(params=range(60))
def case(request):
    """Candidates, k, and what makes the same distance again, without what it remembers."""
    chance = random.Random(request.param)
    count = chance.choice([2, 5, 9, 14, 22])
    weights, attributes = chance.choice(WEIGHTS), chance.choice([None, None, ("a", "d"), ("nowhere",)])
    made = candidates_of(chance, count)
    return made, chance.randint(1, count - 1), chance.choice(SIGMAS), lambda: Distance(weights, attributes)


def test_greedy_picks_the_same_in_the_same_order(case):
    candidates, k, sigma, distance = case
    for objective in (DivRank, MaxMin):
        expected = Greedy.select_plainly(candidates, k, objective(sigma, distance()))
        assert compiled.greedy(candidates, k, objective(sigma, distance())) == expected


def test_improved_makes_the_same_swaps(case):
    candidates, k, sigma, distance = case
    expected = Improved.select_plainly(candidates, k, DivRank(sigma, distance()))
    assert compiled.improved(candidates, k, DivRank(sigma, distance())) == expected


def test_sums_of_pairs_are_rounded_once(case):
    candidates, _, sigma, distance = case
    objective = DivRank(sigma, distance())
    expected = [objective.apart(a, b) for a, b in itertools.combinations(candidates, 2)]
    assert compiled.pair_sums(candidates, DivRank(sigma, distance())) == (math.fsum(expected), min(expected))


def test_a_list_of_sent_events_is_improved_at_the_same_place(case):
    candidates, _, sigma, distance = case
    if sigma == 1:
        return
    held, candidate = candidates[:-1], candidates[-1]
    place, new, old = compiled.replaced(held, candidate, DivRank(sigma, distance()))
    objective = DivRank(sigma, distance())
    worth = [objective.value([*held[:at], *held[at + 1 :], candidate]) for at in range(len(held))]
    on_grid = [round(each, 12) for each in worth]
    assert place == on_grid.index(max(on_grid))
    assert (new, old) == (round(max(worth) * 1e12), round(objective.value(held) * 1e12))


def test_a_table_of_distances_that_candidates_join_and_leave(case):
    """The window slides, ranks fade, and the table is kept: each selection is that of a fresh one."""
    candidates, k, sigma, distance = case
    kept = DivRank(sigma, distance())
    window: list[Candidate] = []
    for number, candidate in enumerate(candidates):
        window = [replace(each, rank=each.rank * 0.9) for each in window]
        if number > 7:
            kept.forget(window.pop(0))
        window.append(candidate)
        if len(window) > k:
            expected = Improved.select_plainly(window, k, DivRank(sigma, distance()))
            assert compiled.improved(window, k, kept) == expected
            assert len(kept.distance.table) == len(window)


@pytest.mark.parametrize("largest", [0, 64, 2048])
def test_without_room_for_a_table_distances_are_measured(largest):
    from rankcast.choose.distance_table import DistanceTable

    candidates = candidates_of(random.Random(1), 70)
    objective = DivRank(0.5)
    objective.distance._table = DistanceTable({}, None, largest)
    assert Improved().select(candidates, 9, objective) == Improved.select_plainly(candidates, 9, DivRank(0.5))
    assert len(objective.distance.table.distances) == (128 if largest == 2048 else 0)


def test_a_table_keeps_what_was_asked_for_last_if_nothing_is_forgotten():
    chance = random.Random(2)
    objective = DivRank(0.5)
    for start in range(1, 2000, 100):
        candidates = [
            Candidate(Event(f"e{seq}", EPOCH, {f"n{seq}": (chance.random(),)}, seq=seq), chance.random())
            for seq in range(start, start + 40)
        ]
        assert Greedy().select(candidates, 4, objective) == Greedy.select_plainly(candidates, 4, DivRank(0.5))
    assert len(objective.distance.table) <= 2 * 40 + 64
    assert len(objective.distance.table.distances) <= 256


def test_many_equal_candidates_are_a_matter_of_recency():
    same = [Candidate(Event(f"e{seq}", EPOCH, {"a": (1,)}, seq=seq), 0.5) for seq in range(1, 400)]
    chosen = Improved().select(same, 100, DivRank(0.5))
    assert sorted(each.seq for each in chosen) == list(range(300, 400))


def test_many_candidates_without_positions_are_chosen_by_the_definition():
    same = [Candidate(Event(f"e{number}", EPOCH, {"a": (number % 3,)}), number / 50) for number in range(40)]
    assert compiled.greedy(same, 3, DivRank(0.5)) is None
    assert Greedy().select(same, 3, DivRank(0.5)) == Greedy.select_plainly(same, 3, DivRank(0.5))


@pytest.mark.parametrize("ties", Ties)
def test_a_long_history_decides_as_the_definition(monkeypatch, ties):
    candidates = candidates_of(random.Random(5), 60)
    fast, plain = (History(35, Length(50, Unit.MATCHED), DivRank(0.5), ties) for _ in range(2))
    for candidate in candidates:
        moment = Moment(candidate.seq, candidate.event.time)
        found = [each.seq for step in fast.publish(moment, candidate) for each in step.sent]
        with monkeypatch.context() as without:
            without.setattr("rankcast.choose.history.FEW", 10**6)
            without.setattr("rankcast.choose.objective.FEW", 10**6)
            assert found == [each.seq for step in plain.publish(moment, candidate) for each in step.sent]


def test_exact_starts_and_ends_the_same(monkeypatch):
    candidates = candidates_of(random.Random(8), 36)
    found = Exact(500).prove(candidates, 3, DivRank(0.5))
    for module in ("exact", "improved", "greedy", "objective"):
        monkeypatch.setattr(f"rankcast.choose.{module}.FEW", 10**6)
    assert Exact(500).prove(candidates, 3, DivRank(0.5)) == found
