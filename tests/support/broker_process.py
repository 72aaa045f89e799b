"""Makes brokers as processes: reads settings from its input, one JSON object per line, and prints the id of a new process.

It imports once and then forks, so that a broker starts at once. The end of the input ends it and its brokers.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from rankcast.service import ServiceSettings, create_app
from rankcast.service.running import HttpServer, bound

_DEATH_SIGNAL = 1


def main() -> None:
    """Make brokers until the input ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that ended ones go at once
    for line in sys.stdin:
        made = os.fork()
        if not made:
            _serve(json.loads(line))
        print(made, flush=True)


def _serve(given: dict[str, Any]) -> None:
    """Serve the store of the settings until the process is ended. The file `ready` exists once it listens."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_DEATH_SIGNAL, signal.SIGKILL)
    os.dup2(os.open(given.pop("log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    ready, network = Path(given.pop("ready")), given.pop("network")
    if network is not None and library.setns(os.open(network, os.O_RDONLY), 0):
        raise OSError(ctypes.get_errno(), f"cannot enter {network}")
    settings = ServiceSettings(page=False, poll=0.05, **{**given, "strategies": tuple(given["strategies"])})
    listening = bound(settings)
    HttpServer(create_app(settings), ready=ready.touch).serve_on(listening)
    os._exit(0)


if __name__ == "__main__":
    main()
