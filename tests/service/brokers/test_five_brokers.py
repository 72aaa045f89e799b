"""Five brokers as processes: recipients are those of one broker, while users come, go and move, and whatever is killed.

`benchmarks/brokers.py` does the same with more kills, and measures.
"""

import socket
from pathlib import Path
from time import monotonic

import pytest
from broker_network import Namespaces, NoNamespaces
from broker_world import CHAIN, CUT, KILL, STAR, World, run

DELAY = 0.05

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("links", "disturbances"), [(CHAIN, [KILL, CUT]), (STAR, [KILL])], ids=["chain", "star"])
def test_recipients_are_those_of_one_broker(
    links: list[tuple[str, str]], disturbances: list[str], tmp_path: Path
) -> None:
    compare(World(tmp_path, links, seed=7), disturbances)


@pytest.mark.parametrize(("links", "disturbances"), [(CHAIN, [CUT]), (STAR, [KILL])], ids=["chain", "star"])
def test_the_same_holds_in_network_namespaces_with_a_delay_of_50_ms(
    links: list[tuple[str, str]], disturbances: list[str], tmp_path: Path
) -> None:
    try:
        world = World(tmp_path, links, seed=8, delay=DELAY)
    except NoNamespaces as error:
        pytest.skip(f"no network namespaces with TUN devices here: {error}")
    compare(world, disturbances)


def compare(world: World, disturbances: list[str]) -> None:
    try:
        run(world, 1, disturbances)
    finally:
        world.tree.close()


def test_a_link_between_namespaces_delays_each_way_and_can_be_cut() -> None:
    try:
        network = Namespaces([("b0", "b1")], DELAY)
    except NoNamespaces as error:
        pytest.skip(f"no network namespaces with TUN devices here: {error}")
    try:
        listening = network.run("b0", lambda: socket.create_server(("0.0.0.0", network.port("b0"))))
        place = (network.upstream("b1").removeprefix("http://").split(":")[0], network.port("b0"))
        begun = monotonic()
        network.run("b1", lambda: socket.create_connection(place, timeout=5.0)).close()
        assert 2 * DELAY <= monotonic() - begun < 2.0
        network.cut("b1")
        with pytest.raises(TimeoutError):
            network.run("b1", lambda: socket.create_connection(place, timeout=0.5))
        network.mend("b1")
        network.run("b1", lambda: socket.create_connection(place, timeout=5.0)).close()
        listening.close()
    finally:
        network.close()
