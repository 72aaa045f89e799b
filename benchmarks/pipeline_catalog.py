"""The time to load a large catalog file into a store: ``rankcast subscribe --file``.

    python benchmarks/pipeline_catalog.py                                   into SQLite, from JSON Lines and Parquet
    python benchmarks/pipeline_catalog.py --postgresql                      also into a server that it starts
    python benchmarks/pipeline_catalog.py --users 100000 --distinct         every expression occurs once

Times are of the whole command, with the start of Python.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from pipeline_world import World, say
from pyarrow import parquet

from rankcast.language import dumps, encode_record
from rankcast.model import Subscription
from rankcast.store import Store

COMMAND = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


def main() -> None:
    """Write the files and load them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--each", type=int, default=10, help="subscriptions per user")
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        count = write(World(asked.users, asked.each), folder, asked.distinct)
        load(str(folder / "lines.db"), folder / "catalog.jsonl", count)
        load(str(folder / "table.db"), folder / "subscriptions.parquet", count)
        if asked.postgresql:
            sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
            import postgresql_server

            with postgresql_server.server() as server, server.place() as url:
                load(url, folder / "catalog.jsonl", count)


def write(world: World, folder: Path, distinct: bool) -> int:
    """Write the catalog as JSON Lines, and its subscriptions as Parquet; returns the number of subscriptions."""
    forms = []
    with (folder / "catalog.jsonl").open("w") as file:
        for record in world.records():
            form = encode_record(record)
            if isinstance(record, Subscription):
                if distinct:
                    form["where"] += f" and price < {len(forms)}"
                forms.append({name: form.get(name) for name in ("id", "user", "where", "score")})
            file.write(dumps(form) + "\n")
    parquet.write_table(pa.Table.from_pylist(forms), folder / "subscriptions.parquet")
    return len(forms)


def load(place: str, file: Path, count: int) -> None:
    """Load a file into a new store."""
    Store.create(place).close()
    began, processor = time.perf_counter(), os.times()
    done = subprocess.run(
        [*COMMAND, "subscribe", "--store", place, "--file", str(file), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    spent = os.times()
    say(
        "loaded",
        into="PostgreSQL" if "://" in place else "SQLite",
        file=file.name,
        subscriptions=count,
        records=json.loads(done.stdout)["records"],
        seconds=time.perf_counter() - began,
        processor=spent.children_user + spent.children_system - processor.children_user - processor.children_system,
    )


if __name__ == "__main__":
    main()
