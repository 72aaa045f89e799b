"""The yardstick in C++ (`yardstick.cpp`), built with g++ and called in this process."""

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from workloads import Workload

SOURCE = Path(__file__).with_suffix(".cpp")
FLAGS = ["-O3", "-march=native", "-std=c++17", "-shared", "-fPIC"]
ABSENT, MOST = 255, 254


class Yardstick:
    """The yardstick over the conjunctions of a workload whose values are numbers below 255.

    With `most_pairs`, subscriptions have two access predicates, unless that makes more postings of one.
    """

    def __init__(self, workload: Workload, target: Path, most_pairs: int) -> None:
        assert workload.attribute.shape[2] == 1, "only conjunctions"
        assert int(workload.high.max(initial=0)) <= MOST, "a value has a byte"
        self._library = _library(target)
        size, k = workload.attribute.shape[:2]
        columns = [np.ascontiguousarray(part, np.uint8) for part in (workload.attribute, workload.low, workload.high)]
        self._attributes = len(workload.attributes)
        self._matcher = self._library.yardstick_build(
            size, k, self._attributes, *(part.ctypes.data for part in columns), most_pairs
        )
        assert self._matcher, "too many predicates"
        self.bytes = int(self._library.yardstick_bytes(self._matcher))

    def encoded(self, workload: Workload) -> NDArray[np.uint8]:
        """The events of a workload as the rows that the matcher takes."""
        return np.ascontiguousarray(np.where(workload.events < 0, ABSENT, workload.events), np.uint8)

    def match(self, events: NDArray[np.uint8], out: tuple[NDArray[np.int32], NDArray[np.uint32]]) -> tuple[int, int]:
        """Write the matches of encoded events; returns how many there are, and how many postings were checked."""
        checked = ctypes.c_int64()
        room = len(out[0])
        found = self._library.yardstick_match(
            self._matcher, events.ctypes.data, len(events), out[0].ctypes.data, out[1].ctypes.data, room,
            ctypes.byref(checked),
        )  # fmt: skip
        assert found >= 0, "the room is too small"
        return int(found), checked.value

    def close(self) -> None:
        """Free the memory."""
        self._library.yardstick_free(self._matcher)


def _library(target: Path) -> Any:
    target.mkdir(parents=True, exist_ok=True)
    built = target / "yardstick.so"
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        subprocess.run(["g++", *FLAGS, "-o", built, SOURCE], check=True)
    library = ctypes.CDLL(str(built))
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    library.yardstick_build.restype = pointer
    library.yardstick_build.argtypes = [number, ctypes.c_int, ctypes.c_int, pointer, pointer, pointer, ctypes.c_int]
    library.yardstick_match.restype = number
    library.yardstick_match.argtypes = [pointer, pointer, number, pointer, pointer, number, pointer]
    library.yardstick_bytes.restype, library.yardstick_bytes.argtypes = number, [pointer]
    library.yardstick_free.restype, library.yardstick_free.argtypes = None, [pointer]
    return library
