"""The password in the URL of a store is in nothing that a command prints."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from postgresql_server import PASSWORD

from rankcast.errors import StoreError
from rankcast.store import Store

from .conftest import ENTRY, Command, Process

COMMANDS = [
    ["status"],
    ["status", "--json"],
    ["doctor"],
    ["doctor", "--json"],
    ["init", "--exist-ok"],
    ["rejects"],
    ["explain", "e", "--user", "ann"],
    ["run"],
    ["run", "--json"],
    ["token", "list"],
    ["concept", "list"],
    ["deliveries"],
    ["stats"],
]


def said(rankcast: Command, url: str) -> str:
    """All that all commands print about a store."""
    texts = []
    for command in COMMANDS:
        result = rankcast(*command, "--store", url, code=None)
        texts.append(f"{command}: {result.stdout}{result.stderr}")
    return "\n".join(texts)


@pytest.mark.slow
def test_commands(rankcast: Command, postgresql) -> None:
    with postgresql.place() as url:
        Store.create(url).close()
        assert PASSWORD not in said(rankcast, url)
    for wrong in (":1/", ":none/", "0.0.0.0.0:5/"):
        broken = postgresql.url().replace(f":{postgresql.port}/", wrong)
        assert PASSWORD not in said(rankcast, broken), wrong
        with pytest.raises(StoreError) as caught:
            Store.open(broken)
        assert PASSWORD not in str(caught.value)


@pytest.mark.slow
def test_a_traceback_that_was_asked_for(process: Process) -> None:
    url = f"postgresql://rankcast:{PASSWORD}@127.0.0.1:1/postgres"
    done = process("status", environment={"RANKCAST_STORE": url, "RANKCAST_DEBUG": "1"})
    assert b"Traceback" in done.stderr
    assert PASSWORD.encode() not in done.stderr + done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_serve(postgresql, tmp_path: Path, options: list[str]) -> None:
    with postgresql.place() as url:
        environment = {**os.environ, "RANKCAST_STORE": url}
        command = [*ENTRY, "serve", "--port", "0", "--no-page", *options]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
        )
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        out, rest = process.communicate(timeout=60)
        assert "postgresql://rankcast:***@" in first
        assert PASSWORD not in first + out + rest
