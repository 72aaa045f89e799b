"""A JVM's noise on stderr is kept from people; Python's own words are not."""

import subprocess
import sys

import pytest

PROBE = """
import subprocess, sys
from rankcast.cli.sparks import silenced
print("before", file=sys.stderr)
with silenced():
    subprocess.run([sys.executable, "-c", "import sys; print('noise', file=sys.stderr)"])
    print("within", file=sys.stderr)
print("after", file=sys.stderr)
subprocess.run([sys.executable, "-c", "import sys; print('heard', file=sys.stderr)"])
"""


@pytest.mark.parametrize(
    ("debug", "heard"),
    [("", ["before", "within", "after", "heard"]), ("1", ["before", "noise", "within", "after", "heard"])],
)
def test_silenced(debug: str, heard: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env={"RANKCAST_DEBUG": debug}
    )
    assert run.stderr.splitlines() == heard
    assert run.stdout == ""
