"""Ctrl-C is noticed even if no call of the main thread is interrupted by it."""

import signal
import subprocess
import sys
import threading

import pytest

# Another thread takes the signal while the main thread reads: as if it had arrived just before the read.
PROBE = """
import os, signal, sys, threading
from rankcast.cli.main import notice_ctrl_c

if sys.argv[1] == "noticed":
    notice_ctrl_c()
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
print("ready", flush=True)
try:
    os.read(0, 1)
except KeyboardInterrupt:
    os._exit(7)
"""


@pytest.mark.parametrize(("how", "within", "code"), [("noticed", 30.0, 7), ("missed", 0.5, None)])
def test_a_read_that_never_returns_is_interrupted(how: str, within: float, code: int | None) -> None:
    command = [sys.executable, "-c", PROBE, how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        threading.Event().wait(0.1)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(within) == code
        except subprocess.TimeoutExpired:
            assert code is None
        finally:
            process.kill()
