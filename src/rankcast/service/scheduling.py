"""How soon the operating system lets a process run: the service and its pipeline first, trials last."""

import ctypes
import os
import platform
import struct

__all__ = ["run_promptly", "yielding_program"]

_SLICE = 200_000
"""Nanoseconds. Linux runs the process first whose slice ends first, and takes 3 ms for a process that asks for none."""
_SCHED_ATTR = struct.Struct("=IIQiIQQQ")
"""`struct sched_attr`: size, policy, flags, niceness, priority, runtime, deadline and period. For a process of the usual
policy, the runtime is its slice."""
_SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274}
"""The number of the system call `sched_setattr`, for which Python has no function."""


def run_promptly() -> None:
    """Let this thread run soon after it wakes up, and all threads and processes that it starts afterwards.

    A delivery wakes some ten threads in turn. While other programs keep all processors busy, each of them would wait
    for the end of a slice. The share of the processors stays the same. Needs no right, but Linux 6.12; earlier kernels
    and other systems schedule as before.
    """
    number = _SET_ATTRIBUTES.get(platform.machine())
    if platform.system() == "Linux" and number is not None:
        attributes = _SCHED_ATTR.pack(_SCHED_ATTR.size, os.SCHED_OTHER, 0, os.nice(0), 0, _SLICE, 0, 0)
        ctypes.CDLL(None).syscall(number, 0, ctypes.create_string_buffer(attributes), 0)


def yielding_program(niceness: int) -> str:
    """What a process that yields to others does before it imports anything: that alone takes a second.

    Linux stops a process that may only run when the processor is idle as soon as another one wakes up. A process of
    low priority would finish its slice of some milliseconds first.
    """
    return f"""\
import os
os.nice({niceness})
try:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
except (AttributeError, OSError):
    pass  # not Linux, or not allowed
"""
