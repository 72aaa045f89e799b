"""``rankcast upgrade``, and what other commands say of a store that needs it."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import before

from rankcast.store.schema import SCHEMA_VERSION

ENTRY = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


def test_a_store_is_upgraded_and_then_used(rankcast):
    before.put_file("oracle.db", Path())
    told = rankcast("status", "--store", "oracle.db", code=3).stderr
    assert "upgrade it with: rankcast upgrade --store oracle.db" in " ".join(told.split())
    done = json.loads(rankcast("upgrade", "--store", "oracle.db", "--json").stdout)
    assert (done["before"], done["version"]) == (3, SCHEMA_VERSION)
    assert Path(done["backup"]).is_file()
    assert json.loads(rankcast("status", "--store", "oracle.db", "--json").stdout)["published"] == 150
    assert "nothing to do" in rankcast("upgrade", "--store", "oracle.db").stderr


def test_without_a_copy(rankcast):
    before.put_file("oracle.db", Path())
    rankcast("upgrade", "--no-backup", "--store", "oracle.db")
    assert list(Path().glob("*.backup")) == []


def test_nothing_to_upgrade(rankcast):
    assert "no store at 'x.db'" in rankcast("upgrade", "--store", "x.db", code=3).stderr


def at_a_terminal(answer: bytes, *arguments: str) -> tuple[int, bytes]:
    """Run a command whose stdin and stderr are a terminal, and answer its question."""
    main, terminal = pty.openpty()
    process = subprocess.Popen([*ENTRY, *arguments], stdin=terminal, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    said, until = b"", time.monotonic() + 60
    while b"Upgrade it now?" not in said and time.monotonic() < until:
        said += os.read(main, 1000)
    os.write(main, answer)
    code = process.wait(60)
    os.close(main)
    return code, said


def test_at_a_terminal_the_upgrade_is_offered():
    path = before.put_file("oracle.db", Path())
    assert at_a_terminal(b"n\n", "status", "--store", str(path))[0] == 3
    assert at_a_terminal(b"y\n", "status", "--store", str(path))[0] == 0
    assert len(list(Path().glob("*.backup"))) == 1


def test_what_cannot_be_read_is_told_counted_and_can_be_deleted(rankcast):
    before.put_file("oracle.db", Path())
    told = rankcast("upgrade", "--no-backup", "--store", "oracle.db").stderr
    assert "skipped, because it cannot be read: policy overflow of overflow: 'preference' in score" in told
    status = json.loads(rankcast("status", "--store", "oracle.db", "--json").stdout)
    unreadable = status["unreadable"]
    assert unreadable >= 1
    rankcast("policy", "--user", "overflow", "--remove", "--store", "oracle.db")
    assert json.loads(rankcast("status", "--store", "oracle.db", "--json").stdout)["unreadable"] == unreadable - 1
    rankcast("policy", "--user", "overflow", "--remove", "--store", "oracle.db", code=1)
