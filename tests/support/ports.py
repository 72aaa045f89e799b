"""Ports for servers that tests start."""

import os
import socket

_FIRST, _LAST = 10_000, 32_000
"""Below the ports that systems hand out to connections, so none takes one between asking and listening."""

_given = _FIRST + os.getpid() * 101 % (_LAST - _FIRST)


def free_port() -> int:
    """A port that nobody listens on. No port is given twice in a process; processes begin at different ones."""
    global _given
    while True:
        _given = _given + 1 if _given < _LAST else _FIRST
        try:
            with socket.create_server(("127.0.0.1", _given)):
                return _given
        except OSError:
            continue
