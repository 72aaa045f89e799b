"""A JVM's noise on stderr is kept from people; Python's own words are not."""

import subprocess
import sys
from typing import Any

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
@pytest.mark.slow
def test_silenced(debug: str, heard: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env={"RANKCAST_DEBUG": debug}
    )
    assert run.stderr.splitlines() == heard
    assert run.stdout == ""


def test_without_java(rankcast: Any, lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankcast.pipeline.spark.session.find_java", lambda: None)
    # Another test of this process may have a session, which would be taken as it is.
    monkeypatch.setattr("rankcast.pipeline.spark.session.SparkSession.getActiveSession", lambda: None)
    files = ("--catalog", lines("c.jsonl", []), "--events", lines("e.jsonl", []))
    for command in (["demo"], ["replay", *files, "--engine", "spark"], ["match", *files, "--engine", "spark"]):
        said = rankcast(*command, code=3).stderr
        assert "error: Spark needs Java 17" in said
        assert "rankcast doctor" in said
