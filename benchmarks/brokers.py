"""Brokers over the network: kills and cuts without a loss, and the paper's Figures 5 and 7 on running brokers.

    python benchmarks/brokers.py kills --topology chain --disturbances 20
    python benchmarks/brokers.py kills --topology star --disturbances 20 --delay 0.05
    python benchmarks/brokers.py forwarding --subscribers 10000
    python benchmarks/brokers.py latency --subscribers 250

Five brokers run as processes on loopback, with a proxy on each link that can cut it or delay what passes. `kills`
compares all deliveries with those of one broker that knows everything, and fails if one is missing or too many.
`forwarding` prints the share of subscriptions that the publisher's broker knows; `latency` the time from publishing to
the written delivery. The machine should be idle.
"""

import argparse
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import fmean, median

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "support"), str(Path(__file__).parents[1])]

from broker_processes import RunningTree  # noqa: E402
from broker_world import CHAIN, STAR, World, run  # noqa: E402
from experiments.covering_common import intervals, subscriptions  # noqa: E402

from rankcast.language import parse  # noqa: E402
from rankcast.model import Advertisement, Event  # noqa: E402
from rankcast.store import BrokerLog  # noqa: E402

TOPOLOGIES = {"chain": CHAIN, "star": STAR}
PAPER = {"regular-cover": "1.47", "ancestor-cover 10": "under 6.03", "rank-cover 10": "84.71", "regular": "100"}
"""Figure 5(a), 10,000 subscriptions, in percent."""
PUBLICATIONS = 40


def kills(topology: str, disturbances: int, delay: float, seed: int) -> None:
    """Kill brokers and cut links at random moments; compare all deliveries."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), TOPOLOGIES[topology], seed, delay)
        begun, done = time.monotonic(), []
        try:
            run(world, 2, disturbances, lambda what: done.append(what) or print(f"  {what}", flush=True))
        finally:
            world.tree.close()
    killed = sum(one.startswith("start") for one in done)
    print(
        f"{topology}, {1000 * delay:.0f} ms: {killed} kills and {len(done) - killed} cuts, "
        f"{len(world.expected):,} deliveries as of one broker, {time.monotonic() - begun:.0f} s"
    )


def forwarding(subscribers: int) -> None:
    """Figure 5: what the publisher's broker, at one end of a chain, knows of subscriptions at all brokers."""
    space = parse("x between 0 and 1")
    ads = {
        f"{strategy} {k}": Advertisement(f"{strategy} {k}", "shop", space, k)
        for strategy in ("ancestor-cover", "rank-cover")
        for k in (1, 5, 10)
    }
    with tempfile.TemporaryDirectory() as folder:
        tree = RunningTree(Path(folder), CHAIN, [f"{name}={name.split()[0]}" for name in ads])
        try:
            _placed(tree, subscribers)
            tree.stores["b0"].change(put=ads.values())
            begun = time.monotonic()
            tree.settle(patience=600)
            print(
                f"{subscribers:,} subscriptions settled in {time.monotonic() - begun:.0f} s; known at the publisher, %:"
            )
            for name in ("", *ads):
                known = tree.known_from_neighbours("b0", f"b0/{name}" if name else "")
                title = name or "regular-cover"
                print(f"  {title:18} {100 * len(known) / subscribers:6.2f}   paper, 10,000: {PAPER.get(title, '')}")
        finally:
            tree.close()


def latency(subscribers: int, delay: float) -> None:
    """Figure 7: the time from publishing to the written delivery, RegularK and AncestorCoverK in turn."""
    space = parse("x between 0 and 1")
    cells = [(strategy, k) for k in (1, 3, 5) for strategy in ("regular", "ancestor-cover")]
    ads = {cell: Advertisement(f"{cell[0]} {cell[1]}", "shop", space, cell[1]) for cell in cells}
    random, times = Random(1), {cell: list[float]() for cell in cells}
    with tempfile.TemporaryDirectory() as folder:
        tree = RunningTree(Path(folder), CHAIN, [f"{one.id}={one.id.split()[0]}" for one in ads.values()], delay)
        try:
            _placed(tree, subscribers)
            tree.stores["b0"].change(put=ads.values())
            tree.settle(patience=300)
            for number in range(PUBLICATIONS):
                for cell in cells:
                    event = Event(
                        f"e{number} {cell}", datetime.now(UTC), {"x": (random.random(),)}, advertisement=ads[cell].id
                    )
                    tree.publish("b0", [event])
                    time.sleep(0.1)
            tree.settle()
            published = {one.event.id: one.event.time for one in tree.stores["b0"].events()}
            for store in tree.stores.values():
                for _, one in store.deliveries():
                    cell = next(cell for cell in cells if one.event.endswith(str(cell)))
                    assert one.received is not None
                    times[cell].append((one.received - published[one.event]).total_seconds() * 1000)
            known = {cell: len(tree.known_from_neighbours("b0", f"b0/{ads[cell].id}")) for cell in cells}
            sent = _sent(tree)
        finally:
            tree.close()
    print(
        f"{subscribers} subscribers, {PUBLICATIONS} publications each, {1000 * delay:.0f} ms per link; events over links: {sent}"
    )
    for cell, found in times.items():
        share = 100 * cell[1] / subscribers
        print(
            f"  k {cell[1]} ({share:.1f} %) {cell[0]:15} known {known[cell]:4}  deliveries {len(found):4}  "
            f"mean {fmean(found):7.1f} ms  median {median(found):7.1f} ms"
        )


def _placed(tree: RunningTree, count: int) -> None:
    """Put the paper's subscriptions at all brokers but the publisher's, in turn."""
    made, others = subscriptions(intervals(count)), tree.names[1:]
    for number, name in enumerate(others):
        tree.stores[name].change(put=made[number :: len(others)])


def _sent(tree: RunningTree) -> int:
    """Events that came over a link."""
    return sum(
        row.route is not None and row.route.origin != ""
        for store in tree.stores.values()
        for row in BrokerLog(store.database).routed(0, 10**6)
    )


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kills", "forwarding", "latency"])
    parser.add_argument("--topology", choices=TOPOLOGIES, default="chain")
    parser.add_argument("--disturbances", type=int, default=20)
    parser.add_argument("--subscribers", type=int, default=250)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that each link delays")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    match given.what:
        case "kills":
            kills(given.topology, given.disturbances, given.delay, given.seed)
        case "forwarding":
            forwarding(given.subscribers)
        case "latency":
            latency(given.subscribers, given.delay)


if __name__ == "__main__":
    main()
