"""Children that end with their parent, and a service that ends although something still runs."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import until

from rankcast.service.children import Child

pytestmark = pytest.mark.slow

MODULE = """
import ctypes, sys, time, threading

def main():
    threading.Thread(target=time.sleep, args=[60]).start()  # not a daemon: it would keep an ordinary process alive
    for line in sys.stdin.buffer:
        if line == b"fail\\n":
            raise ValueError("as asked")
        if line == b"hang\\n":
            print("hangs", flush=True)
            time.sleep(60)
        if line == b"stick\\n":
            print("sticks", flush=True)
            ctypes.PyDLL(None).sleep(60)  # no other Python thread runs meanwhile
        print(line.decode().strip().upper(), flush=True)
"""


def alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists() and "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1]


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Child]:
    (tmp_path / "shouting.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    made = Child("shouting")
    yield made
    made.kill()
    made.end(5)


def test_a_child_answers_ignores_signals_and_ends_with_its_input_whatever_its_threads_do(child: Child) -> None:
    child.send(b"hello\n")
    assert child.output.readline() == b"HELLO\n"
    os.kill(child.pid, signal.SIGTERM)
    child.send(b"again\n")
    assert child.output.readline() == b"AGAIN\n"
    assert child.is_alive
    assert child.end(5) == 0
    assert not child.is_alive
    assert child.end(5) == 0  # once more changes nothing


def test_one_that_does_not_end_is_killed(child: Child) -> None:
    child.send(b"hang\n")
    assert child.output.readline() == b"hangs\n"
    begun = time.monotonic()
    assert child.end(0.2) == -signal.SIGKILL
    assert time.monotonic() - begun < 3


def test_one_that_fails_has_a_status_that_says_so(child: Child) -> None:
    child.send(b"fail\n")
    assert child.output.readline() == b""
    assert child.end(5) == 70


@pytest.mark.parametrize("with_prctl", [True, False])
def test_one_whose_parent_is_killed_ends(tmp_path: Path, with_prctl: bool) -> None:
    """Even while no Python thread of it runs; on systems that cannot kill it, by the pipe that it watches."""
    (tmp_path / "shouting.py").write_text(MODULE)
    cannot = (
        ""
        if with_prctl
        else "children._COMMAND = 'import rankcast.service.children as made; made._SET_PARENT_DEATH_SIGNAL = -1; ' + children._COMMAND\n"
    )
    program = (
        "import time\nfrom rankcast.service import children\n"
        + cannot
        + f"made = children.Child('shouting'); made.send(b'{'stick' if with_prctl else 'hang'}\\n'); made.output.readline()\n"
        "print(made.pid, flush=True); time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: not alive(pid), 5)


def test_a_request_that_never_ends_does_not_keep_the_service_from_ending(tmp_path: Path) -> None:
    program = (
        "import time\n"
        "from dataclasses import replace\n"
        "from rankcast.service import ServiceSettings, create_app\n"
        "from rankcast.service.running import HttpServer, bound\n"
        f"settings = ServiceSettings({str(tmp_path / 'store.db')!r}, port=0, dev=True, page=False)\n"
        "made = bound(settings)\n"
        "app = create_app(replace(settings, port=made.getsockname()[1]))\n"
        "@app.get('/slow')\n"
        "def slow():\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(60)\n"
        "server = HttpServer(app, lambda: print(made.getsockname()[1], flush=True), patience=1.0)\n"
        "server.serve_on(made)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(server.stdout.readline())
    asking = subprocess.Popen(
        [sys.executable, "-c", f"import urllib.request as u; u.urlopen('http://127.0.0.1:{port}/slow')"],
        stderr=subprocess.DEVNULL,
    )
    try:
        assert server.stdout.readline() == "begun\n"
        server.terminate()
        assert server.wait(10) == 0
    finally:
        server.kill()
        asking.kill()
        asking.wait()
        server.stdout.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_running_trial_ends_with_its_service(tmp_path: Path, how: signal.Signals) -> None:
    program = (
        "from dataclasses import replace\n"
        "from rankcast.language import parse\n"
        "from rankcast.model import EPOCH, Event, Subscription\n"
        "from rankcast.service import Limits, ServiceSettings, create_app\n"
        "from rankcast.service.running import HttpServer, bound\n"
        "limits = Limits(policy_cost=1e12, trial_seconds=600)\n"
        f"settings = ServiceSettings({str(tmp_path / 'store.db')!r}, port=0, dev=True, page=False, pipeline=False)\n"
        "made = bound(settings)\n"
        "app = create_app(replace(settings, port=made.getsockname()[1], limits=limits))\n"
        "app.state.service.publish([Event(f'e{n}', EPOCH, {'x': (n,)}) for n in range(2_000)])\n"
        "app.state.service.put(Subscription('s', 'ann', parse('x >= 0')))\n"
        "HttpServer(app, lambda: print(made.getsockname()[1], flush=True), patience=5.0).serve_on(made)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(server.stdout.readline())
    policy = {"mode": "sliding", "k": 25, "length": 3_000, "select": "exact", "sigma": 0.5}
    ask = f"import httpx; httpx.post('http://127.0.0.1:{port}/v1/users/ann/trials/policy', json={{'policy': {policy}}}, timeout=600)"
    asking = subprocess.Popen([sys.executable, "-c", ask], stderr=subprocess.DEVNULL)

    def trials() -> list[int]:
        threads = Path(f"/proc/{server.pid}/task").iterdir()
        return [int(pid) for one in threads for pid in (one / "children").read_text().split()]

    def spent(process: int) -> float:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    try:
        until(lambda: any(spent(one) > 2 for one in trials()), 120)  # it has started, and works
        running = trials()
        server.send_signal(how)
        assert server.wait(20) in (0, -how)
        until(lambda: not any(map(alive, running)), 5)
    finally:
        for process in (server, asking):
            process.kill()
            process.wait()
        server.stdout.close()
