"""Compiling kernels: once per machine, where there is a place to keep the result."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """The function, compiled when it is first called; later processes load what the first one compiled.

    Arithmetic is that of IEEE 754, nothing reordered or fused, so that a kernel gives the floats that Python gives.
    """
    try:
        return cast(Function, numba.njit(cache=True, error_model="numpy")(function))
    except RuntimeError:  # no folder to keep it in
        return cast(Function, numba.njit(error_model="numpy")(function))
