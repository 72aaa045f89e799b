"""semantics: Delivery modes: calm windows."""

import random
from datetime import timedelta

import pytest

from rankcast.choose import Candidate, DivRank, Exact, Greedy, Improved, Moment, Sliding, select
from rankcast.choose.ties import on_grid
from rankcast.model import EPOCH, Event, Length, Unit


def seqs(candidates):
    return [candidate.seq for candidate in candidates]


def random_candidates(chance, count):
    return [
        Candidate(
            Event(
                f"e{seq}",
                EPOCH + timedelta(minutes=seq),
                {"g": (chance.choice("abc"),), "d": (chance.choice("xy"),)},
                seq=seq,
            ),
            chance.choice([0.2, 0.5, 0.9]),
        )
        for seq in range(1, count + 1)
    ]


def expected_choice(kept, window, k, objective, optimizer, calm):
    """The rule, written down once more: the last set, filled up one by one, unless the new one is better by enough."""
    new = select(window, k, objective, optimizer).chosen
    last = [one for one in window if one.seq in kept]
    if not last:
        return new
    while len(last) < min(k, len(window)):
        rest = [one for one in window if one not in last]

        def gain(one, last=tuple(last)):
            return on_grid(objective.gain(one, min(objective.apart(one, member) for member in last))), one.seq

        last.append(max(rest, key=gain))
    better = on_grid(on_grid(objective.value(new)) - on_grid(objective.value(last)))
    return new if better > calm else sorted(last, key=lambda one: one.seq)


@pytest.mark.parametrize("optimizer", [Greedy(), Improved(), Exact()])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_rule_step_by_step_under_restarts(optimizer, seed):
    chance = random.Random(seed)
    k, calm, sigma = chance.choice([1, 2, 3]), chance.choice([0.01, 0.05, 0.3]), chance.choice([0.0, 0.5, 1.0])
    length = Length(chance.choice([4, 9]), chance.choice([Unit.EVENTS, Unit.MATCHED]))
    objective = DivRank(sigma)

    def made():
        return Sliding(k, length, DivRank(sigma), optimizer, calm=calm)

    mode, kept, matching, sent = made(), set(), [], set()
    for candidate in random_candidates(chance, 60):
        here = candidate if chance.random() < 0.8 else None
        matching += [here] if here else []
        seq, amount = candidate.seq, length.amount
        by_matches = length.unit is Unit.MATCHED
        window = matching[-amount:] if by_matches else [one for one in matching if one.seq > seq - amount]
        for step in mode.publish(Moment(seq, candidate.event.time), here):
            chosen = expected_choice(kept, window, k, objective, optimizer, calm)
            kept = set(seqs(chosen))
            assert seqs(step.chosen) == seqs(chosen)
            assert seqs(step.sent) == [one for one in seqs(chosen) if one not in sent]
            sent.update(kept)
            assert step.deferral is None or step.deferral.gain > 0
        if chance.random() < 0.2:
            state, mode = mode.state(), made()
            mode.restore(state)


def test_zero_is_the_plain_form_and_keeps_no_set():
    chance = random.Random(1)
    plain, calm = Sliding(2, Length(5), DivRank(0.5)), Sliding(2, Length(5), DivRank(0.5), calm=0.0)
    for candidate in random_candidates(chance, 40):
        moment = Moment(candidate.seq, candidate.event.time)
        assert plain.publish(moment, candidate) == calm.publish(moment, candidate)
    assert calm.state().keys() == {"window", "sent"}


def test_a_set_gives_way_only_if_the_new_one_is_better_by_more_than_calm(candidate):
    def sent_of(calm):
        mode = Sliding(1, Length(9), DivRank(1), calm=calm)
        mode.publish(Moment(1, EPOCH), candidate(1, 0.5))
        (step,) = mode.publish(Moment(2, EPOCH), candidate(2, 0.6))
        return seqs(step.sent), step.deferral and (seqs(step.deferral.candidates), step.deferral.gain)

    assert sent_of(0.09) == ([2], None)
    assert sent_of(0.1) == ([], ([2], 0.1))


def test_what_left_is_replaced_by_the_best_of_the_rest(candidate):
    mode = Sliding(2, Length(3), DivRank(0.5), calm=1.0)
    stream = [candidate(1, 0.9, g="a"), candidate(2, 0.9, g="b"), candidate(3, 0.8, g="b"), candidate(4, 0.7, g="c")]
    chosen = [seqs(mode.publish(Moment(one.seq, EPOCH), one)[0].chosen) for one in stream]
    assert chosen == [[1], [1, 2], [1, 2], [2, 4]]


def test_a_smaller_k_starts_anew_and_a_larger_one_fills_up(candidate):
    stream = [candidate(seq, seq / 10, g=str(seq)) for seq in range(1, 7)]
    mode = Sliding(3, Length(9), DivRank(1), calm=1.0)
    for one in stream[:5]:
        mode.publish(Moment(one.seq, EPOCH), one)
    assert mode.state()["kept"] == [1, 2, 3]
    for k, chosen in ((2, [5, 6]), (4, [1, 2, 3, 6])):
        other = Sliding(k, Length(9), DivRank(1), calm=1.0)
        other.restore(mode.state())
        assert seqs(other.publish(Moment(6, EPOCH), stream[5])[0].chosen) == chosen


def test_a_state_from_before_calm_was_asked_for_is_read(candidate):
    plain = Sliding(1, Length(9), DivRank(1))
    plain.publish(Moment(1, EPOCH), candidate(1, 0.5))
    calm = Sliding(1, Length(9), DivRank(1), calm=0.5)
    calm.restore(plain.state())
    assert seqs(calm.publish(Moment(2, EPOCH), candidate(2, 0.6))[0].chosen) == [2]
