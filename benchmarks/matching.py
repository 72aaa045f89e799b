"""Matching speed and size of our index and its peers, on the same files, in one run.

    .venv/bin/python benchmarks/matching.py                   workloads a and b, 10 k to 1 M, all peers
    .venv/bin/python benchmarks/matching.py --part growth     only ours, 10 k to 10 M: size, building, mapping, ranking
    .venv/bin/python benchmarks/matching.py --part changes    1,000 changes to 10 M, until the next event sees them
    .venv/bin/python benchmarks/matching.py --part shard      a shard over 100 k and 500 k: creation, changes, events
    .venv/bin/python benchmarks/matching.py --part few        from how many subscriptions on the index pays

Speed is events per second of CPU time on one core, so that a busy machine does not distort it. Every peer's answers
to the first events are compared with ours. Tables go to out/benchmarks/matching-<part>.csv, pictures next to them.
"""

import argparse
import csv
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from ours import CHECKED, compiled, expression, matching_and_ranking, measure
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from theirs import OUT, ask, peers, write_files
from workloads import TITLES, event, make

from rankcast.engine.arrays import BatchShard
from rankcast.engine.index import IndexMatcher, LiveIndex, read_index, write_index
from rankcast.engine.index.index import Index
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Compare, Event, Length, Mode, Op, Policy, Predicate, Subscription, Unit

TARGET = OUT / "benchmarks"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CHANGES = 1_000


def main() -> None:
    """Run a part; print and save the results."""
    parts = {"speed": speed, "growth": growth, "changes": changes, "shard": shard, "few": few}
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--part", choices=parts, default="speed")
    options.add_argument("--workloads", default="ab", help="which of a b c d e (speed)")
    options.add_argument("--sizes", help="numbers of subscriptions, separated by commas")
    options.add_argument("--events", type=int, default=1000)
    options.add_argument("--budget", type=float, default=5.0, help="seconds of processor time per measurement")
    options.add_argument("--limit", type=float, default=240.0, help="seconds after which a peer is given up")
    options.add_argument("--peers", default="all", help="all, none, or names separated by commas")
    chosen = options.parse_args()
    TARGET.mkdir(parents=True, exist_ok=True)
    parts[chosen.part](chosen, Console(width=110))


def speed(chosen: argparse.Namespace, console: Console) -> None:
    """The speed of our index and of the peers."""
    known = {} if chosen.peers == "none" else peers()
    if chosen.peers not in ("all", "none"):
        known = {name: known[name] for name in chosen.peers.split(",")}
    rows: list[list] = []
    for name in chosen.workloads:
        for size in _sizes(chosen, "10000,100000,1000000"):
            workload = make(name, size, chosen.events)
            began = time.process_time()
            with _bar(f"compiling {size:,}") as progress:
                index = compiled(workload, progress)
            built = time.process_time() - began
            ours = measure(index, workload, chosen.budget)
            rows.append([name, size, "rankcast", f"{built:.1f}", f"{ours.speed:.4g}", "", f"{ours.matches:.1f}", ""])
            console.print(
                f"[bold]({name}) {TITLES[name]}, {size:,} subscriptions[/]: {ours.matches:.1f} matches per event, "
                f"{index.compiled.nbytes / size:.0f} bytes each"
            )
            table = Table("engine", "built, s", "events/s", "ours is", "note")
            table.add_row("rankcast", f"{built:.1f}", f"{ours.speed:,.0f}", "", "")
            del index
            folder = TARGET / f"{name}-{size}"
            if known:
                write_files(workload, folder)
            for peer, command in known.items():
                said = (
                    {"cannot": command}
                    if isinstance(command, str)
                    else ask(command, folder, chosen.budget, chosen.limit)
                )
                if "cannot" in said:
                    table.add_row(peer, "", "", "", said["cannot"])
                    rows.append([name, size, peer, "", "", "", "", said["cannot"]])
                    continue
                theirs = said["events"] / max(said["seconds"], 1e-9)
                checked = min(CHECKED, len(said["answers"]))
                equal = said["answers"][:checked] == ours.answers[:checked]
                note = f"same answers to {checked} events" if equal else "OTHER ANSWERS"
                ratio = ours.speed / theirs
                table.add_row(peer, f"{said['build']:.1f}", f"{theirs:,.4g}", f"{ratio:,.1f} x", note)
                rows.append([name, size, peer, f"{said['build']:.1f}", f"{theirs:.4g}", f"{ratio:.2f}", "", note])
            console.print(table)
            shutil.rmtree(folder, ignore_errors=True)
            titles = ["workload", "size", "engine", "built", "events_per_second", "ratio", "matches", "note"]
            _write("speed", titles, rows)
    _draw(rows)


def growth(chosen: argparse.Namespace, console: Console) -> None:
    """Only our index on (a): size, building, mapping, matching, ranking."""
    table = Table("subscriptions", "bytes each", "built, s by clock", "s of CPU", "mapped, s", "events/s", "matches/event",
                  "ns per match", "ranking adds")  # fmt: skip
    rows = []
    for size in _sizes(chosen, "10000,100000,1000000,10000000"):
        workload = make("a", size, chosen.events)
        clock, cpu = time.perf_counter(), time.process_time()
        with _bar(f"compiling {size:,}") as progress:
            index = compiled(workload, progress)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        path = TARGET / f"a-{size}.index"
        write_index(index.compiled, path)
        del index
        began = time.perf_counter()
        index = Index(read_index(path)[0])
        mapped = time.perf_counter() - began
        match, both, matches = matching_and_ranking(index, workload)
        rows.append([size, path.stat().st_size / size, clock, cpu, mapped, 1 / match, matches, 1e9 * match / matches,
                     both / match - 1])  # fmt: skip
        shown = ["{:,}", "{:.0f}", "{:.1f}", "{:.1f}", "{:.2f}", "{:,.0f}", "{:,.1f}", "{:.0f}", "{:.0%}"]
        table.add_row(*(form.format(value) for form, value in zip(shown, rows[-1], strict=True)))
        path.unlink()
        del index
    console.print(f"[bold](a) {TITLES['a']}[/], {chosen.events:,} events, codes given, one core")
    console.print(table)
    titles = [
        "size",
        "bytes_each",
        "built_clock",
        "built_cpu",
        "mapped",
        "events_per_second",
        "matches",
        "ns_per_match",
    ]
    _write("growth", [*titles, "ranking_share"], rows)


def changes(chosen: argparse.Namespace, console: Console) -> None:
    """A thousand changes to an open index, until the next event sees them."""
    table = Table("subscriptions", "opened, s", "1,000 changes, s by clock", "s of CPU", "next event", "s of CPU")
    rows = []
    for size in _sizes(chosen, "10000000"):
        workload = make("a", size, 2)
        path = TARGET / "changes.index"
        with _bar(f"compiling {size:,}") as progress:
            write_index(compiled(workload, progress).compiled, path)
        began = time.perf_counter()
        live = LiveIndex(path)
        opened = time.perf_counter() - began
        one = Event("e", NOON, {name: (value,) for name, value in event(workload, 0).items()})
        before = set(live.match_batch([one]).subscription)
        name, value = next(iter(one.attributes.items()))
        new = [Subscription(f"new{i}", "u", Predicate(name, Compare(Op.EQ, value[0]))) for i in range(CHANGES // 2)]
        gone = sorted(before)[: CHANGES // 4]
        gone += [f"s{i}" for i in range(CHANGES // 2) if f"s{i}" not in gone][: CHANGES // 2 - len(gone)]
        stamps = [(time.perf_counter(), time.process_time())]
        live.change(new, gone)
        stamps.append((time.perf_counter(), time.process_time()))
        after = set(live.match_batch([one]).subscription)
        stamps.append((time.perf_counter(), time.process_time()))
        assert after == (before - set(gone)) | {each.id for each in new}
        spent = [b - a for first, second in pairwise(stamps) for a, b in zip(first, second, strict=True)]
        rows.append([size, opened, *spent])
        table.add_row(f"{size:,}", f"{opened:.2f}", *(f"{seconds:.2f}" for seconds in spent))
        for file in TARGET.glob("changes.index*"):
            file.unlink()
    console.print("500 subscriptions put and 500 removed, the log synced once; then an event that matches many of them")
    console.print(table)
    _write("changes", ["size", "opened", "changes_clock", "changes_cpu", "event_clock", "event_cpu"], rows)


def shard(chosen: argparse.Namespace, console: Console) -> None:
    """A shard with one user per ten subscriptions, each with a history of ten, while its catalog changes."""
    table = Table("subscriptions", "users", "made, s", "update of 40, s", "matched, events/s", "served, events/s")
    rows = []
    for size in _sizes(chosen, "100000,500000"):
        users, count = size // 10, 5 * chosen.events
        workload = make("a", size, 2 * count)
        catalog = Catalog()
        for place in range(size):
            catalog.put(
                Subscription(f"s{place}", f"u{place % users}", expression(workload, place), (place % 100) / 100)
            )
        for user in range(users):
            catalog.put(Policy(f"u{user}", mode=Mode.HISTORY, k=10, length=Length(1000, Unit.EVENTS)))
        events = [
            Event(f"e{place}", NOON, {name: (value,) for name, value in event(workload, place).items()}).at(place + 1)
            for place in range(2 * count)
        ]
        made, served = _seconds(BatchShard, catalog)
        served.publish(events[:10])
        later = catalog.copy()
        for place in range(20):
            later.remove(later.subscriptions[f"s{place}"])
            later.put(Subscription(f"new{place}", f"u{place}", expression(workload, place)))
        update, _ = _seconds(served.update, later)
        matcher = IndexMatcher(list(later.subscriptions.values()))
        matcher.match_batch(events[:10])
        match, _ = _seconds(matcher.match_batch, events[10 : count + 10])
        publish, _ = _seconds(served.publish, events[10 : count + 10])
        rows.append([size, users, made, update, count / match, count / publish])
        table.add_row(f"{size:,}", f"{users:,}", f"{made:.1f}", f"{update:.2f}", *(f"{v:,.0f}" for v in rows[-1][4:]))
    console.print(f"(a) {TITLES['a']}; processor time, batches of {5 * chosen.events:,} events as objects")
    console.print(table)
    _write("shard", ["size", "users", "made", "update", "matched_per_second", "served_per_second"], rows)


def few(chosen: argparse.Namespace, console: Console) -> None:
    """The number of subscriptions from which the index is faster than plain evaluation."""
    table = Table("subscriptions", "plain, µs an event", "index, µs an event", "compiled in, ms", "pays after, events")
    rows = []
    for size in _sizes(chosen, "10,30,100,300,1000"):
        workload = make("a", size, 500)
        subscriptions = [Subscription(f"s{i}", "u", expression(workload, i)) for i in range(size)]
        events = [Event("e", NOON, {name: (v,) for name, v in event(workload, place).items()}) for place in range(500)]
        IndexMatcher(subscriptions).match_batch(events)  # compiles the kernels if necessary
        build = _cpu(IndexMatcher, subscriptions)
        fast = _cpu(IndexMatcher(subscriptions).match_batch, events)
        oracle = OracleMatcher(subscriptions)
        plain = _cpu(lambda given, oracle=oracle: [list(oracle.match(each)) for each in given], events)
        gain = (plain - fast) / len(events)
        rows.append(
            [size, 1e6 * plain / len(events), 1e6 * fast / len(events), 1e3 * build, build / gain if gain > 0 else -1]
        )
        pays = f"{rows[-1][4]:,.0f}" if gain > 0 else "never"
        table.add_row(f"{size:,}", *(f"{value:.1f}" for value in rows[-1][1:4]), pays)
    console.print(table)
    _write("few", ["size", "plain_us", "index_us", "compile_ms", "pays_after"], rows)


def _seconds(run: Callable, given: object) -> tuple[float, Any]:
    began = time.process_time()
    found = run(given)
    return time.process_time() - began, found


def _cpu(run: Callable, given: object) -> float:
    """CPU seconds, the minimum of three runs."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        run(given)
        spent.append(time.process_time() - began)
    return min(spent)


def _sizes(chosen: argparse.Namespace, default: str) -> list[int]:
    return [int(size) for size in (chosen.sizes or default).split(",")]


@contextmanager
def _bar(title: str) -> Iterator[Callable[[float], None]]:
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=1.0)
        yield lambda share: progress.update(task, completed=share)


def _write(part: str, titles: Sequence[str], rows: list[list]) -> None:
    with (TARGET / f"matching-{part}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(titles)
        writer.writerows(rows)


def _draw(rows: list[list], target: Path = TARGET) -> None:
    """Draw a picture per workload: events per second against the number of subscriptions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for name in sorted({row[0] for row in rows}):
        figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
        for engine in dict.fromkeys(row[2] for row in rows):
            points = [(row[1], float(row[4])) for row in rows if row[0] == name and row[2] == engine and row[4]]
            if points:
                width = 2.5 if engine == "rankcast" else 1.2
                axes.loglog(*zip(*points, strict=True), marker="o", linewidth=width, label=engine)
        axes.set(title=f"({name}) {TITLES[name]}", xlabel="subscriptions", ylabel="events per second of one core")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        figure.savefig(target / f"matching-{name}.png", dpi=120)
        pyplot.close(figure)


if __name__ == "__main__":
    main()
