"""Functions F and G of a program on Spark: batch jobs take them along, live ones import them (semantics: Preference)."""

import math
import sys

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.language import dumps, encode_event, parse
from rankcast.model import (
    AGGREGATES,
    LEVELS,
    Advertisement,
    Always,
    Catalog,
    Length,
    Mode,
    Policy,
    Preference,
    Subscription,
    functions,
)
from rankcast.overlay import functions as of_advertisements
from rankcast.overlay import register_scorer
from rankcast.pipeline.spark import deliver
from rankcast.pipeline.spark.table_functions import register_functions
from rankcast.store import Store

MODULE = """
import math
from rankcast.model import AGGREGATES, LEVELS
from rankcast.overlay import register_scorer
register_scorer("last_letter", lambda event, subscription, degree: float(ord(subscription.id[-1])))
AGGREGATES.register("product", lambda scores, weights: math.prod(sorted(scores)))
LEVELS.register("cubes", lambda level, count: ((count - level + 1) / count) ** 3)
"""


@pytest.fixture
def _registered(monkeypatch):
    """Registered here, and not in a module that a worker could import."""
    for registry in (AGGREGATES, LEVELS):
        monkeypatch.setattr(registry, "_functions", {})
    AGGREGATES.register("product", lambda scores, weights: math.prod(sorted(scores)))
    LEVELS.register("cubes", lambda level, count: ((count - level + 1) / count) ** 3)
    monkeypatch.setattr(of_advertisements, "_KNOWN", {})
    register_scorer("last_letter", lambda event, subscription, degree: float(ord(subscription.id[-1])))


def records():
    """Each user has three subscriptions on two levels, and some events match two that do not cover each other.

    Every fifth event is under an advertisement that chooses its recipients by a function.
    """
    yield Advertisement("a1", "shop", Always(), 1, function="last_letter")
    for user in ("ann", "bob"):
        for name, where in (("a", "x > 2"), ("b", "y = 1"), ("c", "z = 'a'")):
            yield Subscription(f"{user}-{name}", user, parse(where))
        yield Preference(user, f"{user}-a", f"{user}-b")
    yield Policy("ann", aggregate="product", levels="cubes")
    yield Policy("bob", mode=Mode.SLIDING, k=2, length=Length(6), levels="cubes")


@pytest.mark.usefixtures("_registered")
def test_batch_jobs_take_the_functions_of_the_driver_along(spark, world):
    published = world.events(60, advertised=True)
    known, events = Catalog(records()), [event.at(seq) for seq, event in enumerate(published, 1)]
    expected = sorted((one.user, one.seq, one.rank, one.window) for one in replay(known, events))
    assert {1 / 8, 1.0} <= {rank for _, _, rank, _ in expected}  # cubes: the second of two levels scores an eighth
    frame = spark.createDataFrame([(dumps(encode_event(event)),) for event in events], "event string")
    found = deliver(frame, known, shards=2, json="event").collect()
    assert sorted((row.user, row.seq, row.rank, row.window) for row in found) == expected
    columns = "id string, time timestamp, x int, y int, z string, advertisement string"
    rows = [(one.id, one.time, *(one.attributes[name][0] for name in "xyz"), one.advertisement) for one in events]
    spark.createDataFrame(rows, columns).createOrReplaceTempView("own_functions")
    register_functions(spark, known)
    told = spark.sql("SELECT * FROM rankcast_deliver(TABLE(own_functions) WITH SINGLE PARTITION)").collect()
    assert sorted((row.user, row.seq, row.rank, row.window) for row in told) == expected


def test_a_process_of_the_live_pipeline_imports_the_module_that_the_environment_names(world, tmp_path, monkeypatch):
    """What Spark runs in such a process, but without Spark."""
    for registry in (AGGREGATES, LEVELS):
        monkeypatch.setattr(registry, "_functions", {})
    monkeypatch.setattr(functions, "_imported", False)
    monkeypatch.setattr(of_advertisements, "_KNOWN", {})
    (tmp_path / "functions_of_ours.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("RANKCAST_FUNCTIONS", "functions_of_ours")
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(records()))
        store.publish(world.events(40, advertised=True))
        pipeline = world.Pipeline(store, tmp_path / "s.db")
        monkeypatch.setattr(functions, "_imported", False)
        for registry in (AGGREGATES, LEVELS):
            monkeypatch.setattr(registry, "_functions", {})
        monkeypatch.setattr(of_advertisements, "_KNOWN", {})
        monkeypatch.delitem(sys.modules, "functions_of_ours")
        pipeline.serve_log(40, close=True)
        assert world.delivered(store) == world.expected(store)
        assert {one.rank for one in world.delivered(store)} >= {1 / 8, 1.0}
        assert list(AGGREGATES) == ["product"]
        under = [one for one in world.delivered(store) if (one.seq - 1) % 5 == 0]
        assert under
        assert len({one.event for one in under}) == len(under)  # to one each
