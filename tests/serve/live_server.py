"""A service that really listens, on a port of this machine."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rankcast.serve import Settings, create_app
from rankcast.serve.running import Server, bound
from rankcast.serve.service import Service


@contextmanager
def listening(settings: Settings) -> Iterator[tuple[str, Service]]:
    """The address and the service."""
    socket = bound(settings)
    app = create_app(settings)
    server = Server(app)
    thread = threading.Thread(target=server.serve_on, args=[socket], daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}", app.state.service
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()
