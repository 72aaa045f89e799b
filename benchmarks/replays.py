"""`rankcast replay --engine local` beside an earlier version of the code, mode by mode.

    git worktree add /tmp/before a4e9c03
    .venv/bin/python benchmarks/replays.py /tmp/before [--mode all] [--users 10000] [--events 100000] [--rounds 1]

The catalog and the events are those of `many_users.py`. Both versions replay the same files in turns, each in a process
of its own, and the figures are the processor seconds of the whole command, the lowest of all rounds. The compiled loops
of both versions are loaded first, by a replay of the first events. The deliveries are compared.

Diversity is far slower in earlier versions, so `sliding, sigma 0.5` replays fewer events in both: `--diverse`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from many_users import POLICIES, records, texts
from rich.console import Console
from rich.table import Table

from rankcast.language import dumps, encode_record

HERE = Path(__file__).parents[1]
COMMAND = "from rankcast.cli.main import main; main()"
DIVERSE = "sliding, sigma 0.5"
MODES = ("all", "periodic", "history", DIVERSE)
FIRST = 2_000
"""The number of events of the replay that loads the loops."""


def seconds(checkout: Path, folder: Path, events: Path) -> tuple[float, str]:
    """The processor seconds of one replay by the code of a checkout, and a digest of its deliveries."""
    out = folder / "d.jsonl"
    out.unlink(missing_ok=True)
    began = _spent()
    subprocess.run(
        [sys.executable, "-c", COMMAND, "replay", "--engine", "local", "--catalog", str(folder / "c.jsonl"),
         "--events", str(events), "--out", str(out)],
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
        check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return _spent() - began, sha256(out.read_bytes()).hexdigest()


def _spent() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compared(mode: str, before: Path, users: int, count: int, rounds: int) -> tuple[float, float, bool]:
    """The least seconds of the code before and of this code, and whether the deliveries are the same."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        catalog = (dumps(encode_record(one)) for one in records(users, POLICIES[mode]))
        (folder / "c.jsonl").write_text("\n".join(catalog) + "\n")
        for name, size in (("first.jsonl", FIRST), ("e.jsonl", count)):
            (folder / name).write_text("\n".join(islice(texts(users, count), size)) + "\n")
        for checkout in (before, HERE):
            seconds(checkout, folder, folder / "first.jsonl")
        least, digests = [float("inf"), float("inf")], set[str]()
        for _ in range(rounds):
            for which, checkout in enumerate((before, HERE)):
                took, digest = seconds(checkout, folder, folder / "e.jsonl")
                least[which] = min(least[which], took)
                digests.add(digest)
        return least[0], least[1], len(digests) == 1


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="the checkout of the earlier version")
    parser.add_argument("--mode", action="append", choices=list(POLICIES))
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--diverse", type=int, default=20_000, help="the number of events with diversity")
    parser.add_argument("--rounds", type=int, default=1)
    chosen = parser.parse_args()
    table = Table("mode", "events", "before, s", "now, s", "ratio", "deliveries", title="Replays: processor time")
    for mode in chosen.mode or MODES:
        count = min(chosen.events, chosen.diverse) if POLICIES[mode].sigma < 1 else chosen.events
        old, new, is_same = compared(mode, chosen.before, chosen.users, count, chosen.rounds)
        same = "the same" if is_same else "DIFFERENT"
        Console(stderr=True).print(f"{mode}, {count:,} events: {old:.1f} and {new:.1f} s, {same}")
        table.add_row(mode, f"{count:,}", f"{old:.1f}", f"{new:.1f}", f"{old / new:.1f}", same)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
