"""How much processor time a start takes, beside that of a start that never changes.

Seconds would judge the machine: the same start takes 0.25 s on one and 0.52 s on another. Both are timed in turns, and
the best of each counts. They may keep compiled files, as installed packages do: without them, each start would compile
all that it imports, which takes half as long as the start itself.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence

__all__ = ["times_the_yardstick"]

YARDSTICK = """
import json, time
begin = time.process_time()
import asyncio, concurrent.futures, email.mime.multipart, http.server, logging.config, multiprocessing.pool, pydoc
import sqlite3, ssl, tarfile, unittest.mock, xml.dom.minidom, zipfile
print(json.dumps({"seconds": time.process_time() - begin}))
"""
"""A part of the standard library that takes 0.1 s to import on a machine of 2024."""


def times_the_yardstick(program: str, arguments: Sequence[str] = (), turns: int = 3) -> tuple[float, dict]:
    """How many times the yardstick's processor time `program` takes, and what it printed as its last line."""
    runs = [(_run(program, arguments), _run(YARDSTICK, ())) for _ in range(turns)]
    best = min((run for run, _ in runs), key=_seconds)
    return _seconds(best) / min(_seconds(yardstick) for _, yardstick in runs), best


def _seconds(run: dict) -> float:
    return float(run["seconds"])


def _run(program: str, arguments: Sequence[str]) -> dict:
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, timeout=60, env=given
    )
    return dict(json.loads(run.stdout.splitlines()[-1]))
