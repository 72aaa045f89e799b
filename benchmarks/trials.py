"""Trials that are ended: python benchmarks/trials.py

The same trial of a policy runs in three ways, in one run. *Before*, nothing ends it, so it runs to its end after its
client has left, as trials once did. Then it runs in a child process, and its client leaves after half a second. Then
its client waits until the limit of two seconds. The seconds that each has used are compared.
"""

import asyncio
import time

from selection import catalog_of, events_of

from rankcast.errors import RankcastError
from rankcast.model import Length, Mode, Policy, Select
from rankcast.service.trial_pool import TrialPool
from rankcast.service.trials import backtest

EVENTS = 3_000
POLICY = Policy("ann", Mode.SLIDING, 200, Length(1_000), 0.5, select=Select.IMPROVED)
TRIAL = "ann", POLICY, catalog_of(POLICY), events_of(EVENTS)
LEAVES = 0.5
LIMIT = 2.0
GOAL = 1.0
"""Seconds that a trial may run after its client has left, or beyond its limit."""


def run_to_its_end() -> float:
    """Run the trial, and return its seconds of processor time."""
    begun = time.process_time()
    backtest(*TRIAL)
    return time.process_time() - begun


async def leave() -> float:
    """Run the trial in a child process, leave, and return the seconds until the child was ended."""
    pool = TrialPool(seconds=1_000.0)
    pool.run("ann", time.time)  # a child has started
    begun = time.monotonic()

    async def is_gone() -> bool:
        return time.monotonic() - begun > LEAVES

    try:
        await pool.run_for("ann", is_gone, backtest, *TRIAL)
    except RankcastError as error:
        print(f"  {error}")
    while not pool.killed:
        await asyncio.sleep(0.005)
    pool.stop()
    return time.monotonic() - begun


def wait() -> float:
    """Run the trial in a child process until its limit, and return the seconds until it was ended."""
    pool = TrialPool(seconds=LIMIT)
    pool.run("ann", time.time)
    begun = time.monotonic()
    try:
        pool.run("ann", backtest, *TRIAL)
    except RankcastError as error:
        print(f"  {error}")
    pool.stop()
    return time.monotonic() - begun


def main() -> None:
    """Print the three times and their ratios."""
    before = run_to_its_end()
    print(f"nothing ends it: {before:.1f} s of processor time")
    left, limited = asyncio.run(leave()), wait()
    print(f"its client leaves after {LEAVES:g} s: ended after {left:.2f} s, {before / left:.0f} times less")
    print(f"its client waits, the limit is {LIMIT:g} s: ended after {limited:.2f} s, {before / limited:.0f} times less")
    if left > LEAVES + GOAL or limited > 3 * LIMIT + GOAL:
        raise SystemExit(f"a trial ran for more than {GOAL:g} s too long")


if __name__ == "__main__":
    main()
