"""Index files: one immutable compiled index, mapped into memory. A damaged file is refused.

::

    magic (16 bytes), version, length and checksum of the header (8 bytes each)
    header: JSON with the name, type, shape, place and checksum of each array; and `facts` of the owner, except arrays
    the arrays, each at a multiple of 64 bytes
"""

import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import NoReturn

import msgspec
import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.texts import PackedStrings
from rankcast.errors import StoreError
from rankcast.plain import Array, State

VERSION = 5
"""The version of the format. A file of another version is refused, and the index is built again."""

_MAGIC = b"rankcast index\r\n"
_FRONT = struct.Struct("<16sQQQ")
_ALIGNMENT = 64
_FACT = "fact "
"""What the names of the owner's arrays begin with."""


def write_index(compiled: CompiledIndex, path: Path, facts: Mapping[str, object] | None = None) -> None:
    """Write a compiled index atomically; `read_index` returns the `facts`, with arrays mapped into memory."""
    arrays = dict(_arrays(compiled))
    arrays |= {_FACT + name: fact for name, fact in (facts or {}).items() if isinstance(fact, np.ndarray)}
    plain = {name: fact for name, fact in (facts or {}).items() if not isinstance(fact, np.ndarray)}
    rows: State = {}
    place = 0
    for name, array in arrays.items():
        rows[name] = [array.dtype.str, list(array.shape), place, _checksum_of(array)]
        place += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = msgspec.json.encode({"arrays": rows, "size": place, "facts": plain})
    unfinished = path.with_name(path.name + ".unfinished")
    with unfinished.open("wb") as file:
        checksum = _checksum_of(np.frombuffer(header, np.uint8))
        file.write(_FRONT.pack(_MAGIC, VERSION, len(header), checksum))
        file.write(header)
        begin = _aligned(file.tell())
        for name, array in arrays.items():
            file.seek(begin + rows[name][2])
            array.tofile(file)
        file.truncate(begin + place)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def read_index(path: Path) -> tuple[CompiledIndex, State]:
    """Map an index into memory; returns the index and the owner's facts.

    Every byte is checked at memory speed: a gigabyte in the page cache takes about 0.2 s.
    """
    try:
        with path.open("rb") as file:
            # Nothing writes to it, but kernels are compiled anew for arrays that cannot be written.
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no index file") from None
    except ValueError:
        _refuse(path, "it is empty")
    if len(mapped) < _FRONT.size:
        _refuse(path, "it ends within the front matter")
    magic, version, length, checksum = _FRONT.unpack_from(mapped)
    if magic != _MAGIC:
        raise StoreError(f"{path} is not an index file")
    if version != VERSION:
        raise StoreError(
            f"{path}: format {version}, but this Rankcast writes and reads format {VERSION}; build it again"
        )
    header = mapped[_FRONT.size : _FRONT.size + length]
    if len(header) < length or _checksum_of(np.frombuffer(header, np.uint8)) != checksum:
        _refuse(path, "its header is damaged")
    contents = msgspec.json.decode(header)
    begin = _aligned(_FRONT.size + length)
    if len(mapped) != begin + contents["size"]:
        _refuse(path, f"it has {len(mapped):,} bytes where {begin + contents['size']:,} were written")
    columns: State = {}
    for name, (dtype, shape, place, wanted) in contents["arrays"].items():
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        array = np.frombuffer(mapped, np.uint8, size, begin + place).view(dtype).reshape(shape)
        if _checksum_of(array) != wanted:
            _refuse(path, f"the checksum of {name!r} is wrong")
        columns[name] = array
    facts = contents["facts"]
    facts |= {name.removeprefix(_FACT): columns.pop(name) for name in [*columns] if name.startswith(_FACT)}
    texts = {name.split(".")[0] for name in columns if "." in name}
    parts: State = {name: array for name, array in columns.items() if "." not in name}
    parts |= {name: PackedStrings(columns[f"{name}.data"], columns[f"{name}.ends"]) for name in texts}
    return CompiledIndex(**parts), facts


def _arrays(compiled: CompiledIndex) -> Iterator[tuple[str, Array]]:
    for field in fields(compiled):
        value = getattr(compiled, field.name)
        if isinstance(value, PackedStrings):
            yield f"{field.name}.data", np.ascontiguousarray(value.data)
            yield f"{field.name}.ends", np.ascontiguousarray(value.ends)
        else:
            yield field.name, np.ascontiguousarray(value)


def _refuse(path: Path, why: str) -> NoReturn:
    raise StoreError(f"{path} is damaged: {why}; remove it and build it again")


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


def _checksum_of(array: Array) -> int:
    data = array.reshape(-1).view(np.uint8)
    whole = len(data) // 8 * 8
    tail = np.zeros(8, np.uint8)
    tail[: len(data) - whole] = data[whole:]
    return int(_checksum(data[:whole].view(np.uint64), tail.view(np.uint64)[0], np.uint64(len(data))))


@kernel
def _checksum(words, tail, length):  # type: ignore[no-untyped-def]
    """Four interleaved chains of multiplications. Any change of one word changes its chain."""
    prime = np.uint64(0x9E3779B97F4A7C15)
    a, b, c, d = length, np.uint64(1), np.uint64(2), tail
    whole = len(words) // 4 * 4
    for i in range(0, whole, 4):
        a = (a ^ words[i]) * prime
        b = (b ^ words[i + 1]) * prime
        c = (c ^ words[i + 2]) * prime
        d = (d ^ words[i + 3]) * prime
    for i in range(whole, len(words)):
        a = (a ^ words[i]) * prime
    for other in (b, c, d):
        a = (a ^ (a >> np.uint64(31)) ^ other) * prime
    return (a ^ (a >> np.uint64(29))) >> np.uint64(1)
