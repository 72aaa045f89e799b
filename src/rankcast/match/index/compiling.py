"""Compiling kernels: once per machine, where there is a place to keep the result."""

from collections.abc import Callable
from typing import Any

import numba

__all__ = ["kernel"]


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled when it is first called; later processes load what the first one compiled."""
    try:
        return numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(error_model="numpy", nogil=True)(function)
