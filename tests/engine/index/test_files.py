from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.engine.index import IndexMatcher, files, read_index, write_index
from rankcast.errors import StoreError
from rankcast.language import parse
from rankcast.model import Subscription


@pytest.fixture(scope="module")
def compiled():
    texts = ["a = 1 and p contains 'x'", "a = 9007199254740993", "t > date '2020-01-01' or not (b = 2)", "true", "true"]
    return IndexMatcher([Subscription(f"s{i}", "u", parse(text)) for i, text in enumerate(texts)]).index.compiled


@pytest.fixture(scope="module")
def file(compiled, tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "index"
    write_index(compiled, path, {"generation": 3, "hashes": np.array([2**63 + 1, 5], np.uint64)})
    return path


def test_what_is_written_is_read(compiled, file):
    read, facts = read_index(file)
    hashes = facts.pop("hashes")
    assert (facts, hashes.dtype, hashes.tolist()) == ({"generation": 3}, np.uint64, [2**63 + 1, 5])
    for field in fields(compiled):
        old, new = getattr(compiled, field.name), getattr(read, field.name)
        if isinstance(old, np.ndarray):
            np.testing.assert_array_equal(old, new)
            assert old.dtype == new.dtype
        else:
            assert list(old) == list(new)
    assert [read.place_of(f"s{i}") for i in range(6)] == [0, 1, 2, 3, 4, None]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_changed_byte_is_noticed(file, tmp_path, data):
    content = bytearray(file.read_bytes())
    used = [i for i, byte in enumerate(content) if byte]  # padding is not looked at
    place = data.draw(st.sampled_from(used))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    damaged = tmp_path / "damaged"
    damaged.write_bytes(content)
    with pytest.raises(StoreError):
        read_index(damaged)


def test_any_shortened_file_is_refused(file, tmp_path):
    content = file.read_bytes()
    short = tmp_path / "short"
    for length in [*range(0, len(content), 97), len(content) - 1]:
        short.write_bytes(content[:length])
        with pytest.raises(StoreError, match="damaged"):
            read_index(short)


def test_other_files_and_versions_are_told_apart(file, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.write_bytes(b"something else entirely, long enough to be a front matter")
    with pytest.raises(StoreError, match="not an index file"):
        read_index(other)
    with pytest.raises(StoreError, match="no index file"):
        read_index(tmp_path / "nothing")
    monkeypatch.setattr(files, "VERSION", files.VERSION + 1)
    with pytest.raises(StoreError, match=f"format {files.VERSION - 1}, but this Rankcast"):
        read_index(file)
