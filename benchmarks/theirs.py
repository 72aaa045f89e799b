"""The peers on a workload: downloading, building and running them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from workloads import Workload, clauses, event

HERE = Path(__file__).parent
OUT = HERE.parent / "out"
MEMORY = "8g"


PYTHON = {"DuckDB": "duckdb_join", "Polars": "polars_join", "rule-engine": "rule_engine_scan"}
ALL = (*PYTHON, "Spark SQL", "a-tree", "event-ruler", "Lucene Monitor", "quamina")


def peers(names: Iterable[str] = ALL) -> dict[str, list[str] | str]:
    """Build the peers; return the command of each, or the reason why it is left out."""
    found: dict[str, list[str] | str] = {}
    for name in names:
        if name in PYTHON:
            found[name] = [_python(), str(HERE / f"peers/{PYTHON[name]}.py")]
        elif name == "Spark SQL":
            found[name] = [sys.executable, str(HERE / "peers/spark_join.py")]
        elif name == "a-tree":
            found[name] = _rust()
        elif name == "quamina":
            found[name] = _go()
        else:
            found[name] = _java()[name != "event-ruler"]
    return found


def _python() -> str:
    """The interpreter of a virtual environment with the peers in Python."""
    python = OUT / "peers-venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", OUT / "peers-venv"], check=True)
        wanted = ["duckdb", "numpy", "polars", "rule-engine", "pyarrow"]
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=False)
    return str(python)


def ask(command: list[str], folder: Path, budget: float, limit: float) -> dict[str, Any]:
    """Run a peer and return its report."""
    answers = folder / "answers.jsonl"
    answers.unlink(missing_ok=True)
    arguments = [folder / "subscriptions.jsonl", folder / "events.jsonl", str(budget), answers]
    try:
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        done = subprocess.run(
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return {"cannot": f"not done within {limit:.0f} s"}
    if done.returncode or not done.stdout.strip():
        lines = (done.stderr.strip() or "no output").splitlines()
        return {
            "cannot": next((line for line in reversed(lines) if "Error" in line or "error" in line), lines[-1])[:90]
        }
    said: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    if "cannot" not in said:
        said["answers"] = [json.loads(line) for line in answers.read_text().splitlines()]
    return said


class RunningPeer:
    """A peer that searches for all events again when it is asked to, so that peers can take turns."""

    def __init__(self, command: list[str], folder: Path, budget: float) -> None:
        answers = folder / "answers.jsonl"
        arguments = [folder / "subscriptions.jsonl", folder / "events.jsonl", str(budget), answers]
        self._process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.report: dict[str, Any] = json.loads(self._line())
        """Seconds to build, the number of events it got through within the budget, and their seconds."""
        self.answers: list[list[int]] = [json.loads(line) for line in answers.read_text().splitlines()]

    def seconds(self) -> float:
        """Search for the events again; the seconds of processor time for each."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        return float(self._line())

    def close(self) -> None:
        """End the peer."""
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the peer ended"
        return line


def write_files(workload: Workload, folder: Path) -> None:
    """Write the workload to files for the peers."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "subscriptions.jsonl").open("w") as file:
        for place in range(len(workload)):
            row = {"id": place, "dnf": bool(workload.is_dnf[place]), "clauses": clauses(workload, place)}
            file.write(json.dumps(row) + "\n")
    with (folder / "events.jsonl").open("w") as file:
        for place in range(len(workload.events)):
            file.write(json.dumps(event(workload, place)) + "\n")


def _rust() -> list[str] | str:
    if not shutil.which("cargo"):
        return "no cargo on this machine"
    target = OUT / "peers/a_tree"
    manifest = HERE / "peers/a_tree/Cargo.toml"
    command = ["cargo", "build", "--release", "-q", "--manifest-path", manifest, "--target-dir", target]
    made = subprocess.run(command, capture_output=True, text=True)
    return [str(target / "release/peer")] if made.returncode == 0 else f"did not build: {made.stderr.splitlines()[:1]}"


@cache
def _java() -> tuple[list[str] | str, list[str] | str]:
    if not (shutil.which("mvn") and shutil.which("javac")):
        return ("no Maven or JDK on this machine",) * 2
    listing, classes = OUT / "peers/java.classpath", OUT / "peers/java"
    classes.mkdir(parents=True, exist_ok=True)
    goal = ["dependency:build-classpath", f"-Dmdep.outputFile={listing}"]
    resolve = ["mvn", "-q", "-B", "-f", HERE / "peers/java/pom.xml", *goal]
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


def _go() -> str:
    """Why quamina is left out: its module could not be downloaded, so there is no program for it."""
    if not shutil.which("go"):
        return "no Go on this machine"
    asked = subprocess.run(["go", "list", "-m", "quamina.net/go/quamina@latest"], capture_output=True, text=True)
    if asked.returncode == 0:
        return "no program for it in benchmarks/peers yet"
    return "the registry does not give its module" + (" (403)" if "403" in asked.stderr else "")
