"""A disk that fills up while a pipeline serves: it says so and stops; with more room it goes on, and nothing shows."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rankcast.cli.main import app
from rankcast.store import Store

EVENTS = 60


@dataclass
class Disk:
    """A small file system of its own, in memory."""

    path: Path

    def leave(self, size: int) -> None:
        """Give it so many bytes more than are used."""
        used = shutil.disk_usage(self.path).used
        subprocess.run(["mount", "-o", f"remount,size={used + size}", self.path], check=True)


@pytest.fixture
def disk(tmp_path) -> Iterator[Disk]:
    path = tmp_path / "disk"
    path.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", path], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    yield Disk(path)
    subprocess.run(["umount", "--lazy", path], check=True)


def serve(store: Path, checkpoint: Path) -> tuple[int, str]:
    """Serve all that is published, in this process; the exit code and what was said."""
    place = ["--store", str(store), "--checkpoint", str(checkpoint), "--shards", "2"]
    result = CliRunner().invoke(app, ["run", "--engine", "spark", *place, "--max-events-per-batch", "20", "--close"])
    return result.exit_code, result.stderr


def fill_and_make_room(world, disk: Disk, store: Path, checkpoint: Path, room: int, message: str) -> None:
    with Store.create(store) as log:
        log.change(put=list(world.records()))
        log.publish(world.events(EVENTS))
        disk.leave(room)
        code, said = serve(store, checkpoint)
        assert code == 3
        assert message in said
        assert "Traceback" not in said
        disk.leave(64_000_000)
        code, said = serve(store, checkpoint)
        assert code == 0, said
        assert log.progress().offset == EVENTS
        assert world.delivered(log) == world.expected(log)


def test_no_room_for_the_checkpoint(spark, world, disk, tmp_path):
    fill_and_make_room(world, disk, tmp_path / "store.db", disk.path / "checkpoint", 120_000, "no space is left where")


def test_no_room_for_the_store(spark, world, disk, tmp_path):
    fill_and_make_room(
        world, disk, disk.path / "store.db", tmp_path / "checkpoint", 100_000, "no space is left for the store"
    )
