"""Every policy field that the papers ask for, on Spark, in batch and live: the reference engine sends the same."""

from rankcast.engine.reference.shard import replay
from rankcast.language import decode_record, dumps, encode_event
from rankcast.model import Catalog
from rankcast.pipeline.spark import deliver
from rankcast.pipeline.spark.live.host import Host
from rankcast.store import Store

THRESHOLD = {"novelty": "threshold", "rate": 0.3, "period": 12}
POLICIES = {
    "paced": {"filter": {**THRESHOLD, "update": "paced"}},
    "turns": {"filter": {**THRESHOLD, "update": "paced", "scoring": "interval"}},
    "turns of one": {"filter": {**THRESHOLD, "update": "paced", "scoring": "interval", "credit": "most_novel"}},
    "credit": {"filter": {**THRESHOLD, "credit": "most_novel"}},
    "period": {"filter": {**THRESHOLD, "rates": "period", "update": "eager"}},
    "decayed": {"filter": {**THRESHOLD, "rates": "decayed", "half_life": 5}},
    "sampled": {"filter": {"novelty": "sampling", "rate": 0.3, "period": 12, "rates": "decayed"}},
    "random": {"filter": {"novelty": "random", "rate": 0.3, "period": 12}},
    "chance": {"filter": {"novelty": "random", "rate": 0.3, "period": 12, "exact": False}},
    "betas": {
        "filter": {"novelty": "minimum", "scoring": "decay", "minimum": 0.5, "rate": 1},
        "decay": {"alpha": 0.05, "betas": {"betas-1": 0.9}, "preferred": True},
    },
    "calm": {"mode": "sliding", "k": 2, "length": 8, "sigma": 0.2, "calm": 0.1},
    "max_min": {"mode": "periodic", "k": 3, "length": 10, "sigma": 0.3, "objective": "max_min"},
    "equality": {"mode": "sliding", "k": 2, "length": 8, "sigma": 0.2, "distance": "equality"},
    "all_matching": {"mode": "history", "k": 2, "length": 9, "specific": False},
    "functions": {
        "mode": "history",
        "k": 2,
        "length": 9,
        "specific": False,
        "levels": "halving",
        "aggregate": "mean",
    },
}


def catalog():
    known = Catalog()
    for user, policy in POLICIES.items():
        for number, where in enumerate(("x > 2", "x > 4 and y = 1", "y = 2", "x < 3")):
            form = {"kind": "subscription", "id": f"{user}-{number}", "user": user, "where": where}
            known.add(decode_record({**form, "score": 0.4 + number / 10}))
        known.add(decode_record({"kind": "policy", "user": user, **policy}))
    return known


def test_spark_sends_what_the_reference_sends(spark, world):
    known, events = catalog(), [event.at(seq) for seq, event in enumerate(world.events(150), 1)]
    expected = replay(known, events)
    assert {one.user for one in expected} == {*POLICIES}
    frame = spark.createDataFrame([(dumps(encode_event(event)),) for event in events], "event string")
    found = deliver(frame, known, shards=2, json="event").collect()
    assert sorted((row.user, row.seq, row.rank, row.window, [*row.subscriptions]) for row in found) == sorted(
        (one.user, one.seq, one.rank, one.window, [*one.subscriptions]) for one in expected
    )


def test_the_live_pipeline_sends_the_same(world, tmp_path):
    """What Spark runs live, in three micro-batches and with every state saved between them, but without Spark."""
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(catalog().records()))
        store.publish(world.events(150))
        pipeline = world.Pipeline(store, tmp_path / "s.db")
        for end in (40, 90, 150):
            pipeline.host = Host()  # another process: it starts from the saved state
            pipeline.serve_log(end, close=end == 150)
        sent = world.delivered(store)
        assert sent == world.expected(store)
    assert {one.user for one in sent} == {*POLICIES}
