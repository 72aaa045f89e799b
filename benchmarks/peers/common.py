"""Shared by the peers written in Python: reading a workload, and reporting the result.

Called as ``peer.py subscriptions.jsonl events.jsonl seconds answers.jsonl``. A peer matches events until its CPU
seconds are used up, writes the ids found for the first events to `answers.jsonl`, and prints one line of JSON.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

CHECKED = 20
"""The number of events for which answers are compared."""


def read() -> tuple[list[dict], list[dict]]:
    """Subscriptions and events."""
    return tuple([json.loads(line) for line in Path(path).open()] for path in sys.argv[1:3])


def refuse(why: str) -> None:
    """Report that the peer cannot express the workload."""
    print(json.dumps({"cannot": why}))
    sys.exit()


def run(build: Callable[[list[dict]], Callable[[list[dict]], list[list[int]]]], batch: int) -> None:
    """Build, then match batch by batch; the matching function returns sorted ids per event."""
    subscriptions, events = read()
    began = time.process_time()
    match = build(subscriptions)
    built = time.process_time() - began
    budget, done, spent, answers = float(sys.argv[3]), 0, 0.0, []
    while done < len(events) and spent < budget:
        part = events[done : done + (batch if done else min(batch, CHECKED))]
        began = time.process_time()
        found = match(part)
        spent += time.process_time() - began
        done += len(part)
        answers += [sorted(ids) for ids in found][: CHECKED - len(answers)]
    Path(sys.argv[4]).write_text("".join(json.dumps(ids) + "\n" for ids in answers))
    print(json.dumps({"build": built, "events": done, "seconds": spent}))
