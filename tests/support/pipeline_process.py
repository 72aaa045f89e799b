"""A live pipeline as processes of their own: a driver that can be killed, and executors that can."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 900.0

DRIVER = """
import os, sys
from pyspark.sql import SparkSession
from rankcast.pipeline.spark import local_session, serve_store
from rankcast.pipeline.spark.failures import wait_for
from rankcast.pipeline.spark.home import fast_home, starting_at

os.environ["PYSPARK_PYTHON"] = sys.executable
master, store, checkpoint, shards, follow = sys.argv[1:]
if master.startswith("connect "):
    with starting_at(fast_home()):
        spark = SparkSession.builder.remote(master.removeprefix("connect ")).getOrCreate()
else:
    spark = local_session(memory="1g", settings={"spark.master": master, "spark.executor.memory": "512m"})
trigger = "100 milliseconds" if follow == "follow" else None
query = serve_store(spark, store, checkpoint, shards=int(shards), trigger=trigger, close=trigger is None)
wait_for(query, None, checkpoint)
print("served", type(spark).__module__, flush=True)
os._exit(0)  # whatever belongs to it is ended from outside
"""


class PipelineProcess:
    """A driver with all that it starts, in a group of processes of its own."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.log = folder / "pipeline.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, start_new_session=True
            )

    @classmethod
    def driver(cls, folder: Path, master: str, store: str, shards: int = 2, follow: bool = True) -> "PipelineProcess":
        """A driver for a store; its checkpoint is in the folder."""
        arguments = [master, store, str(folder / "checkpoint"), str(shards), "follow" if follow else "once"]
        return cls(folder, [sys.executable, "-c", DRIVER, *arguments])

    def __enter__(self) -> "PipelineProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End everything at once, without a warning."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def executors(self) -> list[int]:
        """The processes of Spark's executors, on a cluster of this machine."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and self._group(int(entry.name)) == self.process.pid:
                try:
                    command = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                if b"CoarseGrainedExecutorBackend" in command and b"java" in command.split(b"\0")[0]:
                    found.append(int(entry.name))
        return sorted(found)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for something that the pipeline does; say what it wrote if it never does."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            said = f"{what} did not happen; the pipeline wrote\n{self.log.read_text(errors='replace')[-5000:]}"
            assert self.process.poll() is None, f"the pipeline ended; {said}"
            assert time.monotonic() < deadline, said
            time.sleep(0.05)

    def finish(self, unless: str | None = None) -> str:
        """Wait until it has ended well; what it wrote. `unless` is an error that may be: then that is all."""
        code = self.process.wait(PATIENCE)
        said = self.log.read_text(errors="replace")
        if code and unless is not None and unless in said:
            return unless
        assert code == 0, said[-5000:]
        return said

    @staticmethod
    def _group(pid: int) -> int | None:
        try:
            return os.getpgid(pid)
        except OSError:
            return None
