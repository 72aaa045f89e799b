"""Whatever a process that holds shards is doing, it ends with its owner."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pipeline_process import PipelineProcess

from rankcast.store import Store

WITHIN = 5.0


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def all_end(pids: list[int], within: float = WITHIN) -> bool:
    deadline = time.monotonic() + within
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(is_alive, pids))


def descendants(pid: int) -> dict[int, str]:
    """The processes below a process, with their commands."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    commands = {}
    for child in found:
        with suppress(OSError):  # it has ended since
            commands[child] = Path(f"/proc/{child}/cmdline").read_bytes().decode().replace("\0", " ")
    return commands


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_stuck_process_ends_with_its_owner(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as owner:
        path = tmp_path / "0.socket"
        command = [sys.executable, "-m", "rankcast.pipeline.spark.live.host", str(path), str(owner.pid)]
        with subprocess.Popen(command) as host:
            deadline = time.monotonic() + 60
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            assert path.exists()
            beside = [*descendants(host.pid)]
            host.send_signal(signal.SIGSTOP)  # as if a loop let no thread of it run
            try:
                owner.kill()
                owner.wait()
                assert host.wait(WITHIN) == -signal.SIGKILL
            finally:
                host.kill()
    assert all_end(beside)
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.spark
def test_a_killed_driver_leaves_nothing_behind(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(20))
        with PipelineProcess.driver(tmp_path, "local[2]", str(tmp_path / "s.db")) as driver:
            driver.until(lambda: store.last_delivery() > 0, "the first delivery")
            below = descendants(driver.process.pid)
            hosts = [pid for pid, command in below.items() if "rankcast.pipeline.spark.live.host" in command]
            assert hosts
            os.kill(hosts[0], signal.SIGSTOP)
            try:
                os.kill(driver.process.pid, signal.SIGKILL)
                driver.process.wait()
                ended = all_end([*below])
                left = {pid: command for pid, command in below.items() if is_alive(pid)}
            finally:
                for pid in [*below]:
                    if is_alive(pid):
                        os.kill(pid, signal.SIGKILL)
            assert ended, f"{WITHIN:g} s after the driver was killed there were still {left}"
