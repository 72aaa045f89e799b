"""`rankcast serve` on a store of the release before, with policies that broke that release: everybody is served."""

import sys
from pathlib import Path
from subprocess import PIPE, Popen

import before
import httpx
import pytest
from waiting import until

from rankcast.store import Store
from rankcast.store.upgrading import upgrade_store

pytestmark = pytest.mark.slow

COMMAND = [
    sys.executable,
    "-c",
    "from rankcast.cli.main import main; main()",
    "serve",
    "--port",
    "0",
    "--no-page",
    "--dev",
]


def test_weights_that_overflow_stop_nobody(tmp_path: Path) -> None:
    place = before.put_file("oracle.db", tmp_path)
    upgrade_store(place, is_backed_up=True)
    with Popen([*COMMAND, "--store", str(place)], stderr=PIPE, text=True) as process, Store.open(place) as store:
        try:
            assert process.stderr is not None
            address = process.stderr.readline().split("served at ")[1].split(" ")[0]
            event = {"id": "new", "time": "2026-01-02T00:00:00Z", "attributes": {"x": 3, "y": 1}}
            assert httpx.post(f"{address}/v1/events", json=event).status_code == 201
            until(lambda: store.progress().offset == store.last_offset() == 151)
            served = {one.user for _, one in store.deliveries() if one.seq > 100}
            assert len(served) > 10
            assert set(before.REFUSED) <= served, "by the default policy, because theirs cannot be read"
            assert {one.key for one in store.unreadable()} == set(before.REFUSED)
            policy = httpx.get(f"{address}/v1/users/overflow/policy")
            assert policy.status_code < 500
        finally:
            process.kill()
