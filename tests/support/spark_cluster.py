"""A standalone Spark cluster in network namespaces: a master and two workers that share nothing but a network.

Workers can be added, killed, and cut off.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import pyspark

HOME = Path(pyspark.__file__).parent
MASTER = "spark://10.77.0.1:7077"
_PATIENCE = 300.0
_FORWARD = """
import asyncio, sys

async def copy(reader, writer):
    try:
        while chunk := await reader.read(65_536):
            writer.write(chunk)
            await writer.drain()
    finally:
        writer.close()

async def connect(*client):
    server = await asyncio.open_unix_connection(sys.argv[1])
    await asyncio.gather(copy(client[0], server[1]), copy(server[0], client[1]), return_exceptions=True)

async def main():
    server = await asyncio.start_server(connect, "10.77.0.1", int(sys.argv[2]))
    print("listening", flush=True)
    await server.serve_forever()

asyncio.run(main())
"""
"""Passes connections to a port of the master's namespace on to a socket of this machine."""


def why_not() -> str | None:
    """Why this machine cannot have such a cluster; None if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    name = f"rankcast-try-{os.getpid()}"
    try:
        made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "iproute2 is not installed"
    subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
    return f"no network namespaces: {made.stderr.strip()}" if made.returncode else None


class NamespaceCluster:
    """Namespaces of their own for the master (10.77.0.1, the driver too) and for two workers (10.77.0.2, 10.77.0.3).

    `workers` are the numbers of the workers to start at once.
    """

    def __init__(self, folder: Path, workers: tuple[int, ...] = (1, 2)) -> None:
        self._folder = folder
        self._first = workers
        self._names = [f"rankcast-{os.getpid()}-{number}" for number in range(3)]
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers: dict[int, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "NamespaceCluster":
        first, *others = self._names
        for name in self._names:
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", first, "link", "add", "bridge", "type", "bridge")
        _ip("-n", first, "addr", "add", "10.77.0.1/24", "dev", "bridge")
        _ip("-n", first, "link", "set", "bridge", "up")
        for number, name in enumerate(others, 2):
            _ip("-n", first, "link", "add", f"to{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("-n", first, "link", "set", f"to{number}", "master", "bridge", "up")
            _ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
        try:
            self._start(0, "master.Master", "--host", "10.77.0.1", "--port", "7077", "--webui-port", "0")
            for number in self._first:
                self.start_worker(number)
            for number in self._first:
                self.wait_for_worker(number)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in range(len(self._names)):
            self._kill_machine(number)
        for process in self._processes:
            process.wait(30)
        for name in self._names:
            subprocess.run(["ip", "netns", "delete", name], check=False)

    def command(self, *command: str) -> list[str]:
        """A command as it is run beside the master."""
        return ["ip", "netns", "exec", self._names[0], *command]

    def run(self, *command: str, **more: str) -> subprocess.Popen[str]:
        """Start a command beside the master."""
        return subprocess.Popen(
            self.command(*command),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(**more),
        )

    @staticmethod
    def environment(**more: str) -> dict[str, str]:
        """That of a driver: sessions of the tests have left in this process which Python their workers have."""
        return {**{name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}, **more}

    def forward(self, socket: Path, port: int) -> None:
        """Make a Unix socket of this machine a port of the master's machine."""
        process = subprocess.Popen(
            self.command(sys.executable, "-c", _FORWARD, str(socket), str(port)), stdout=subprocess.PIPE
        )
        self._processes.append(process)
        if process.stdout is None or process.stdout.readline() != b"listening\n":
            raise RuntimeError(f"port {port} of the master's machine does not listen")

    def start_worker(self, number: int) -> None:
        """Start a worker, or start it again."""
        host = f"10.77.0.{number + 1}"
        room = ["--cores", "1", "--memory", "700m", "--work-dir", str(self._folder / f"worker{number}")]
        self._workers[number] = self._start(number, "worker.Worker", "--host", host, "--webui-port", "0", *room, MASTER)

    def kill_worker(self, number: int) -> None:
        """Kill a worker's machine: the worker and all that it started.

        An executor that only begins outlives its worker, since it does not yet watch it.
        """
        self._kill_machine(number)
        self._workers.pop(number).wait(30)

    def cut(self, number: int) -> None:
        """Cut the network of a worker."""
        _ip("-n", self._names[0], "link", "set", f"to{number + 1}", "down")

    def mend(self, number: int) -> None:
        """Mend the network of a worker."""
        _ip("-n", self._names[0], "link", "set", f"to{number + 1}", "up")

    def processes(self, number: int, what: str) -> list[int]:
        """The processes of a worker's machine that have a text in their command line."""
        found = []
        for pid in self._pids(number):
            with suppress(OSError):
                if what.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return sorted(found)

    def executors(self, number: int) -> list[int]:
        """The executors of a worker."""
        return self.processes(number, "CoarseGrainedExecutorBackend")

    def _kill_machine(self, number: int) -> None:
        for pid in self._pids(number):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _pids(self, number: int) -> list[int]:
        done = subprocess.run(["ip", "netns", "pids", self._names[number]], capture_output=True, text=True, check=False)
        return [int(pid) for pid in done.stdout.split()]

    def _start(self, number: int, role: str, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *arguments]
        plain = ("PATH", "HOME", "JAVA_HOME", "JDK_JAVA_OPTIONS", "LANG")  # no trace of this Python's environment
        environment = {name: os.environ[name] for name in plain if name in os.environ}
        with (self._folder / f"{role}{number}.log").open("wb") as log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self._names[number], *command],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**environment, "SPARK_HOME": str(HOME), "SPARK_NO_DAEMONIZE": "1"},
            )
        self._processes.append(process)
        return process

    def wait_for_worker(self, number: int) -> None:
        """Wait until the master knows a worker."""
        deadline = time.monotonic() + _PATIENCE
        log = self._folder / f"worker.Worker{number}.log"
        while "Successfully registered with master" not in log.read_text():
            if time.monotonic() > deadline or self._workers[number].poll() is not None:
                told = "\n".join(one.read_text()[-2000:] for one in self._folder.glob("*.log"))
                raise RuntimeError(f"the cluster did not start\n{told}")
            time.sleep(0.1)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


PYTHON = f"{sys.base_prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
"""A Python without libraries, as a worker's machine has it."""
