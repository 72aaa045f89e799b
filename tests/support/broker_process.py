"""A broker as a process of its own: ``python broker_process.py '{"store": …}'``. It prints a line once it listens."""

import json
import sys

from rankcast.service import ServiceSettings, create_app
from rankcast.service.running import HttpServer, bound


def main() -> None:
    """Serve the store of the settings until the process is ended."""
    given = json.loads(sys.argv[1])
    settings = ServiceSettings(page=False, poll=0.05, **{**given, "strategies": tuple(given["strategies"])})
    listening = bound(settings)
    HttpServer(create_app(settings), ready=lambda: print("ready", flush=True)).serve_on(listening)


if __name__ == "__main__":
    main()
