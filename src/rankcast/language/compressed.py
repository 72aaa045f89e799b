"""Opening files that may be compressed with gzip or Zstandard, as their first bytes or their names tell."""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, BinaryIO, cast

from rankcast.errors import EnvironmentProblem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_STEP = 2048
"""How many compressed bytes are read at a time; what they can become bounds the memory (64 MiB)."""

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed.

    >>> is_compressed(gzip.compress(b"x")), is_compressed(b'{"id": "e1"}')
    (True, False)
    """
    return head.startswith((_GZIP, _ZSTANDARD))


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The content of a file, decompressed if need be. Raises `EnvironmentProblem` if it cannot be read."""
    from zstandard import ZstdError

    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            head = file.read(4) if file.seekable() else b""
            if head:
                file.seek(0)
            if head.startswith(_GZIP) or name.endswith(".gz"):
                yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
            elif head.startswith(_ZSTANDARD) or name.endswith(".zst"):
                yield BufferedReader(_ZstandardReader(file))
            else:
                yield file
    except FileNotFoundError:
        raise EnvironmentProblem(f"there is no file {name!r}") from None
    except IsADirectoryError:
        raise EnvironmentProblem(f"{name!r} is a directory; name a file in it") from None
    except PermissionError:
        raise EnvironmentProblem(f"no permission to read {name!r}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error, ZstdError) as error:
        raise EnvironmentProblem(f"{name!r} is not a whole compressed file: {error}") from None
    except (OSError, ValueError) as error:
        raise EnvironmentProblem(f"cannot read {name!r}: {error}") from None


class _ZstandardReader(RawIOBase):
    """The content of all frames of a Zstandard file. Unlike the library's own reader, it notices a file that was cut."""

    def __init__(self, file: BinaryIO) -> None:
        from zstandard import ZstdDecompressor

        self._file = file
        self._decompressor = ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._content = b""
        self._is_within = False

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fill the buffer, at least in part; 0 at the end."""
        view = memoryview(buffer).cast("B")
        while not self._content:
            packed = self._frame.unused_data or self._file.read(_STEP)
            if self._frame.eof:
                self._frame = self._decompressor.decompressobj()
                self._is_within = False
            if not packed:
                if self._is_within:
                    raise EOFError("it ends in the middle")
                return 0
            self._is_within = True
            self._content = self._frame.decompress(packed)
            if self._frame.eof:
                self._is_within = False
        size = min(len(view), len(self._content))
        view[:size] = self._content[:size]
        self._content = self._content[size:]
        return size
