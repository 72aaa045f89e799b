"""A damaged or hostile file of events is refused, or read as far as it can be; it neither ends the process nor fills
the memory."""

import random
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from rankcast.errors import EnvironmentProblem
from rankcast.language import event_files
from rankcast.language.event_files import event_file

TABLE = pa.table(
    {
        "id": [f"e{number}" for number in range(50)],
        "a": [number / 3 for number in range(50)],
        "b": ["x" * (number % 7) for number in range(50)],
        "c": [[1, 2, 3]] * 50,
        "d": pa.array(["q", "r"] * 25).dictionary_encode(),
        "s": [{"p": 1, "q": "z"}] * 50,
    }
)


def arrow(is_stream: bool) -> bytes:
    sink = BytesIO()
    with (ipc.new_stream if is_stream else ipc.new_file)(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=20)
    return sink.getvalue()


def as_parquet() -> bytes:
    sink = BytesIO()
    parquet.write_table(TABLE, sink)
    return sink.getvalue()


READER = """
import sys
from rankcast.errors import EnvironmentProblem
from rankcast.language.event_files import event_file
for path in sys.argv[1:]:
    try:
        file = event_file(path)
        file.understood()
        list(file.lines())
    except EnvironmentProblem:
        pass
"""


MEASURER = """
import re, sys
from pathlib import Path
from rankcast.language.event_files import event_file
_, first = next(event_file(sys.argv[1]).lines())
print(len(first), re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""
"""Prints the peak of the process alone; that of `getrusage` would begin with the memory of the process that starts it."""


@pytest.mark.parametrize("content", [arrow(False), arrow(True), as_parquet()], ids=["file", "stream", "parquet"])
def test_damaged_bytes_are_refused_and_end_no_process(tmp_path: Path, content: bytes) -> None:
    rng = random.Random(15)
    paths = []
    for number in range(150):
        damaged = bytearray(content)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        paths.append(tmp_path / f"damaged{number}")
        paths[-1].write_bytes(damaged)
    done = subprocess.run([sys.executable, "-c", READER, *map(str, paths)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_value_that_is_stored_once_is_not_decoded_for_all_rows_at_once(tmp_path: Path) -> None:
    path = tmp_path / "repeated.parquet"
    places = pa.array([0] * 5_000, pa.int32())
    long = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 100_000]))
    parquet.write_table(pa.table({"text": long}), path, compression="zstd")
    assert path.stat().st_size < 100_000
    done = subprocess.run([sys.executable, "-c", MEASURER, path], capture_output=True, check=True)
    length, peak = map(int, done.stdout.split())
    assert length > 100_000
    assert peak < 400_000  # KiB; all rows take 500 MB in Arrow, and again in Python


def test_a_row_that_stands_for_any_number_of_values_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list.parquet"
    parquet.write_table(pa.table({"values": [[0] * 2_000]}), path)
    assert len(list(event_file(path).lines())) == 1
    monkeypatch.setattr(event_files, "_MOST_VALUES", 1_999)
    with pytest.raises(EnvironmentProblem, match=r"2,000 values of 'values.*write smaller row groups"):
        list(event_file(path).lines())


def test_a_time_that_python_does_not_know_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "late.parquet"
    parquet.write_table(pa.table({"time": pa.array([2**60], pa.timestamp("ms"))}), path)
    with pytest.raises(EnvironmentProblem, match="cannot be read as Parquet"):
        list(event_file(path).lines())
