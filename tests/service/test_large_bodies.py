"""While a publisher sends all that the limits allow, everybody else is answered and memory stays bounded."""

import json
import re
import time
from http.client import HTTPConnection
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable
from threading import Thread

import pytest

SECONDS = 4.0


@pytest.mark.slow
def test_bodies_at_the_limit_silence_nobody(tmp_path: Path) -> None:
    command = "from rankcast.cli.main import main; main()"
    options = ["--dev", "--no-page", "--port", "0", "--json", "--store", str(tmp_path / "store.db")]
    attributes = {f"numbers{n}": list(range(10_000 * n, 10_000 * n + 8_000)) for n in range(4)}
    events = [{"attributes": attributes} for _ in range(32)]
    body = json.dumps(events).encode()
    assert 6_000_000 < len(body) < 8 * 1024 * 1024
    end = time.monotonic() + SECONDS
    done: list[int] = []

    with Popen([executable, "-c", command, "serve", *options], stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            host = json.loads(server.stdout.readline())["address"].removeprefix("http://")
            end = time.monotonic() + SECONDS

            def publish() -> None:
                connection = HTTPConnection(host, timeout=30)
                while time.monotonic() < end:
                    try:
                        connection.request("POST", "/v1/events", body, {"Content-Type": "application/json"})
                        answer = connection.getresponse()
                        answer.read()
                        done.append(answer.status)
                    except OSError:  # refused before all of it was sent
                        connection.close()
                        time.sleep(0.2)

            publishers = [Thread(target=publish) for _ in range(6)]
            for publisher in publishers:
                publisher.start()
            waits = []
            health = HTTPConnection(host, timeout=30)
            while time.monotonic() < end:
                begun = time.perf_counter()
                health.request("GET", "/v1/health/live")
                assert health.getresponse().read()
                waits.append(time.perf_counter() - begun)
                time.sleep(0.02)
            status = Path(f"/proc/{server.pid}/status").read_text()
            for publisher in publishers:
                publisher.join()
        finally:
            server.terminate()
    waits.sort()
    assert 200 in done
    assert waits[len(waits) * 9 // 10] < 0.1, waits[-20:]
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak is not None
    assert int(peak[1]) < 400_000
