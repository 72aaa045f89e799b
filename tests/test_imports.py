"""`import rankcast` is light: it loads no heavy library, starts no process, and is quick."""

import json
import subprocess
import sys

import pytest

HEAVY = ["alembic", "lark", "matplotlib", "numba", "pandas", "pyarrow", "pyspark", "sqlalchemy"]

# CPU time, so that whatever else runs on the machine does not count.
PROBE = """
import json, sys, time
started = []
sys.addaudithook(lambda name, _: started.append(name) if name in {
    "subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"} else None)
begin = time.process_time()
import rankcast
seconds = time.process_time() - begin
print(json.dumps({"seconds": seconds, "modules": list(sys.modules), "started": started}))
"""


def fresh_import() -> dict:
    run = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def probes() -> list[dict]:
    return [fresh_import() for _ in range(3)]


def test_import_takes_less_than_0_3_seconds(probes: list[dict]) -> None:
    assert min(probe["seconds"] for probe in probes) < 0.3


def test_import_loads_nothing_heavy(probes: list[dict]) -> None:
    loaded = {name.partition(".")[0] for name in probes[0]["modules"]}
    assert loaded.isdisjoint(HEAVY), f"import rankcast also loads {sorted(loaded.intersection(HEAVY))}"


def test_import_starts_no_process(probes: list[dict]) -> None:
    assert probes[0]["started"] == []
