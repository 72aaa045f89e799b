"""Deliveries to files: nothing is overwritten, skipped or repeated, whatever the micro-batches."""

import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rankcast.errors import ModelError, StoreError
from rankcast.pipeline.spark import file_sinks
from rankcast.pipeline.spark.file_sinks import JsonLines, ParquetFiles
from rankcast.pipeline.spark.live.frames import DELIVERY
from rankcast.pipeline.spark.live.reports import ShardReport
from rankcast.pipeline.spark.sinks import MicroBatchResult, lines_of, sink_of

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def table(*numbers):
    rows = [
        {"user": "u", "event": f"e{number}", "seq": number, "rank": 0.5, "subscriptions": ["s"]}
        | {"published": NOON, "forwarded": NOON, "window": number}
        for number in numbers
    ]
    return pa.Table.from_pylist(rows, DELIVERY)


def made(batch, *numbers, pipeline="p1", after=None, up_to=None, store=1):
    after, up_to = min(numbers) - 1 if after is None else after, max(numbers) if up_to is None else up_to
    report = ShardReport(pipeline, 0, None, None, 1, 1, 1, 0, [], 0, 0, 0.1, 10, after, up_to)
    return MicroBatchResult(batch, table(*numbers), [report], store)


def seqs(folder):
    if list(folder.glob("*.parquet")):
        return sorted(pq.read_table(folder)["seq"].to_pylist())
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return sorted(json.loads(line)["seq"] for line in lines)


@pytest.fixture(params=[JsonLines, ParquetFiles])
def sink(request, tmp_path):
    restart()
    return request.param(str(tmp_path))


def restart():
    file_sinks._progress.clear()


def test_the_same_batch_number_of_another_pipeline_overwrites_nothing(sink, tmp_path):
    sink(made(0, 1, 2))
    sink(made(0, 3, 4, pipeline="p2"))  # after repartitioning
    assert seqs(tmp_path) == [1, 2, 3, 4]


def test_batches_run_again_or_cut_anew_are_neither_skipped_nor_repeated(sink, tmp_path):
    for number in range(1, 7):
        sink(made(number, number))
    sink(made(7, 90, after=6, up_to=6))  # a period that ended by the clock
    sink(made(7, 90, after=6, up_to=6))
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    restart()  # the checkpoint is put back to position 2, and batch 3 is larger than before
    sink(made(3, 3, 4, 5))
    sink(made(4, 6))
    restart()
    sink(made(5, 90, after=6, up_to=6))
    sink(made(6, 91, after=6, up_to=6))
    sink(made(7, 7, 8))
    sink(made(8, 9))
    assert seqs(tmp_path) == [*range(1, 10), 90, 91]
    assert all(file.read_bytes() == content for file, content in before.items())
    assert not list(tmp_path.glob(".*.part"))


def test_files_that_the_version_before_wrote_are_not_repeated(sink, tmp_path):
    for batch, numbers in enumerate([(1, 2), (3, 4)]):
        if isinstance(sink, JsonLines):
            lines = "".join(f"{line}\n" for line in lines_of(table(*numbers)))
            (tmp_path / f"{batch:08d}.jsonl").write_text(lines)
        else:
            pq.write_table(table(*numbers), tmp_path / f"{batch:08d}.parquet")
    sink(made(1, 3, 4))
    sink(made(2, 5))
    assert seqs(tmp_path) == [1, 2, 3, 4, 5]


def test_what_is_foreign_is_refused(sink, tmp_path):
    sink(made(0, 1))
    restart()
    with pytest.raises(StoreError, match=r"has the deliveries of another store; choose another folder"):
        sink(made(0, 2, pipeline="p2", store=2))
    (tmp_path / "notes.txt").write_text("mine")
    restart()
    with pytest.raises(StoreError, match=r"has 'notes.txt', which no pipeline of Rankcast wrote"):
        sink(made(1, 2))
    (tmp_path / "notes.txt").unlink()
    assert seqs(tmp_path) == [1]


@pytest.mark.parametrize("name", ["parquet:s3a://bucket/sent", "jsonl:hdfs:/sent", "parquet:S3://bucket"])
def test_a_url_is_never_a_local_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"writes to a folder of this machine, not to '.*'; .* let Spark write"):
        sink_of(name)
    assert not list(tmp_path.iterdir())


def test_a_url_of_a_file_is_its_path(tmp_path):
    restart()
    sink_of(f"jsonl:file://{tmp_path}/sent")(made(0, 1))
    assert seqs(tmp_path / "sent") == [1]
