"""Compiling kernels: once per machine, where there is a place to keep the result."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba

__all__ = ["kernel"]


def kernel(function: Callable[..., Any]) -> Any:
    """The function, compiled when it is first called; later processes load what the first one compiled.

    What was compiled is kept until a file of the index changes, for kernels take constants and kernels from each other's.
    """
    try:
        compiled: Any = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(error_model="numpy", nogil=True)(function)
    # numba compares the stamp with that of what it kept, and by itself looks at the function's own file alone.
    with suppress(OSError):  # no files, as in an archive: then numba's stamp has to do
        compiled._cache._cache_file._source_stamp = _stamp(Path(function.__code__.co_filename).parent)
    return compiled


@cache
def _stamp(folder: Path) -> str:
    """A digest of the sources beside a kernel."""
    digest = blake2b(digest_size=16)
    for file in sorted(folder.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
