"""Whatever is killed: nothing lost, nothing twice. `python benchmarks/kills.py --kills 30` does it for longer."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[3] / "benchmarks" / "kills.py"


@pytest.mark.slow
@pytest.mark.spark
def test_kills_do_not_show_in_the_deliveries(tmp_path):
    spec = importlib.util.spec_from_file_location("kills", FILE)
    kills = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kills)
    events, deliveries, batches = kills.disturb(tmp_path, kills=2, seed=153, rate=10.0)  # the second during its start
    assert events > 50
    assert deliveries > 50
    assert batches > 2
