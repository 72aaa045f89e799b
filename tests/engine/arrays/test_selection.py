"""Windows large enough for compiled selection: reference and arrays choose what the plain definition chooses."""

import random
from dataclasses import replace

import pytest

from rankcast.choose import DivRank, modes
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.model import Length, Mode, ScorePart, Select, Unit


class Plain(DivRank):
    """The same objective in plain Python: nothing compiled knows it."""

    def pair_sums(self, chosen):
        """No sums, so that every pair is asked for."""


def plain_shard(monkeypatch, catalog):
    with monkeypatch.context() as plainly:
        plainly.setattr(modes, "DivRank", Plain)
        return Shard(catalog)


def policies(worlds, chance, catalog, fading):
    """The catalog with long windows: ties, weights, named attributes, all diverse modes."""
    for number, user in enumerate(catalog.users()):
        mode = (Mode.SLIDING, Mode.PERIODIC, Mode.HISTORY)[number % 3]
        select = chance.choice([Select.GREEDY, Select.IMPROVED])
        made = worlds.policy(chance, user, mode=mode, select=select, k=chance.choice([1, 2, 9, 34, 38]))
        made = replace(
            made,
            length=Length(chance.choice([40, 45]), Unit.MATCHED),
            sigma=chance.choice([0.0, 0.5, 1 / 3]),
            calm=chance.choice([0.0, 0.01, 0.1]),
        )
        score = {ScorePart.PREFERENCE: 0.6, ScorePart.RECENCY: 0.4} if fading else made.score
        catalog.put(replace(made, score=score))
    return catalog


@pytest.mark.parametrize("seed", range(6))
def test_every_engine_selects_as_the_definition_under_cuts_and_restores(monkeypatch, worlds, seed):
    chance = random.Random(seed)
    catalog = policies(worlds, chance, worlds.catalog(chance, 3), fading=seed % 3 == 2)
    events = worlds.events(chance, 90)
    expected = (plain := plain_shard(monkeypatch, catalog)).publish(events) + plain.close()
    found = (reference := Shard(catalog)).publish(events) + reference.close()
    assert found == expected
    shard, found, at = BatchShard(catalog), [], 0
    while at < len(events):
        cut = at + chance.choice([1, 3, 30])
        found += shard.publish(events[at:cut])
        at = cut
        if chance.random() < 0.2:
            state = shard.state()
            shard = chance.choice([BatchShard, Shard])(catalog)
            shard.restore(state)
    found += shard.close()
    assert sorted(found, key=lambda one: one.order) == sorted(expected, key=lambda one: one.order)
