"""Compiling loops over arrays, once per machine, where there is a place to keep the result.

This imports numba; import it where a kernel is about to run, not before.
"""

import fcntl
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

__all__ = ["kernel"]


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled when it is first called; other processes load what the first one compiled, and wait for it.

    Arithmetic is that of IEEE 754, nothing reordered or fused, so that a kernel gives the floats that Python gives. What was
    compiled is kept until a file beside the function's changes, or beside those of the kernels that it calls: so
    constants that kernels share lie beside one of them.
    """
    try:
        compiled: Any = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(error_model="numpy", nogil=True)(function)
    # numba compares the stamp with that of what it kept, and by itself looks at the function's own file alone.
    with suppress(OSError):  # no files, as in an archive: then numba's stamp has to do
        compiled._cache._cache_file._source_stamp = _stamp(function)
    compiled.compile = _alone(compiled)
    return compiled


def _alone(compiled: Any) -> Callable[[Any], Any]:
    """How a kernel is loaded or else compiled: by one process at a time, for numba keeps its index without a lock."""
    compile_now, place = compiled.compile, f"{compiled._cache._cache_file._index_path}.lock"

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock, ExitStack() as held:  # threads first, so that none waits for one that waits for it
            if not compiled.is_compiling:  # not again for a kernel that calls itself
                with suppress(OSError):  # no locks here: then each compiles for itself
                    fcntl.flock(held.enter_context(open(place, "w")), fcntl.LOCK_EX)
            return compile_now(signature)

    return compile_alone


def _stamp(function: Callable[..., Any]) -> str:
    """A digest of the sources that a kernel is made of."""
    digest = blake2b(digest_size=16)
    for folder in sorted(_folders(function)):
        digest.update(_content(folder))
    return digest.hexdigest()


def _folders(function: Callable[..., Any]) -> set[Path]:
    """The function's folder, and those of the kernels that its module imports, and so on."""
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
