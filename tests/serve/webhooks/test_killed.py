"""A sender that is killed in the middle, again and again, loses nothing."""

import subprocess
import sys
import threading

import pytest

SENDER = """
import sys, time
from types import SimpleNamespace
from rankcast.serve.webhooks import Webhooks
from rankcast.store import Store

service = SimpleNamespace(store=Store.open(sys.argv[1]), settings=SimpleNamespace(private_webhooks=True))
Webhooks(service, poll=0.02).start()
time.sleep(60)
"""


@pytest.mark.slow
def test_every_delivery_arrives_and_what_comes_twice_has_the_same_id(store, webhooks, receiver, publish, run, tmp_path):
    webhooks.endpoints.add("ann", receiver.url)
    publish(100)
    for reached in (15, 40):
        sender = subprocess.Popen([sys.executable, "-c", SENDER, str(tmp_path / "store.db")])
        try:
            _wait_for(receiver, reached)
        finally:
            sender.kill()
            sender.wait()
        with store.database.writing() as connection:  # as if the lease of the one who is dead had ended
            connection.exec_driver_sql("UPDATE leases SET until_at = 0")
    run()
    first_seen = list(dict.fromkeys(receiver.events))
    assert first_seen == [f"e{number}" for number in range(1, 101)]
    assert len({(request.id, request.data["event"]) for request in receiver.requests}) == 100
    assert len(receiver.requests) <= 140  # at most those of one turn, each time


def _wait_for(receiver, number: int) -> None:
    waiting = threading.Event()
    for _ in range(2500):
        if len(receiver.requests) >= number:
            return
        waiting.wait(0.02)
    raise AssertionError(f"{len(receiver.requests)} requests only")
