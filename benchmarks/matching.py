"""Matching speed and size, ours and the peers', on the same files, in one run.

    .venv/bin/python benchmarks/matching.py                    workloads a and b, 10 k to 1 M, all peers
    .venv/bin/python benchmarks/matching.py --workloads a --sizes 10000000 --peers none

Speed is events per second of processor time on one core, so that a busy machine does not distort it. Every peer's answers
to the first events are compared with ours. Tables go to out/benchmarks/matching.csv, pictures beside it.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from workloads import BETWEEN, TITLES, Workload, clauses, event, make, word

from rankcast.match.index import bulk as columns
from rankcast.match.index import read_index, write_index
from rankcast.match.index.building import Members, build
from rankcast.match.index.draft import Draft
from rankcast.match.index.events import EventCodes
from rankcast.match.index.index import Index
from rankcast.match.index.ranking import best_by_user
from rankcast.match.index.texts import Texts
from rankcast.model import And, Between, Compare, Op, Or, Predicate

HERE = Path(__file__).parent
OUT = HERE.parent / "out"
CHECKED = 20
OPS = {"=": Op.EQ, "contains": Op.CONTAINS, "startswith": Op.STARTSWITH}
MEMORY = "8g"


def peers() -> dict[str, list[str] | str]:
    """The command of each peer, or why it is left out; builds what has to be built."""
    found: dict[str, list[str] | str] = {}
    python = OUT / "peers-venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", OUT / "peers-venv"], check=True)
        wanted = ["duckdb", "numpy", "polars", "rule-engine", "pyarrow"]
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=False)
    for name, script in (("DuckDB", "duckdb_join"), ("Polars", "polars_join"), ("rule-engine", "rule_engine_scan")):
        found[name] = [str(python), str(HERE / f"peers/{script}.py")]
    found["Spark SQL"] = [sys.executable, str(HERE / "peers/spark_join.py")]
    found["a-tree"] = _rust()
    found["event-ruler"], found["Lucene Monitor"] = _java()
    found["quamina"] = "its Go module could not be had from the registry"
    return found


def _rust() -> list[str] | str:
    if not shutil.which("cargo"):
        return "no cargo on this machine"
    target = OUT / "peers/a_tree"
    command = [
        "cargo",
        "build",
        "--release",
        "-q",
        "--manifest-path",
        HERE / "peers/a_tree/Cargo.toml",
        "--target-dir",
        target,
    ]
    made = subprocess.run(command, capture_output=True, text=True)
    return [str(target / "release/peer")] if made.returncode == 0 else f"did not build: {made.stderr.splitlines()[:1]}"


def _java() -> tuple[list[str] | str, list[str] | str]:
    if not (shutil.which("mvn") and shutil.which("javac")):
        return ("no Maven or JDK on this machine",) * 2
    listing, classes = OUT / "peers/java.classpath", OUT / "peers/java"
    classes.mkdir(parents=True, exist_ok=True)
    resolve = [
        "mvn",
        "-q",
        "-B",
        "-f",
        HERE / "peers/java/pom.xml",
        "dependency:build-classpath",
        f"-Dmdep.outputFile={listing}",
    ]
    if not listing.exists() and subprocess.run(resolve, capture_output=True).returncode:
        return ("Maven could not resolve it",) * 2
    path = f"{listing.read_text().strip()}:{classes}"
    sources = sorted((HERE / "peers/java").glob("*.java"))
    made = subprocess.run(
        ["javac", "--release", "17", "-cp", path, "-d", classes, *sources], capture_output=True, text=True
    )
    if made.returncode:
        return (f"did not compile: {made.stderr.splitlines()[0]}",) * 2
    java = ["java", f"-Xmx{MEMORY}", "-XX:+UseSerialGC", "-cp", path]
    return [*java, "Ruler"], [*java, "LuceneMonitor"]


def compiled(workload: Workload, progress) -> tuple[Index, float]:
    """Our index of a workload, and the processor time it took."""
    count = len(workload)
    digits = np.char.add("s", np.arange(count).astype("U9")) if count else np.zeros(0, "U1")
    began = time.process_time()
    ids = Texts.of(digits.tolist())
    rng = np.random.default_rng(0)
    if workload.attribute.shape[2] == 1:
        draft, owner = columns.bulk_draft(_columns(workload))
    else:
        draft = Draft()
        owner = np.array([draft.add(expression(workload, place)) for place in range(count)])
    progress(0.4)
    users = max(1, count // 10)
    members = Members(
        ids,
        rng.integers(0, users, count).astype(np.int32),
        Texts.of(f"u{i}" for i in range(users)),
        rng.random(count),
        owner,
    )
    index = Index(build(draft, members, progress=lambda share: progress(0.4 + 0.6 * share)))
    return index, time.process_time() - began


def expression(workload: Workload, place: int):
    """A subscription as an expression."""
    outer, inner = (Or, And) if workload.is_dnf[place] else (And, Or)
    parts = []
    for clause in clauses(workload, place):
        rows = tuple(_predicate(row) for row in clause)
        parts.append(inner(rows) if len(rows) > 1 else rows[0])
    return outer(tuple(parts)) if len(parts) > 1 else parts[0]


def _predicate(row: list) -> Predicate:
    return Predicate(row[0], Between(row[2], row[3]) if row[1] == "between" else Compare(OPS[row[1]], row[2]))


def _columns(workload: Workload) -> columns.Conjunctions:
    k = workload.attribute.shape[1]
    attribute = workload.attribute.reshape(-1).astype(np.int32)
    is_text = workload.is_text[attribute]
    ops = np.array([0, columns.BETWEEN, *(list(Op).index(OPS[op]) for op in ("contains", "startswith"))], np.int8)
    low, high = workload.low.reshape(-1), workload.high.reshape(-1)
    is_range = workload.op.reshape(-1) == BETWEEN
    return columns.Conjunctions(
        np.arange(len(workload) + 1, dtype=np.int64) * k,
        workload.attributes,
        attribute,
        ops[workload.op.reshape(-1)],
        np.where(is_text, 0, low).astype(np.float64),
        np.where(is_range, high, 0).astype(np.float64),
        np.where(is_text, low, -1).astype(np.int32),
        [word(i) for i in range(int(low.max(initial=0)) + 1)],
    )


def encoded(index: Index, workload: Workload) -> EventCodes:
    """The events in our codes, each column's distinct values once (as an Arrow batch with dictionaries comes)."""
    starts, parts = np.zeros(len(workload.events), np.int64), []
    for column, name in enumerate(workload.attributes):
        space = index.encoder.space(name)
        values = workload.events[:, column]
        if space is None or values.max(initial=-1) < 0:
            continue
        distinct = np.unique(values[values >= 0])
        table = {}
        for value in distinct.tolist():
            table[value] = index.encoder.codes(space[0], (word(value) if workload.is_text[column] else value,))
        present = np.flatnonzero(values >= 0)
        place = np.searchsorted(distinct, values[present])
        sizes = np.array([len(of) for of, _ in table.values()], np.int64)
        first = np.cumsum(sizes) - sizes
        each = sizes[place]
        at = np.repeat(first[place] - np.cumsum(each) + each, each) + np.arange(each.sum())
        of = np.concatenate([np.asarray(of, np.int32) for of, _ in table.values()])[at]
        code = np.concatenate([np.asarray(codes, np.int32) for _, codes in table.values()])[at]
        parts.append((np.repeat(present, each), of, code))
        starts[present] += each
    row, of, code = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort((row << 40) | (of.astype(np.int64) << 31) | code, kind="stable")
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(starts)])
    return EventCodes(start, of[order], code[order], code[order], np.zeros(len(workload.events), np.bool_))


def measure(index: Index, workload: Workload, budget: float) -> dict:
    """Our speed, encoding of the columns included, and the answers to the first events."""
    index.found(encoded(index, Workload(**{**workload.__dict__, "events": workload.events[:CHECKED]})))
    spent, events, matches = 0.0, 0, 0
    while spent < budget:
        began = time.process_time()
        found = index.found(encoded(index, workload))
        spent += time.process_time() - began
        events += len(workload.events)
        matches += len(found[0])
    ranking, rounds = 0.0, -1
    codes = encoded(index, workload)
    while rounds < 10:
        event, item = index.found(codes)
        began = time.process_time()
        best_by_user(
            len(codes), event, item, index.compiled.ranked_user, len(index.compiled.users), index.compiled.ranked_score
        )
        ranking += time.process_time() - began if rounds >= 0 else 0.0  # the first compiles
        rounds += 1
    share = ranking / rounds / (spent * len(workload.events) / events)
    sure = index.candidates(encoded(index, Workload(**{**workload.__dict__, "events": workload.events[:CHECKED]})))
    answers = [sure.subscription[sure.event == e].tolist() for e in range(CHECKED)]
    return {"events": events, "seconds": spent, "matches": matches / events, "ranking": share, "answers": answers}


def ask(command: list[str], folder: Path, budget: float, limit: float) -> dict:
    """What a peer says of itself."""
    answers = folder / "answers.jsonl"
    answers.unlink(missing_ok=True)
    arguments = [folder / "subscriptions.jsonl", folder / "events.jsonl", str(budget), answers]
    try:
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return {"cannot": f"not done within {limit:.0f} s"}
    if done.returncode or not done.stdout.strip():
        lines = (done.stderr.strip() or "no output").splitlines()
        return {
            "cannot": next((line for line in reversed(lines) if "Error" in line or "error" in line), lines[-1])[:90]
        }
    said = json.loads(done.stdout.strip().splitlines()[-1])
    if "cannot" not in said:
        said["answers"] = [json.loads(line) for line in answers.read_text().splitlines()]
    return said


def write_files(workload: Workload, folder: Path) -> None:
    """The workload for the peers."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "subscriptions.jsonl").open("w") as file:
        for place in range(len(workload)):
            row = {"id": place, "dnf": bool(workload.is_dnf[place]), "clauses": clauses(workload, place)}
            file.write(json.dumps(row) + "\n")
    with (folder / "events.jsonl").open("w") as file:
        for place in range(len(workload.events)):
            file.write(json.dumps(event(workload, place)) + "\n")


def main() -> None:
    """Run, print, write."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workloads", default="ab", help="which of a b c d e")
    options.add_argument("--sizes", default="10000,100000,1000000")
    options.add_argument("--events", type=int, default=5000)
    options.add_argument("--budget", type=float, default=5.0, help="seconds of processor time per measurement")
    options.add_argument("--limit", type=float, default=240.0, help="seconds after which a peer is given up")
    options.add_argument("--peers", default="all", help="all, none, or names separated by commas")
    chosen = options.parse_args()
    console = Console(width=110)
    known = {} if chosen.peers == "none" else peers()
    if chosen.peers not in ("all", "none"):
        known = {name: known[name] for name in chosen.peers.split(",")}
    target = OUT / "benchmarks"
    target.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in chosen.workloads:
        for size in map(int, chosen.sizes.split(",")):
            workload = make(name, size, chosen.events)
            columns_of_bar = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
            with Progress(*columns_of_bar, console=Console(stderr=True), transient=True) as progress:
                task = progress.add_task(f"compiling {size:,}", total=1.0)
                index, built = compiled(workload, lambda share, task=task: progress.update(task, completed=share))
            path = target / f"{name}-{size}.index"
            write_index(index.compiled, path)
            began = time.perf_counter()
            index = Index(read_index(path)[0])
            mapped = time.perf_counter() - began
            ours = measure(index, workload, chosen.budget)
            speed = ours["events"] / ours["seconds"]
            each = path.stat().st_size / size
            rows.append([name, size, "rankcast", f"{built:.1f}", f"{speed:.4g}", "", f"{ours['matches']:.1f}", ""])
            console.print(
                f"[bold]({name}) {TITLES[name]}, {size:,} subscriptions[/]: {ours['matches']:.1f} matches per event, "
                f"{each:.0f} bytes each, built in {built:.1f} s, mapped in {mapped:.2f} s, ranking adds {ours['ranking']:.0%}"
            )
            table = Table("engine", "built, s", "events/s", "ours is", "note")
            table.add_row("rankcast", f"{built:.1f}", f"{speed:,.0f}", "", "")
            if known:
                write_files(workload, target / f"{name}-{size}")
            for peer, command in known.items():
                if isinstance(command, str):
                    said = {"cannot": command}
                else:
                    said = ask(command, target / f"{name}-{size}", chosen.budget, chosen.limit)
                if "cannot" in said:
                    table.add_row(peer, "", "", "", said["cannot"])
                    rows.append([name, size, peer, "", "", "", "", said["cannot"]])
                    continue
                theirs = said["events"] / max(said["seconds"], 1e-9)
                checked = min(CHECKED, len(said["answers"]))
                equal = said["answers"][:checked] == ours["answers"][:checked]
                note = f"same answers to {checked} events" if equal else "OTHER ANSWERS"
                table.add_row(peer, f"{said['build']:.1f}", f"{theirs:,.4g}", f"{speed / theirs:,.1f} x", note)
                rows.append(
                    [name, size, peer, f"{said['build']:.1f}", f"{theirs:.4g}", f"{speed / theirs:.2f}", "", note]
                )
            console.print(table)
            shutil.rmtree(target / f"{name}-{size}", ignore_errors=True)
            with (target / "matching.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(
                    ["workload", "size", "engine", "built", "events_per_second", "ratio", "matches", "note"]
                )
                writer.writerows(rows)
    draw(rows, target)


def draw(rows: list[list], target: Path) -> None:
    """A picture per workload: events per second against the number of subscriptions."""
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
