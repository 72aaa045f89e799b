"""A cluster as documented: executors on other machines get all they need in one archive (docs/deploy.md)."""

import json
import sys

import pytest
from spark_cluster import MASTER, PYTHON, NamespaceCluster, why_not

from rankcast.errors import EnvironmentProblem
from rankcast.pipeline.spark.packing import needed, pack_libraries, settings_for

JOB = """
import json, socket, sys
from datetime import UTC, datetime, timedelta
import pyarrow as pa
from rankcast.engine.reference.shard import replay
from rankcast.language import parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, Subscription, in_publication_order
from rankcast.pipeline.spark import deliver, local_session

def address(batches):
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


def test_the_archive_has_rankcast_and_what_it_needs_without_pyspark(tmp_path):
    names = {one.name.lower() for one in needed()}
    assert {"numba", "llvmlite", "pyarrow", "pandas", "sqlalchemy", "msgspec", "psycopg", "psycopg-binary"} <= names
    assert not {"pyspark", "rankcast", "pytest", "fastapi"} & names
    with pytest.raises(EnvironmentProblem, match=r"must end in \.tar\.gz"):
        pack_libraries(tmp_path / "libraries.zip")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_a_job_runs_on_workers_in_other_network_namespaces(tmp_path):
    archive = tmp_path / "rankcast.tar.gz"
    pack_libraries(archive)
    settings = {**settings_for(archive), "spark.pyspark.python": PYTHON, "spark.master": MASTER}
    settings |= {"spark.executor.memory": "512m", "spark.sql.shuffle.partitions": "2"}
    with NamespaceCluster(tmp_path) as cluster:
        job = cluster.run(sys.executable, "-c", JOB, json.dumps(settings))
        out, said = job.communicate(timeout=600)
    assert job.returncode == 0, said
    found = json.loads(out.splitlines()[-1])
    assert found == {"hosts": ["10.77.0.2", "10.77.0.3"], "sent": found["sent"], "is_right": True}
    assert found["sent"] > 100
