"""A PostgreSQL server of one's own, in a temporary folder, on loopback."""

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
from ports import free_port

PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/libexec/postgresql*",
    "/opt/homebrew/opt/postgresql*/bin",
)
USERS = ("postgres", "nobody")
"""Who runs the server where the tests run as root: it refuses to be root."""
PATIENCE = 60.0
PASSWORD = "not-to-be-shown"  # of the test's own server

# Nothing of it has to survive a power failure.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB", "max_connections": "60"}


def programs() -> Path | None:
    """The folder of the server's programs, of the newest release."""
    found = [folder for place in PLACES for folder in Path("/").glob(place.lstrip("/")) if (folder / "initdb").exists()]
    if found:
        return max(found, key=lambda folder: [int(number) for number in re.findall(r"\d+", str(folder))])
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def missing() -> str | None:
    """Why there can be no server here; None if there can."""
    if programs() is None:
        return "no PostgreSQL here (Debian: apt-get install postgresql); scripts/services installs it as root"
    if os.geteuid() == 0 and _other_user() is None:
        return "PostgreSQL refuses to run as root, and there is no user 'postgres' or 'nobody'"
    return None


@dataclass(frozen=True)
class Server:
    """A server that is up; its superuser is `rankcast`."""

    port: int
    folder: Path
    process: "subprocess.Popen[bytes]"

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The server hangs while in the block: it takes connections, and answers nothing."""
        stopped = {self.process.pid, *_children(self.process.pid)}
        try:
            for pid in stopped:
                _signal(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in stopped:
                _signal(pid, signal.SIGCONT)

    def url(self, database: str = "postgres") -> str:
        """Where a database of it is."""
        return f"postgresql://rankcast:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    @contextmanager
    def place(self) -> Iterator[str]:
        """The URL of an empty schema, which is gone afterwards. A database for each test would take 0.1 s, mostly of
        copying files."""
        name = f"test_{uuid4().hex}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
            try:
                yield f"{self.url()}?options=-csearch_path%3D{name}"
            finally:
                connection.execute("SET client_min_messages = warning")
                connection.execute(f"DROP SCHEMA {name} CASCADE")


@contextmanager
def server() -> Iterator[Server]:
    """A server in a temporary folder; it ends with the block."""
    binaries, user = programs(), _other_user()
    assert binaries is not None, missing()
    # A folder of pytest's own would be closed to the user that the server runs as.
    with tempfile.TemporaryDirectory(prefix="rankcast-postgresql-") as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD)
        if user is not None:
            for path in (folder, folder / "password"):
                os.chown(path, user.pw_uid, user.pw_gid)
        options = ["--username=rankcast", "--pwfile=password", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
        _run([binaries / "initdb", "--pgdata=data", "--no-sync", "--no-instructions", *options], folder, user)
        port = free_port()
        settings = {**SETTINGS, "port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": folder}
        arguments = [f"--{key}={value}" for key, value in settings.items()]
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                [binaries / "postgres", "-D", "data", *arguments], cwd=folder, stdout=log, stderr=log, **_identity(user)
            )
        try:
            started = Server(port, folder, process)
            _wait(started, process)
            yield started
        finally:
            process.send_signal(signal.SIGINT)  # which ends connections too, unlike SIGTERM
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _children(pid: int) -> list[int]:
    """The processes that a process has started: PostgreSQL has one for each connection."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if listed.exists():
        return [int(child) for child in listed.read_text().split()]
    done = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return [int(child) for child in done.stdout.split()]


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has ended meanwhile
        os.kill(pid, number)


def _other_user() -> pwd.struct_passwd | None:
    """Who runs the server: None for whoever runs the tests."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next((known[name] for name in USERS if name in known), None)


def _identity(user: pwd.struct_passwd | None) -> dict[str, object]:
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _run(command: list[object], folder: Path, user: pwd.struct_passwd | None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **_identity(user))
    assert done.returncode == 0, done.stderr


def _wait(server: Server, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(server.url(), connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError((server.folder / "server.log").read_text()) from None
            time.sleep(0.05)
