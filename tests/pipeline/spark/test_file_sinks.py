"""Deliveries to files: nothing is overwritten, skipped or repeated, whatever the micro-batches."""

import json
import random
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from shard_parts import made, parts, send, table

from rankcast.errors import ModelError, StoreError
from rankcast.pipeline.spark import file_sinks
from rankcast.pipeline.spark.file_sinks import JsonLines, ParquetFiles
from rankcast.pipeline.spark.sinks import lines_of, sink_of


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
    send(sink, made(0, 1, 2))
    send(sink, made(0, 3, 4, pipeline="p2"))  # after repartitioning
    assert seqs(tmp_path) == [1, 2, 3, 4]


def test_batches_run_again_or_cut_anew_are_neither_skipped_nor_repeated(sink, tmp_path):
    for number in range(1, 7):
        send(sink, made(number, number))
    send(sink, made(7, 90, after=6, up_to=6))  # a period that ended by the clock
    send(sink, made(7, 90, after=6, up_to=6))
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    restart()  # the checkpoint is put back to position 2, and batch 3 is larger than before
    send(sink, made(3, 3, 4, 5))
    send(sink, made(4, 6))
    restart()
    send(sink, made(5, 90, after=6, up_to=6))
    send(sink, made(6, 91, after=6, up_to=6))
    send(sink, made(7, 7, 8))
    send(sink, made(8, 9))
    assert seqs(tmp_path) == [*range(1, 10), 90, 91]
    assert all(file.read_bytes() == content for file, content in before.items())
    assert not list(tmp_path.glob(".*.*"))


def test_files_that_the_version_before_wrote_are_not_repeated(sink, tmp_path):
    for batch, numbers in enumerate([(1, 2), (3, 4)]):
        if isinstance(sink, JsonLines):
            lines = "".join(f"{line}\n" for line in lines_of(table(*numbers)))
            (tmp_path / f"{batch:08d}.jsonl").write_text(lines)
        else:
            pq.write_table(table(*numbers), tmp_path / f"{batch:08d}.parquet")
    send(sink, made(1, 3, 4))
    send(sink, made(2, 5))
    assert seqs(tmp_path) == [1, 2, 3, 4, 5]


def test_what_is_foreign_is_refused(sink, tmp_path):
    send(sink, made(0, 1))
    restart()
    with pytest.raises(StoreError, match=r"has the deliveries of another store; choose another folder"):
        send(sink, made(0, 2, pipeline="p2", store=2))
    (tmp_path / "notes.txt").write_text("mine")
    restart()
    with pytest.raises(StoreError, match=r"has 'notes.txt', which no pipeline of Rankcast wrote"):
        send(sink, made(1, 2))
    (tmp_path / "notes.txt").unlink()
    assert seqs(tmp_path) == [1]


@pytest.mark.parametrize("name", ["parquet:s3a://bucket/sent", "jsonl:hdfs:/sent", "parquet:S3://bucket"])
def test_a_url_is_never_a_local_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"mounted on all machines, not to '.*'; .* table:parquet\?path="):
        sink_of(name)
    assert not list(tmp_path.iterdir())


def test_a_url_of_a_file_is_its_path(tmp_path):
    restart()
    send(sink_of(f"jsonl:file://{tmp_path}/sent"), made(0, 1))
    assert seqs(tmp_path / "sent") == [1]


def test_of_repeated_tasks_one_part_is_shown(sink, tmp_path):
    first, second = parts(made(0, 1, 2, 3))
    sink.write(first)  # its task is repeated, because the executor was lost
    receipts = [sink.write(first), sink.write(second)]
    whole = replace(made(0, 1, 2, 3), deliveries=table())
    sink.publish(whole, receipts)
    assert seqs(tmp_path) == [1, 2, 3]
    assert len(list(tmp_path.glob("[!._]*"))) == 2
    restart()
    send(sink, made(1, 4, 5))
    assert seqs(tmp_path) == [1, 2, 3, 4, 5]
    assert not list(tmp_path.glob(".*.*")), "what failed tasks left is removed at the next start"


def test_a_batch_of_which_some_files_were_shown_is_completed(sink, tmp_path, monkeypatch):
    receipts = [sink.write(part) for part in parts(made(0, 1, 2, 3))]
    names = iter([file_sinks._Folder._free_name])
    free_name = file_sinks._Folder._free_name

    def die_at_the_second(self, of):
        next(names)
        return free_name(self, of)

    with monkeypatch.context() as dying:
        dying.setattr(file_sinks._Folder, "_free_name", die_at_the_second)
        with pytest.raises(StopIteration):
            sink.publish(replace(made(0, 1, 2, 3), deliveries=table()), receipts)
    assert 0 < len(seqs(tmp_path)) < 3
    restart()
    send(sink, made(0, 1, 2, 3))
    assert seqs(tmp_path) == [1, 2, 3]


def test_a_folder_that_the_driver_does_not_share_is_refused(sink, tmp_path):
    receipts = [sink.write(part) for part in parts(made(0, 1, 2))]
    for file in tmp_path.iterdir():
        file.unlink()
    with pytest.raises(StoreError, match="the driver does not find it there; choose a folder that all machines share"):
        sink.publish(made(0, 1, 2), receipts)


def test_in_a_foreign_folder_nothing_is_left(sink, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="which no pipeline of Rankcast wrote"):
        send(sink, made(0, 1, 2))
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_damaged_file_is_refused_with_advice(sink, tmp_path):
    """Whatever is in it, and whatever is in the file that names the store."""
    chance = random.Random(15)
    send(sink, made(0, 1, 2), shards=1)
    (sent,) = (path for path in tmp_path.iterdir() if not path.name.startswith(("_", ".")))
    whole, mark = sent.read_bytes(), tmp_path / "_rankcast.json"
    given = [b"5", b"[]", b"null", b"[" * 100_000, b'{"user":' * 50_000, b'{"seq":' + b"9" * 5_000 + b"}", b"\xff"]
    for _ in range(50):
        content = bytearray(whole)
        for _ in range(3):
            content[chance.randrange(len(content))] = chance.randrange(256)
        given.append(bytes(content))
    said = list[str]()
    for content in given:
        for path in (sent, mark):
            before = path.read_bytes()
            path.write_bytes(content)
            restart()
            try:
                send(sink, made(1, 1, 2))
            except StoreError as error:
                said.append(str(error))
            path.write_bytes(before)
            for other in tmp_path.iterdir():
                if other not in (sent, mark):
                    other.unlink()
    assert len(said) > 60
    assert all("; " in one for one in said), "each says what to do"
