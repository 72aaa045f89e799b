"""The service runs soon after it wakes up; so does its pipeline, and no trial."""

import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rankcast.service.service import Service
from rankcast.service.settings import ServiceSettings

SCRIPT = """
import ctypes, os, platform, struct, time
from rankcast.service.children import Child
from rankcast.service.scheduling import run_promptly

def slice_of(pid):
    "The scheduling policy of a process and its slice in nanoseconds, as Linux reports them."
    attributes, number = ctypes.create_string_buffer(48), {"x86_64": 315, "aarch64": 275}[platform.machine()]
    assert ctypes.CDLL(None).syscall(number, pid, attributes, 48, 0) == 0
    _, policy, _, _, _, runtime, _, _ = struct.unpack("=IIQiIQQQ", attributes.raw)
    return policy, runtime

run_promptly()
pipeline, trial = Child("waiting"), Child("waiting", 15)
for child in (pipeline, trial):
    child.output.readline()
print([slice_of(0), slice_of(pipeline.pid), slice_of(trial.pid)[0]])
"""
CHILD = """
import os, sys

def main():
    os.write(1, b"ready\\n")
    sys.stdin.read()
"""


def takes_slices() -> bool:
    """Whether this system lets a process choose its slice."""
    release = tuple(int(part) for part in platform.release().split(".")[:2] if part.isdigit())
    return platform.system() == "Linux" and release >= (6, 12) and platform.machine() in ("x86_64", "aarch64")


def test_what_a_prompt_process_starts_is_prompt_but_for_what_yields(tmp_path: Path) -> None:
    (tmp_path / "waiting.py").write_text(CHILD)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    program = SCRIPT if takes_slices() else "from rankcast.service.scheduling import run_promptly; run_promptly()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment, check=True)
    prompt = (os.SCHED_OTHER, 200_000)
    assert done.stdout.decode() == (f"[{prompt}, {prompt}, {os.SCHED_IDLE}]\n" if takes_slices() else "")


@pytest.mark.parametrize("own_process", [True, False])
def test_a_service_with_a_process_of_its_own_is_prompt(
    settings: ServiceSettings, monkeypatch: pytest.MonkeyPatch, own_process: bool
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr("rankcast.service.service.run_promptly", lambda: asked.append(True))
    Service(replace(settings, own_process=own_process)).stop()
    assert asked == [True] * own_process
