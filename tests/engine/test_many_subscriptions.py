"""A change of a user with many subscriptions pays for comparing them; no event does."""

import random
from itertools import count

import pytest

from rankcast.cover.normal import NormalForm
from rankcast.cover.strict_covers import StrictCovers
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.language import decode_record, parse
from rankcast.model import EPOCH, Catalog, Delivery, Event, Subscription
from rankcast.rank import specificity

ENGINES = [Shard, BatchShard]
MANY = 600


def subscription(number: int, user: str = "mallory") -> Subscription:
    return Subscription(f"{user}{number}", user, parse(f"x >= {number} and y < {number + 3}"))


def with_many(catalog: Catalog, numbers: range, user: str = "mallory") -> Catalog:
    made = catalog.copy()
    for number in numbers:
        made.put(subscription(number, user))
    return made


def comparisons(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is compared from now on."""
    made: list[str] = []
    form, add = NormalForm.__init__, StrictCovers.add
    monkeypatch.setattr(NormalForm, "__init__", lambda self, *given: made.append("form") or form(self, *given))
    monkeypatch.setattr(StrictCovers, "add", lambda self, forms: made.append("cover") or add(self, forms))
    return made


def served(shard: Shard | BatchShard, seq: int) -> list[Delivery]:
    return shard.publish([Event(f"e{seq}", EPOCH, {"x": (10_000,), "y": (-1,)}, seq=seq)])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("present", [0, 1, 550])
def test_the_event_after_many_were_added_compares_nothing(engine, present, monkeypatch) -> None:
    """Neither if the user was new, nor if he had few, nor if he had many that were compared before."""
    catalog = with_many(Catalog([subscription(0, "ann")]), range(present))
    shard = engine(catalog)
    assert shard.prepare(lambda: False)
    served(shard, 1)
    made = comparisons(monkeypatch)
    shard.update(with_many(catalog, range(MANY)))
    assert {"form", "cover"} == set(made)
    made.clear()
    assert {one.user for one in served(shard, 2)} == {"ann", "mallory"}
    assert made == []


@pytest.mark.parametrize("engine", ENGINES)
def test_the_event_after_a_change_compares_nothing_and_the_change_only_what_is_new(engine, monkeypatch) -> None:
    catalog = with_many(Catalog([subscription(0, "ann")]), range(MANY))
    shard = engine(catalog)
    shard.prepare(lambda: False)
    made = comparisons(monkeypatch)
    for seq in range(1, 5):
        catalog = with_many(catalog, range(MANY + seq, MANY + seq + 1))
        if seq > 2:
            catalog.remove(catalog.subscriptions[f"mallory{seq}"])
            catalog.put(Subscription("mallory9", "mallory", parse(f"x > {seq}")))
        shard.update(catalog)
        assert made.count("form") == (1 if seq <= 2 else 2)
        made.clear()
        served(shard, seq)
        assert made == []


@pytest.mark.parametrize("engine", ENGINES)
def test_what_can_be_compared_again_is_compared_by_the_change_that_allows_it(engine, monkeypatch) -> None:
    """Nothing is compared beyond a number of constants, or while the policy counts all matching subscriptions."""
    monkeypatch.setattr(specificity, "MOST_COMPARED", 3 * MANY)
    all_count = {"kind": "policy", "user": "mallory", "mode": "all", "specific": False}
    catalog = with_many(Catalog([subscription(0, "ann")]), range(2 * MANY))
    shard = engine(catalog)
    shard.prepare(lambda: False)
    made = comparisons(monkeypatch)
    seq = count(1)

    def change(catalog: Catalog, compares: bool) -> None:
        made.clear()
        shard.update(catalog)
        assert ("cover" in made) == compares
        made.clear()
        served(shard, next(seq))
        assert made == []

    fewer = catalog.copy()
    for number in range(MANY):
        fewer.remove(fewer.subscriptions[f"mallory{number}"])
    change(fewer, compares=True)
    more = with_many(fewer, range(3 * MANY, 3 * MANY + 100))
    more.put(decode_record(all_count))
    change(more, compares=False)
    again = more.copy()
    again.put(decode_record({**all_count, "specific": True}))
    change(again, compares=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_load_compares_nothing(engine, monkeypatch) -> None:
    """Whoever serves live prepares; others compare what matches."""
    made = comparisons(monkeypatch)
    shard = engine(with_many(Catalog([subscription(0, "ann")]), range(MANY)))
    shard.publish([Event("e1", EPOCH, {"x": (4,), "y": (100,)}, seq=1)])
    assert made == []
    catalog = with_many(Catalog([subscription(0, "ann")]), range(MANY))
    shard.update(with_many(catalog, range(1, 2), "ann"))  # nor does what another user changes
    assert made == []
    shard.update(with_many(catalog, range(MANY + 1)))
    assert made.count("form") <= 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_change_of_many_users_compares_only_some(engine, monkeypatch) -> None:
    """An import, or a shared concept that means something else: the rest is compared while nothing is pending."""
    catalog = Catalog([subscription(0, "ann")])
    shard = engine(catalog)
    for user in range(30):
        catalog = with_many(catalog, range(MANY), f"u{user:02}")
    made = comparisons(monkeypatch)
    shard.update(catalog)
    assert made.count("form") == 10_000
    made.clear()
    assert shard.prepare(lambda: False)
    assert made.count("form") == 30 * MANY - 10_000
    made.clear()
    served(shard, 1)
    assert made == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_user_who_cannot_be_compared_stops_no_change(engine, monkeypatch) -> None:
    """The event that needs the comparison sets the user aside."""
    catalog = Catalog([subscription(0, "ann")])
    shard = engine(catalog)

    def fails(self: object, *given: object) -> None:
        raise MemoryError("too many")

    catalog = with_many(with_many(catalog, range(MANY), "ben"), range(MANY))
    with monkeypatch.context() as broken:
        broken.setattr(StrictCovers, "add", fails)
        shard.update(catalog)
        assert not shard.take_set_aside()
        assert {one.user for one in served(shard, 1)} == {"ann"}
        assert {row.user for row in shard.take_set_aside()} == {"ben", "mallory"}
    assert served(shard, 2) == served(engine(catalog), 2)


EXPRESSIONS = [
    "x >= {a} and y < {b}",
    "x > {a} or y < {b}",
    "not x > {a} and p in ('w{b}', 'w{a}')",
    "p contains '{a}'",
    "x is high and y < {b}",
    "x is high [0.{a}5, 0]",
]


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_give_what_is_compared_at_the_event(seed, monkeypatch) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(specificity, "MOST_RELATED", rng.choice([1, 20]))
    monkeypatch.setattr(specificity, "MOST_COMPARED", rng.choice([15, 30, 1_000]))

    def compare_from(many: int) -> None:
        for module in ("reference.shard", "reference.subscriber", "arrays.shard"):
            monkeypatch.setattr(f"rankcast.engine.{module}.MANY_TO_COMPARE", many)

    catalog = Catalog([decode_record({"kind": "concept", "attribute": "x", "name": "high", "right_shoulder": [2, 6]})])
    versions, events = list[Catalog](), list[Event]()
    for seq in range(1, 40):
        catalog = catalog.copy()
        for _ in range(rng.choice([0, 1, 1, 8])):
            name, user = f"s{rng.randrange(30)}", rng.choice(["ann", "mallory"])
            if name in catalog.subscriptions and rng.random() < 0.4:
                catalog.remove(catalog.subscriptions[name])
            elif name not in catalog.subscriptions or catalog.subscriptions[name].user == user:
                where = rng.choice(EXPRESSIONS).format(a=rng.randrange(6), b=rng.randrange(6))
                catalog.put(Subscription(name, user, parse(where), score=rng.randrange(1, 9) / 10))
        if rng.random() < 0.2:
            shoulder = [rng.randrange(3), rng.randrange(4, 8)]
            catalog.put(
                decode_record({"kind": "concept", "attribute": "x", "name": "high", "right_shoulder": shoulder})
            )
        if rng.random() < 0.2:
            policy = {"kind": "policy", "user": "mallory", "mode": "all", "specific": rng.random() < 0.7}
            catalog.put(decode_record(policy))
        versions.append(catalog)
        values = {"x": (rng.randrange(9),), "y": (rng.randrange(6),), "p": (f"w{rng.randrange(6)}",)}
        events.append(Event(f"e{seq}", EPOCH, values, seq=seq))

    def deliveries(engine, many: int) -> list[Delivery]:
        compare_from(many)
        shard, found = engine(Catalog()), list[Delivery]()
        for version, event in zip(versions, events, strict=True):
            found += shard.update(version) + shard.publish([event])
            if many == 4 and rng.random() < 0.2:
                shard.prepare(lambda: rng.random() < 0.5)
        return found

    expected = [one for version, event in zip(versions, events, strict=True) for one in Shard(version).publish([event])]
    assert any(len(one.subscriptions) > 1 for one in expected)
    for engine in ENGINES:
        for many in (0, 4):
            assert deliveries(engine, many) == expected
