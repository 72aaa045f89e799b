"""Compiling of loops over arrays with numba, cached on disk so that each machine compiles once.

This module imports numba. Import it only when a kernel is about to run.
"""

import fcntl
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature
from numba.core.types import unliteral

_Kernel: TypeAlias = Any  # numba has no types for what it compiles


def kernel(function: Callable[..., object]) -> _Kernel:
    """The function, compiled on its first call. Other processes wait for the first one and load its result.

    Arithmetic follows IEEE 754 without reordering or fusing, so a kernel gives the same floats as Python. The
    compiled code stays valid until a file changes in the folder of the function or of a kernel that it calls.
    Constants that kernels share must therefore lie in one of these folders.
    """
    try:
        compiled: _Kernel = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # there is no folder for the cache
        return numba.njit(error_model="numpy", nogil=True)(function)
    # numba compares this stamp with the cached one. Its own stamp covers only the function's file.
    with suppress(OSError):  # there are no files, as in an archive: rely on numba's own stamp
        compiled._cache._cache_file._source_stamp = _stamp(function)
    compiled.compile = _alone(compiled)
    return compiled


def kernel_part(function: Callable[..., object]) -> _Kernel:
    """The function as a part of each kernel that calls it.

    It is compiled with its caller, and thus for constants that the caller passes. Only kernels call it.
    """
    return numba.njit(error_model="numpy", nogil=True, forceinline=True)(function)


def is_compiled(compiled: _Kernel) -> bool | None:
    """Whether a kernel is in the cache, so that its first call only loads it; None if there is no cache."""
    try:
        return bool(compiled._cache._cache_file._load_index())
    except (AttributeError, OSError):  # there is no folder for it
        return None


def _alone(compiled: _Kernel) -> Callable[[object], _Kernel]:
    """Load or compile a kernel in one process at a time, because numba does not lock the index of its cache."""
    compile_now, place = compiled.compile, f"{compiled._cache._cache_file._index_path}.lock"

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock, ExitStack() as held:  # threads first, to avoid a deadlock
            if not compiled.is_compiling:  # already compiling if a kernel calls itself
                with suppress(OSError):  # without file locks, each process compiles for itself
                    fcntl.flock(held.enter_context(open(place, "w")), fcntl.LOCK_EX)
            return compile_now(_without_constants(signature))

    return compile_alone


def _without_constants(signature: Any) -> tuple[Any, ...]:
    """The types of the arguments, a constant as any other number: numba would compile a kernel again for each constant."""
    kinds, _ = normalize_signature(signature)
    return tuple(unliteral(kind) for kind in kinds)


def _stamp(function: Callable[..., Any]) -> str:
    """A digest of the source files of a kernel."""
    digest = blake2b(digest_size=16)
    for folder in sorted(_folders(function)):
        digest.update(_content(folder))
    return digest.hexdigest()


def _folders(function: Callable[..., Any]) -> set[Path]:
    """The folders of the function and, recursively, of the kernels that its module imports."""
    folders = {Path(function.__code__.co_filename).parent}
    for value in list(function.__globals__.values()):
        if isinstance(value, Dispatcher) and value.py_func.__globals__ is not function.__globals__:
            folders |= _folders(value.py_func)
    return folders


@cache
def _content(folder: Path) -> bytes:
    digest = blake2b(digest_size=16)
    for file in sorted(folder.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.digest()
