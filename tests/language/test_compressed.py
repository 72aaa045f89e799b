import gzip

import pytest
import zstandard

from rankcast.errors import EnvironmentProblem
from rankcast.language.compressed import opened

PACKED = {"gzip": gzip.compress, "zstandard": zstandard.ZstdCompressor().compress}
CONTENT = b"".join(b"line %d\n" % number for number in range(20_000))


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("name", ["events.bin", "events"])
def test_the_content_tells(tmp_path, kind, name):
    (tmp_path / name).write_bytes(PACKED[kind](CONTENT) + PACKED[kind](b"the end\n"))
    with opened(tmp_path / name) as file:
        assert file.readline() == b"line 0\n"
        assert file.read() == CONTENT.removeprefix(b"line 0\n") + b"the end\n"


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("left", [-1, -20, 30])
def test_a_file_that_was_cut_is_noticed(tmp_path, kind, left):
    (tmp_path / "e").write_bytes(PACKED[kind](CONTENT)[:left])
    with (
        pytest.raises(EnvironmentProblem, match="is not a whole compressed file"),
        opened(tmp_path / "e") as file,
    ):
        file.read()


@pytest.mark.parametrize("name", ["e.gz", "e.zst"])
def test_a_name_that_promises_too_much(tmp_path, name):
    (tmp_path / name).write_bytes(b"plain text")
    with pytest.raises(EnvironmentProblem, match="is not a whole compressed file"), opened(tmp_path / name) as file:
        file.read()


def test_plain_and_empty_files(tmp_path):
    for content in (b"", b"x", b"abc"):
        (tmp_path / "e").write_bytes(content)
        with opened(tmp_path / "e") as file:
            assert file.read() == content
