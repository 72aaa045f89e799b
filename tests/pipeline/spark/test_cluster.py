"""A cluster as documented (docs/deploy.md), and Spark Connect: the deliveries are the same, whatever is disturbed.

The executors run in network namespaces and get all they need in one archive. The network is cut for 5 s;
``RANKCAST_CUT=30`` makes them 30. `python benchmarks/kills.py --cluster` does it for longer.
"""

import importlib.util
import json
import os
import sys
import sysconfig
from pathlib import Path

import pytest
from pipeline_process import PipelineProcess
from spark_cluster import MASTER, PYTHON, NamespaceCluster, why_not

import rankcast
from rankcast.pipeline.spark.packing import pack_libraries, settings_for
from rankcast.store import Store

TOO_BUSY = "Python worker failed to connect back"
"""Spark gives its workers ten seconds to start, which a busy machine may exceed."""

KILLS = Path(__file__).parents[3] / "benchmarks" / "kills.py"

JOB = """
import json, socket, sys
from datetime import UTC, datetime, timedelta
import pyarrow as pa
from rankcast.engine.reference.shard import replay
from rankcast.language import parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, Subscription, in_publication_order
from rankcast.pipeline.spark import deliver, local_session

def address(batches):
    import confluent_kafka, psycopg, rankcast.pipeline.local, rankcast.pipeline.spark.live.host  # what else pipelines need
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.77.0.1", 7077))
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"host": [probe.getsockname()[0]]})

spark = local_session(settings=json.loads(sys.argv[1]))
catalog = Catalog([Subscription(f"s{number}", f"u{number}", parse(f"x >= {number}"), 0.5) for number in range(6)])
for number in range(3):
    catalog.add(Policy(f"u{number}", mode=Mode.SLIDING, k=1, length=Length(4)))
rows = [(f"e{number:03}", datetime(2026, 1, 1) + timedelta(minutes=number), number % 7) for number in range(60)]
frame = spark.createDataFrame(rows, "id string, time timestamp, x int").repartition(4)
sent = deliver(frame, catalog, shards=4).select("user", "event", "seq", "window").collect()
hosts = {row.host for row in spark.range(0, 400, 1, 40).mapInArrow(address, "host string").collect()}
events = in_publication_order([Event(name, time.replace(tzinfo=UTC), {"x": (x,)}) for name, time, x in rows])
wanted = sorted((one.user, one.event, one.seq, one.window) for one in replay(catalog, events))
print(json.dumps({"hosts": sorted(hosts), "sent": len(sent), "is_right": sorted(map(tuple, sent)) == wanted}))
spark.stop()
"""


pytestmark = [pytest.mark.spark, pytest.mark.slow]
on_a_cluster = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster with its first worker."""
    with NamespaceCluster(tmp_path_factory.mktemp("cluster"), (1,)) as cluster:
        yield cluster


@on_a_cluster
def test_disturbances_do_not_show_in_the_deliveries(tmp_path, cluster, postgresql):
    """While it runs, it grows from one worker to two, loses an executor, the network and the second worker.

    Executors take the libraries from here: each would take seconds to unpack the archive, and the next test does that.
    """
    libraries = os.pathsep.join((str(Path(rankcast.__file__).parents[1]), sysconfig.get_path("purelib")))
    settings = {"spark.executorEnv.PYTHONPATH": libraries, "spark.pyspark.python": PYTHON}
    spec = importlib.util.spec_from_file_location("kills", KILLS)
    kills = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kills)
    actions = ("join", "executor", "cut", "leave")  # test_kills.py kills the driver
    seconds = float(os.environ.get("RANKCAST_CUT", "5"))
    events, deliveries, batches = kills.disturb_cluster(
        tmp_path, cluster, postgresql, settings, actions, seconds, seed=1, rate=10.0
    )
    assert events > 50
    assert deliveries > 50
    assert batches > 5


@on_a_cluster
def test_a_job_runs_on_workers_in_other_network_namespaces(tmp_path, cluster):
    archive = tmp_path / "rankcast.tar"
    pack_libraries(archive)
    cluster.start_worker(2)
    cluster.wait_for_worker(2)
    given = {**settings_for(archive), "spark.pyspark.python": PYTHON, "spark.executor.memory": "512m"}
    given |= {"spark.master": MASTER, "spark.sql.shuffle.partitions": "2"}
    job = cluster.run(sys.executable, "-c", JOB, json.dumps(given))
    out, said = job.communicate(timeout=600)
    assert job.returncode == 0, said
    found = json.loads(out.splitlines()[-1])
    assert found == {"hosts": ["10.77.0.2", "10.77.0.3"], "sent": found["sent"], "is_right": True}
    assert found["sent"] > 100


def test_under_spark_connect(tmp_path, world):
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(30))
        for put, remove in list(world.changes(store))[:2]:
            store.change(put=put, remove=remove)
        store.publish(world.events(30, first=30))
        for _ in range(3):
            place = str(tmp_path / "store.db")
            with PipelineProcess.driver(tmp_path, "connect local[2]", place, follow=False) as pipeline:
                said = pipeline.finish(TOO_BUSY)
            if said != TOO_BUSY:
                break
        assert "served pyspark.sql.connect.session" in said
        assert world.delivered(store) == world.expected(store)
