"""Brokers over the network: kills and cuts without a loss, and the paper's Figures 5 and 7 on running brokers.

    python benchmarks/brokers.py kills --topology chain --disturbances 20
    python benchmarks/brokers.py kills --topology star --disturbances 20 --delay 0.05
    python benchmarks/brokers.py forwarding --subscribers 10000
    python benchmarks/brokers.py latency --subscribers 250

Five brokers run as processes on loopback, with a proxy on each link that can cut it. With a delay they run in network
namespaces, which only root can make. `kills` compares all deliveries with those of one broker that knows everything,
and fails if one is missing or too many. `forwarding` prints the share of subscriptions that the publisher's broker
knows, and how many went over links; `latency` the time from publishing to the written delivery, and the part of it that
choosing takes. The machine should be idle.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import fmean, median

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "support"), str(Path(__file__).parents[1])]

from broker_processes import RunningTree  # noqa: E402
from broker_world import CHAIN, CUT, KILL, STAR, World, run  # noqa: E402
from experiments.covering_common import intervals, subscriptions  # noqa: E402

from rankcast.language import parse  # noqa: E402
from rankcast.model import Advertisement, Event  # noqa: E402
from rankcast.overlay import Knowledge, item_of_json  # noqa: E402
from rankcast.store import BrokerLog  # noqa: E402

TOPOLOGIES = {"chain": CHAIN, "star": STAR}
PAPER = {"regular-cover": "1.47", "ancestor-cover 10": "under 6.03", "rank-cover 10": "84.71", "regular 1": "100"}
"""Figure 5(a), 10,000 subscriptions, in percent."""
PUBLICATIONS = 40


def kills(topology: str, disturbances: int, delay: float, seed: int) -> None:
    """Kill brokers and cut links at random moments; compare all deliveries."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), TOPOLOGIES[topology], seed, delay)
        begun, done = time.monotonic(), []
        kinds = [Random(f"{seed} {at}").choice([KILL, CUT]) for at in range(disturbances)]
        try:
            run(world, 2, kinds, lambda what: done.append(what) or print(f"  {what}", flush=True))
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
        for strategy in ("regular", "ancestor-cover", "rank-cover")
        for k in (1, 5, 10)
        if (strategy, k) not in (("regular", 5), ("regular", 10))  # forwards everything, whatever k is
    }
    with tempfile.TemporaryDirectory() as folder:
        tree = RunningTree(Path(folder), CHAIN, [f"{name}={name.split()[0]}" for name in ads])
        try:
            _placed(tree, subscribers)
            tree.stores["b0"].change(put=ads.values())
            begun = time.monotonic()
            tree.settle(patience=600)
            print(f"{subscribers:,} subscriptions settled in {time.monotonic() - begun:.0f} s")
            print(f"  {'':18} {'known, %':>9} {'paper, 10,000':>14} {'over links':>11}")
            for name in ("", *ads):
                known = tree.known_from_neighbours("b0", f"b0/{name}" if name else "")
                title = name or "regular-cover"
                share, paper = 100 * len(known) / subscribers, PAPER.get(title, "")
                print(f"  {title:18} {share:9.2f} {paper:>14} {_told(tree, name):11,}")
        finally:
            tree.close()


def latency(subscribers: int, delay: float) -> None:
    """Figure 7: the time from publishing to the written delivery, RegularK and AncestorCoverK in turn."""
    space = parse("x between 0 and 1")
    cells = [(strategy, k) for k in (1, 2, 3, 5) for strategy in ("regular", "ancestor-cover")]
    ads = {cell: Advertisement(f"{cell[0]} {cell[1]}", "shop", space, cell[1]) for cell in cells}
    random, times = Random(1), {cell: list[float]() for cell in cells}
    by_hops: dict[int, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        tree = RunningTree(Path(folder), CHAIN, [f"{one.id}={one.id.split()[0]}" for one in ads.values()], delay)
        try:
            _placed(tree, subscribers)
            tree.stores["b0"].change(put=ads.values())
            tree.settle(patience=300)
            events: list[Event] = []
            for number in range(PUBLICATIONS):
                value = random.random()  # the same for all, so that they have the same recipients
                for cell in cells:
                    now = datetime.now(UTC)
                    events.append(Event(f"e{number} {cell}", now, {"x": (value,)}, advertisement=ads[cell].id))
                    tree.publish("b0", events[-1:])
                    time.sleep(0.1)
            tree.settle()
            published = {one.id: one.time for one in events}
            for hops, store in enumerate(tree.stores.values()):
                logged = {one.event.id: one.logged for one in store.events()}
                for _, one in store.deliveries():
                    cell = next(cell for cell in cells if one.event.endswith(str(cell)))
                    assert one.received is not None
                    took = (one.received - published[one.event]).total_seconds() * 1000
                    times[cell].append(took)
                    travelled = (logged[one.event] - published[one.event]).total_seconds() * 1000
                    by_hops.setdefault(hops, []).append((travelled, took - travelled))
            known = {cell: len(tree.known_from_neighbours("b0", f"b0/{ads[cell].id}")) for cell in cells}
            sent = {cell: _sent(tree, f"b0/{ads[cell].id}") for cell in cells}
            choosing = _choosing(tree, events)
        finally:
            tree.close()
    print(f"{subscribers} subscribers, {PUBLICATIONS} publications each, {1000 * delay:.0f} ms per link")
    for cell, found in times.items():
        share, name = 100 * cell[1] / subscribers, ads[cell].id
        print(
            f"  k {cell[1]} ({share:.1f} %) {cell[0]:15} known {known[cell]:5}  deliveries {len(found):4}  events over "
            f"links {sent[cell]:4}  mean {fmean(found):6.1f} ms  median {median(found):6.1f}  choosing {choosing[name]:.2f}"
        )
    for hops, found in sorted(by_hops.items()):
        travelled, served = (median(one) for one in zip(*found, strict=True))
        print(f"  {hops} links: logged there after {travelled:6.1f} ms, delivered {served:5.1f} ms later (medians)")


def _choosing(tree: RunningTree, events: Sequence[Event]) -> dict[str, float]:
    """The mean time in ms that the publisher's broker takes to match a publication and to choose its recipients."""
    store = tree.stores["b0"]
    log, knowledge = BrokerLog(store.database), Knowledge("b0", lambda name: name.split()[0])
    knowledge.own(store.catalog())
    for row in log.neighbours():
        knowledge.learn(row.name, map(item_of_json, log.items(row.name).values()))
    times: dict[str, list[float]] = {}
    for event in events:
        begun = time.perf_counter()
        knowledge.choose(f"b0/{event.advertisement}", event)
        times.setdefault(str(event.advertisement), []).append(1000 * (time.perf_counter() - begun))
    return {name: fmean(found[1:]) for name, found in times.items()}  # the first one builds the index


def _placed(tree: RunningTree, count: int) -> None:
    """Put the paper's subscriptions at all brokers but the publisher's, in turn."""
    made, others = subscriptions(intervals(count)), tree.names[1:]
    for number, name in enumerate(others):
        tree.stores[name].change(put=made[number :: len(others)])


def _told(tree: RunningTree, advertisement: str) -> int:
    """How many subscriptions went over links for an advertisement of the first broker; empty: for other events."""
    need = f"b0/{advertisement}" if advertisement else ""
    logs = [BrokerLog(store.database) for store in tree.stores.values()]
    return sum(
        need in form.get("for", {}) for log in logs for row in log.neighbours() for form in log.items(row.name).values()
    )


def _sent(tree: RunningTree, advertisement: str) -> int:
    """Events under an advertisement that came over a link."""
    return sum(
        row.route is not None and row.route.origin != "" and row.route.advertisement == advertisement
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
    parser.add_argument("--delay", type=float, default=0.0, help="seconds by which each link delays a packet")
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
