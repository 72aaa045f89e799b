"""Five brokers as processes: recipients are those of one broker, while users come, go and move, and whatever is killed.

`benchmarks/brokers.py` does the same with more kills, and measures.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from broker_world import CHAIN, STAR, World, run

DELAY = 0.05

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("links", "delay", "disturbances"), [(CHAIN, 0.0, 3), (STAR, DELAY, 0)], ids=["chain, killed", "star, delayed"]
)
def test_recipients_are_those_of_one_broker(
    links: list[tuple[str, str]], delay: float, disturbances: int, tmp_path: Path
) -> None:
    world = World(tmp_path, links, seed=7, delay=delay)
    try:
        run(world, 1, disturbances)
    finally:
        world.tree.close()


def test_the_same_holds_in_a_network_namespace_with_a_delay_of_50_ms() -> None:
    delayed = "ip link set lo up && tc qdisc add dev lo root netem delay 50ms"
    try:
        tried = subprocess.run(["unshare", "--net", "sh", "-c", delayed], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(f"there is no such command: {error.filename}")
    if tried.returncode:
        pytest.skip(f"no delayed network namespace here: {tried.stderr.strip()}")
    script = Path(__file__).parents[3] / "benchmarks" / "brokers.py"
    measured = f"{delayed} && {sys.executable} {script} kills --topology star --disturbances 2"
    done = subprocess.run(["unshare", "--net", "sh", "-c", measured], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
