"""Ctrl-C ends a command even if it arrives just before a call that blocks."""

import os
import signal
import threading
import time
from contextlib import suppress

_AGAIN = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
_WAKE = signal.SIGURG  # ignored by default, and used by nothing here


def notice_ctrl_c() -> None:
    """Wake the main thread after a signal, so that it looks for signals whatever it waits for.

    Python handles a signal in the main thread, between two instructions or when a system call is interrupted. It
    misses one that arrives after the last instruction and before the call begins, until the call returns: a read from
    a pipe may never do so. A thread hears of every signal at once and interrupts the main thread a few times.

    Call it in the main thread, before anything else uses `signal.set_wakeup_fd`.
    """
    signal.signal(_WAKE, lambda *_: None)
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_wake, args=(heard, threading.get_ident()), daemon=True).start()


def _wake(heard: int, main: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {_WAKE})
    while numbers := os.read(heard, 64):
        if signal.SIGINT in numbers:
            for pause in _AGAIN:
                time.sleep(pause)
                with suppress(ProcessLookupError):  # the main thread has ended
                    signal.pthread_kill(main, _WAKE)
