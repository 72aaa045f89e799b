"""A standalone Spark cluster in network namespaces: a master and two workers that share nothing but a network."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pyspark

HOME = Path(pyspark.__file__).parent
MASTER = "spark://10.77.0.1:7077"
_PATIENCE = 300.0


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
    """Namespaces of their own for the master (10.77.0.1, the driver too) and for two workers (10.77.0.2, 10.77.0.3)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = [f"rankcast-{os.getpid()}-{number}" for number in range(3)]
        self._processes: list[subprocess.Popen[bytes]] = []

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
            for number in (1, 2):
                host = f"10.77.0.{number + 1}"
                room = ["--cores", "1", "--memory", "700m", "--work-dir", str(self._folder / f"worker{number}")]
                self._start(number, "worker.Worker", "--host", host, "--webui-port", "0", *room, MASTER)
            self._wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(30)
        for name in self._names:
            subprocess.run(["ip", "netns", "delete", name], check=False)

    def run(self, *command: str, **more: str) -> subprocess.Popen[str]:
        """Start a command beside the master."""
        return subprocess.Popen(
            ["ip", "netns", "exec", self._names[0], *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **more},
        )

    def _start(self, number: int, role: str, *arguments: str) -> None:
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *arguments]
        plain = ("PATH", "HOME", "JAVA_HOME", "JDK_JAVA_OPTIONS", "LANG")  # no trace of this Python's environment
        environment = {name: os.environ[name] for name in plain if name in os.environ}
        with (self._folder / f"{role}{number}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", self._names[number], *command],
                    stdout=log,
                    stderr=log,
                    cwd=self._folder,
                    env={**environment, "SPARK_HOME": str(HOME), "SPARK_NO_DAEMONIZE": "1"},
                )
            )

    def _wait(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        logs = [self._folder / f"worker.Worker{number}.log" for number in (1, 2)]
        while not all("Successfully registered with master" in log.read_text() for log in logs):
            if time.monotonic() > deadline or any(process.poll() is not None for process in self._processes):
                told = "\n".join(log.read_text()[-2000:] for log in self._folder.glob("*.log"))
                raise RuntimeError(f"the cluster did not start\n{told}")
            time.sleep(0.2)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


PYTHON = f"{sys.base_prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
"""A Python without libraries, as a worker's machine has it."""
