"""`import rankcast` is light: it loads no heavy library, starts no process, and is quick."""

import pytest
from tests.support.starting import times_the_yardstick

HEAVY = ["alembic", "lark", "matplotlib", "numba", "pandas", "pyarrow", "pyspark", "sqlalchemy"]

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


@pytest.fixture(scope="module")
def start() -> tuple[float, dict]:
    return times_the_yardstick(PROBE)


def test_import_takes_little_time(start: tuple[float, dict]) -> None:
    assert start[0] < 0.2


def test_import_loads_nothing_heavy(start: tuple[float, dict]) -> None:
    loaded = {name.partition(".")[0] for name in start[1]["modules"]}
    assert loaded.isdisjoint(HEAVY), f"import rankcast also loads {sorted(loaded.intersection(HEAVY))}"


def test_import_starts_no_process(start: tuple[float, dict]) -> None:
    assert start[1]["started"] == []
