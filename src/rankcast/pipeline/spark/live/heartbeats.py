"""Requests to a process that says every few seconds that it works, so that one that hangs is noticed and ended."""

import os
import select
import signal
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread

_BEAT = b""
_EVERY = 5.0
_SILENCE = 60.0
"""A process that says nothing for so many seconds hangs."""
_LONGEST = 3_600.0
"""The most seconds for a request. To write the index file of a very large catalog takes minutes."""


class Heartbeats:
    """Says on each connection whose request is being worked on, every few seconds, that the process works.

    One thread serves all connections, because a thread for each request would take longer than a small request.
    """

    def __init__(self, every: float = _EVERY) -> None:
        self._every = every
        self._busy: set[Connection] = set()
        self._lock = Lock()
        Thread(target=self._beat, daemon=True).start()

    @contextmanager
    def on(self, connection: Connection) -> Iterator[None]:
        """While this lasts, say that the process works. Afterwards the connection is free for the answer."""
        with self._lock:
            self._busy.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._busy.discard(connection)

    def _beat(self) -> None:
        while True:
            time.sleep(self._every)
            with self._lock:
                for connection in self._busy:
                    with suppress(OSError):  # the other end has gone, which the answer will notice
                        connection.send_bytes(_BEAT)


def exchange(connection: Connection, message: bytes, silence: float = _SILENCE, longest: float = _LONGEST) -> bytes:
    """Send a request, and wait for the answer.

    If the process is silent, or works for too long, it is ended, and TimeoutError is raised.
    """
    connection.send_bytes(message)
    deadline = time.monotonic() + longest
    while time.monotonic() < deadline and connection.poll(silence):
        answer = connection.recv_bytes()
        if answer != _BEAT:
            return answer
    pid = process_of(connection)
    with suppress(OSError):  # it has ended
        handle = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([handle], [], [], silence)  # until it is gone, and its socket with it
        os.close(handle)
    raise TimeoutError(f"process {pid} of the pipeline did not answer, and was ended")


def process_of(connection: Connection) -> int:
    """The id of the process that listens at the other end of a connection."""
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        credentials = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[0])
