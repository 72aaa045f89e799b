"""Our index beside the yardstick in C++, in one process, by turns, on one core.

    .venv/bin/python benchmarks/yardstick.py                      a and b, 10 k to 1 M, and 3 M of b
    .venv/bin/python benchmarks/yardstick.py --cases a1000000
    .venv/bin/python benchmarks/yardstick.py --peers --events 300 --cases a10000,b10000

Both get the same events. `batch` is the search for all of them in one call, already encoded (`Index.found`). `single`
is `match_batch` of one event object at a time, with encoding. The yardstick always takes encoded events, one at a time;
it is built with one and with two access predicates, and the faster one counts. The figures are microseconds of
processor time per event, the lowest of all rounds. All matches are compared.

With `--peers`, a-tree and event-ruler take turns too, in processes of their own. They get events in their own form, one
at a time, and only their search is timed. Their matches for the first 20 events are compared.
"""

import argparse
import csv
import os
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from ours import batch_of, compiled
from peers.yardstick import Yardstick
from rich.console import Console
from rich.table import Table
from theirs import RunningPeer, peers, write_files
from workloads import Workload, event, make

from rankcast.engine.index import Senses
from rankcast.engine.index.arrow import codes_of_batch
from rankcast.engine.index.index import Index
from rankcast.engine.index.segments import IndexSegment
from rankcast.model import Event

OUT = Path(__file__).parent.parent / "out"
CASES = "a10000,a100000,a1000000,b10000,b100000,b1000000,b3000000"
MOST_PAIRS = 16
SINGLE = 300
"""The number of events that are matched one at a time."""
TITLES = ["case", "matches", "bytes_ours", "bytes_yardstick", "checked_yardstick", "batch", "single", "yardstick",
          "batch_ratio", "single_ratio"]  # fmt: skip
PEERS = ("a-tree", "event-ruler")
BUDGET = 20.0
"""The most seconds of one round of a peer. It gets through fewer events then."""


def main() -> None:
    """Measure the cases; print and save the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", default=CASES, help="workload and number of subscriptions, separated by commas")
    options.add_argument("--events", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--peers", action="store_true", help="a-tree and event-ruler too")
    chosen = options.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    console, rows = Console(width=140), []
    commands = peers(PEERS) if chosen.peers else {}
    titles = [*TITLES, *commands]
    for case in chosen.cases.split(","):
        rows.append([case, *measured(make(case[0], int(case[1:]), chosen.events), chosen.rounds, commands)])
        console.print(dict(zip(titles, rows[-1], strict=True)))
    table = Table(*titles)
    for row in rows:
        table.add_row(*(value if isinstance(value, str) else f"{value:,.3g}" for value in row))
    console.print(table)
    (OUT / "benchmarks").mkdir(parents=True, exist_ok=True)
    with (OUT / "benchmarks/yardstick.csv").open("w", newline="") as file:
        csv.writer(file).writerows([titles, *rows])


def measured(workload: Workload, rounds: int, commands: dict[str, list[str] | str]) -> list[float]:
    """The figures of one case, in the order of `TITLES`, then those of the peers."""
    index = compiled(workload)
    yardsticks = [Yardstick(workload, OUT / "peers", most_pairs) for most_pairs in (0, MOST_PAIRS)]
    segment, senses = IndexSegment(index.compiled), Senses()
    codes, rows = codes_of_batch(index.encoder, batch_of(workload)), yardsticks[0].encoded(workload)
    ours = _pairs(*index.candidates(codes)[:2])
    room = len(ours) + 1
    out = np.empty(room, np.int32), np.empty(room, np.uint32)
    checked = []
    for yardstick in yardsticks:
        found, postings = yardstick.match(rows, out)
        assert np.array_equal(ours, np.sort(_pairs(out[0][:found], out[1][:found]))), "the answers differ"
        checked.append(postings / len(rows))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    events = [
        Event(f"e{place}", now, {name: (value,) for name, value in event(workload, place).items()})
        for place in range(min(SINGLE, len(rows)))
    ]
    one_by_one = [segment.match_batch([one], senses).subscription for one in events]
    assert np.array_equal(np.concatenate(one_by_one), ours[ours >> 32 < len(events)] & 0xFFFFFFFF), "single differs"
    runs: list[tuple[int, Callable[[], object]]] = [
        (len(rows), lambda: index.found(codes)),
        (len(events), lambda: deque((segment.match_batch([one], senses) for one in events), maxlen=0)),
        *((len(rows), lambda each=each: each.match(rows, out)) for each in yardsticks),
    ]
    others = [_started(name, command, workload, ours) for name, command in commands.items()]
    least = [float("inf")] * len(runs)
    least_of_others = [float("inf")] * len(others)
    for _ in range(rounds):
        for which, peer in enumerate(others):
            least_of_others[which] = min(least_of_others[which], 1e6 * peer.seconds())
        for which, (count, run) in enumerate(runs):
            began = time.process_time()
            run()
            least[which] = min(least[which], 1e6 * (time.process_time() - began) / count)
    batch, single, *plain = least
    best = plain.index(min(plain))
    each = _bytes(index) / len(workload), yardsticks[best].bytes / len(workload)
    for each_peer in (*yardsticks, *others):
        each_peer.close()
    return [
        len(ours) / len(rows),
        *each,
        checked[best],
        batch,
        single,
        min(plain),
        batch / min(plain),
        single / min(plain),
        *least_of_others,
    ]


def _started(name: str, command: list[str] | str, workload: Workload, ours: NDArray[np.int64]) -> RunningPeer:
    """A peer with the subscriptions of a workload, whose first answers are the same as ours."""
    assert isinstance(command, list), f"{name}: {command}"
    folder = OUT / "benchmarks" / name
    write_files(workload, folder)
    peer = RunningPeer(command, folder, BUDGET)
    print(f"{name}: built in {peer.report['build']:.1f} s, {peer.report['events']} events")
    for place, answer in enumerate(peer.answers):
        assert np.array_equal(answer, ours[ours >> 32 == place] & 0xFFFFFFFF), f"{name}: event {place} differs"
    return peer


def _bytes(index: Index) -> float:
    """The size of the index without ids, which the yardstick does not have either."""
    return index.compiled.nbytes - index.compiled.ids.nbytes - index.compiled.by_id.nbytes


def _pairs(event_of: NDArray[np.integer], subscription: NDArray[np.integer]) -> NDArray[np.int64]:
    return event_of.astype(np.int64) << 32 | subscription.astype(np.int64)


if __name__ == "__main__":
    main()
