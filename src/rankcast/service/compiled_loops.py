"""The compiled loops of the array engine: compiled beside a service, and loaded before they are needed."""

import logging
from contextlib import suppress
from threading import Event as Flag
from threading import Thread

from rankcast.service.children import Child

_log = logging.getLogger("rankcast.service.pipeline")
_PATIENCE = 1800.0
"""Seconds that a child may take to compile."""
_NICENESS = 15


class CompiledLoops:
    """Gets the compiled loops ready, in a thread that starts when somebody first asks for them.

    On first use on a machine they have to be compiled, which takes minutes of processor time. A child process does
    that while other processes leave a processor idle, and the cache on disk has them from then on. To load them into
    this process takes a second or two.
    """

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._is_known = Flag()
        self._is_cold = False
        self._is_ready = Flag()

    def are_ready(self, patience: float = 0.0) -> bool:
        """Whether the loops are loaded. If they need not be compiled, waits for them for up to `patience` seconds."""
        if self._thread is None:
            self._thread = Thread(target=self._prepare, name="rankcast-loops", daemon=True)
            self._thread.start()
        if patience and self._is_known.wait(patience) and not self._is_cold:
            self._is_ready.wait(patience)
        return self._is_ready.is_set()

    def _prepare(self) -> None:
        from rankcast.engine.warming import are_compiled, warm_up

        try:
            is_compiled = are_compiled()
            self._is_cold = not is_compiled
            self._is_known.set()
            if self._is_cold:
                _log.warning("the loops over arrays are being compiled; the reference engine serves meanwhile")
            if is_compiled is False:
                with suppress(OSError):  # there is no child; compile here
                    Child(__name__, _NICENESS).end(_PATIENCE)
            warm_up()
        except Exception:  # arrays report what fails, and the reference engine serves then
            _log.exception("the loops over arrays could not be loaded in advance")
        self._is_known.set()
        self._is_ready.set()


def main() -> None:
    """Entry point of the child: compile what is not in the cache."""
    from rankcast.engine.warming import warm_up

    warm_up()
