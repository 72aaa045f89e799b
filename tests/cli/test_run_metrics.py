"""``rankcast run --metrics-port``: a real process, asked as Prometheus would."""

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any

from ports import free_port

from rankcast.store import Store

ENTRY = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]
EVENTS = [{"id": f"e{n}", "time": "2026-01-01", "attributes": {"genre": "drama"}} for n in range(3)]
PATIENCE = 60.0


def asked(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text: str = answer.read().decode()
        return text


def test_metrics_while_it_follows(store: Any, lines: Any) -> None:
    store("subscribe", "genre = 'drama'", "--user", "ann")
    store("publish", lines("events.jsonl", EVENTS))
    port = free_port()
    running = subprocess.Popen([*ENTRY, "run", "--follow", "--metrics-port", str(port)], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + PATIENCE
        with Store.open("rankcast.db") as opened:
            while opened.last_delivery() < 3:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        shown = ""
        while "rankcast_batch_seconds_count 1.0" not in shown:
            assert time.monotonic() < deadline, shown
            shown = asked(port)
        assert "rankcast_events_total 3.0" in shown
        assert "rankcast_matched_total 3.0" in shown
        assert "rankcast_delivered_total 3.0" in shown
        assert "rankcast_lag_events 0.0" in shown
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0
    assert f"metrics at http://127.0.0.1:{port}/metrics".encode() in said


def test_a_port_that_is_taken(store: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "choose another port" in store("run", "--metrics-port", port, code=3).stderr
