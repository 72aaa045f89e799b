"""Random catalogs, streams and policies, full of ties, for comparing the engines."""

import random
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from rankcast.model import (
    Aggregate,
    And,
    Catalog,
    Compare,
    Concept,
    DistanceName,
    Event,
    Filter,
    FilterKind,
    Interval,
    Is,
    LeftShoulder,
    Length,
    Levels,
    Mode,
    ObjectiveName,
    Op,
    Policy,
    Predicate,
    Preference,
    ScorePart,
    Select,
    Subscription,
    Term,
    Ties,
    Unit,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
GENRES = ("comedy", "drama", "horror", "short", "romance")
MODES = (Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY)
SIGMAS = (1.0, 0.0, 0.5, 0.3, 1 / 3)


def length(chance: random.Random, unit: Unit) -> Length:
    if unit is Unit.TIME:
        return Length(timedelta(minutes=chance.randint(2, 60)), unit)
    return Length(chance.randint(1, 25), unit)


def policy(chance: random.Random, user: str, **fixed) -> Policy:
    unit = fixed.pop("unit", None) or chance.choice(list(Unit))
    settings = {
        "mode": chance.choice([*MODES, Mode.ALL]),
        "k": chance.choice([1, 2, 3, 4, 7, 40]),
        "length": length(chance, unit),
        "sigma": chance.choice(SIGMAS),
        "aggregate": chance.choice(list(Aggregate)),
        "levels": chance.choice(list(Levels)),
        "select": chance.choice([Select.GREEDY, Select.IMPROVED]),
        "ties": chance.choice(list(Ties)),
        "weights": chance.choice([{}, {}, {"genre": 2.0}, {"genre": 0.3, "year": 0.1}, {"genre": 0.0}]),
        "attributes": chance.choice([None, None, ("genre",), ("genre", "year"), ("colour",)]),
        "origin": START + timedelta(minutes=chance.randint(-50, 50)),
        "calm": chance.choice([0.0, 0.0, 0.02, 0.2]),
        "specific": chance.random() < 0.8,
        "distance": chance.choice([DistanceName.JACCARD, DistanceName.JACCARD, DistanceName.EQUALITY]),
    }
    return Policy(user, **{**settings, **fixed})


def odd_policy(chance: random.Random, user: str) -> Policy:
    """One that arrays cannot serve."""
    return policy(
        chance,
        user,
        **chance.choice(
            [
                {"filter": Filter(FilterKind.THRESHOLD, rate=0.5, period=6)},
                {"score": {ScorePart.PREFERENCE: 0.6, ScorePart.NOVELTY: 0.4}},
                {"select": Select.EXACT, "k": 3},
                {"objective": ObjectiveName.MAX_MIN, "k": 3},
            ]
        ),
    )


def subscriptions(chance: random.Random, user: str) -> list[Subscription]:
    wheres = [Predicate("genre", Compare(Op.EQ, genre)) for genre in chance.sample(GENRES, 3)]
    wheres.append(Predicate("year", Compare(Op.GE, chance.randint(1990, 1995))))
    wheres.append(And((wheres[0], wheres[3])))
    if chance.random() < 0.3:
        wheres.append(Predicate("price", Is(Term("cheap"))))
    scores = [None, 0.25, 0.5, 0.1, 0.7, round(chance.random(), 2)]
    return [
        Subscription(f"{user}-{number}", user, where, chance.choice(scores), chance.choice([1.0, 0.3]))
        for number, where in enumerate(wheres)
    ]


def catalog(chance: random.Random, users: int = 10, **fixed) -> Catalog:
    made = Catalog([Concept("cheap", "price", LeftShoulder(2, 6))])
    for number in range(users):
        user = f"user{number}"
        of_user = subscriptions(chance, user)
        for subscription in of_user:
            made.add(subscription)
        if chance.random() < 0.5:
            made.add(Preference(user, of_user[0].id, of_user[1].id))
        made.add(policy(chance, user, **fixed) if fixed or chance.random() < 0.8 else odd_policy(chance, user))
    return made


def events(chance: random.Random, count: int, late: float = 0.0) -> list[Event]:
    """Events in order, numbered with gaps; a share of them dated back."""
    made = []
    time, seq = START, chance.randint(0, 3)
    genres = chance.choice([1, 3])  # distances of single values are computed in another way
    for number in range(count):
        time += timedelta(minutes=chance.choice([0, 0, 1, 2, 9]))
        seq += 1 + (chance.random() < 0.1)
        attributes = {"year": (chance.randint(1990, 1996),)}
        if chance.random() < 0.9:
            attributes["genre"] = tuple(chance.sample(GENRES, chance.randint(1, genres)))
        if chance.random() < 0.4:
            attributes["price"] = chance.choice([(1,), (1.0,), (5,), Interval(1, 5), Term("cheap")])
        if chance.random() < 0.3:
            attributes["colour"] = chance.choice([(True,), (1,), ("red",)])
        back = timedelta(minutes=chance.randint(1, 40)) if chance.random() < late else timedelta(0)
        made.append(Event(f"e{number}", time - back, attributes, seq=seq))
    return made


@pytest.fixture(scope="session")
def worlds():
    """Makers of random policies, subscriptions, catalogs and events, each fed with a `random.Random`."""
    return SimpleNamespace(
        policy=policy, odd_policy=odd_policy, subscriptions=subscriptions, catalog=catalog, events=events, sigmas=SIGMAS
    )
