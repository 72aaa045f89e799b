"""A sender that is killed in the middle loses nothing."""

import subprocess
import sys
import threading

import pytest

SENDER = """
import sys, time
from types import SimpleNamespace
from rankcast.service.push.webhooks import Webhooks
from rankcast.store import Store

service = SimpleNamespace(store=Store.open(sys.argv[1]), settings=SimpleNamespace(private_webhooks=True))
Webhooks(service, poll=0.02).start()
time.sleep(60)
"""


@pytest.mark.slow
def test_every_delivery_arrives_and_what_comes_twice_has_the_same_id(store, webhooks, receiver, publish, run, tmp_path):
    webhooks.endpoints.add("ann", receiver.url)
    publish(60)
    sender = subprocess.Popen([sys.executable, "-c", SENDER, str(tmp_path / "store.db")])
    try:
        _wait_for(receiver, 30)
    finally:
        sender.kill()
        sender.wait()
    run()
    assert list(dict.fromkeys(receiver.events)) == [f"e{number}" for number in range(1, 61)]
    assert len({(request.id, request.data["event"]) for request in receiver.requests}) == 60
    assert len(receiver.requests) <= 80  # at most those of one turn


def _wait_for(receiver, number: int) -> None:
    waiting = threading.Event()
    for _ in range(2500):
        if len(receiver.requests) >= number:
            return
        waiting.wait(0.02)
    raise AssertionError(f"{len(receiver.requests)} requests only")
