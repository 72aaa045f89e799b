"""Check the environment that Rankcast needs, and say how to fix what is missing.

Each check is a pure function of its findings, so that it can be tested on a healthy machine. `examine` collects the
findings and runs all checks. This file uses only the standard library: set-up runs it before anything is installed.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

LEAST_PYTHON = (3, 11)
LEAST_JAVA = 17
LEAST_MEMORY = 2 * 2**30
LEAST_DISK = 2**30
JAVA_PLACES = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home", "/opt/homebrew/opt/openjdk*")
PACKAGES = ("pyarrow", "numba")
SPARK_PACKAGES = ("pyspark", "pandas")

_REINSTALL = "run: make install, or: pip install --upgrade rankcast"


@dataclass(frozen=True, slots=True)
class Checkup:
    """The result of one check.

    `ok` is None if the result is unknown or only worth a hint. `advice` is empty if there is nothing to do.
    """

    name: str
    ok: bool | None
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class JavaRuntime:
    """A working Java runtime: its home, its version as reported ("17.0.15"), and how it was found."""

    home: Path
    version: str
    origin: str

    @property
    def major(self) -> int:
        """The feature release: 8 for "1.8.0_392", 17 for "17.0.15"."""
        return _major(self.version)


def examine(store: Path | None = None) -> list[Checkup]:
    """Run all checks, in about a second. `store` is the file that will be written, if any."""
    from rankcast.extras import EXTRAS, installation, is_installed

    temporary = Path(tempfile.gettempdir())
    has_spark = is_installed("spark")
    findings = [
        check_python(sys.version_info[:3]),
        *([check_java(find_java(), javas())] if has_spark else []),
        check_memory(_available_memory()),
        check_cores(_cores()),
        check_disk(temporary, shutil.disk_usage(temporary).free),
        check_loopback(_bind_loopback),
        check_hostname(socket.gethostname(), socket.gethostbyname, os.environ.get("SPARK_LOCAL_IP")),
        *(check_package(name, _installed(name), _required(name)) for name in PACKAGES),
        *(check_package(name, _installed(name), _required(name)) for name in SPARK_PACKAGES if has_spark),
        *(check_extra(name, is_installed(name), installation(name)) for name in EXTRAS),
    ]
    if store is not None:
        findings.append(check_store(store))
    return findings


# Java


def find_java() -> JavaRuntime | None:
    """The Java runtime that Spark will use: the first of `javas` that is recent enough, or None."""
    return next((java for java in javas() if java.major >= LEAST_JAVA), None)


def javas(environment: Mapping[str, str] = os.environ) -> Iterator[JavaRuntime]:
    """Every working Java runtime: from JAVA_HOME, from the PATH, and from the usual installation folders.

    Each one costs the start of a JVM, about 0.1 s. The iterator starts them one at a time.
    """
    seen: set[Path] = set()
    for executable, origin in _java_places(environment):
        java = _ask_java(executable, origin)
        if java is not None and java.home not in seen:
            seen.add(java.home)
            yield java


def java_version(output: str) -> str | None:
    """The version in the output of ``java -version``.

    >>> java_version('openjdk version "17.0.15" 2025-04-15')
    '17.0.15'
    >>> java_version('java version "1.8.0_392"')
    '1.8.0_392'
    """
    found = re.search(r'^\S+ version "?([0-9][^"\s]*)', output, re.MULTILINE)
    return found[1] if found else None


def _major(version: str) -> int:
    first, *rest = (int(number) for number in re.findall(r"\d+", version))
    return rest[0] if first == 1 and rest else first


def _java_places(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if home := environment.get("JAVA_HOME"):
        yield Path(home, "bin", "java"), "JAVA_HOME"
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(on_path), "PATH"
    for pattern in JAVA_PLACES:
        for place in sorted(Path("/").glob(pattern.lstrip("/"))):
            yield place / "bin" / "java", str(place)


def _ask_java(executable: Path, origin: str) -> JavaRuntime | None:
    try:
        asked = subprocess.run(  # noqa: S603  the executable is the user's own Java
            [executable, "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = java_version(asked.stderr)
    if asked.returncode or version is None:
        return None
    home = re.search(r"^\s*java\.home = (.+)$", asked.stderr, re.MULTILINE)
    return JavaRuntime(Path(home[1].strip()) if home else executable.resolve().parent.parent, version, origin)


# the checks


def check_python(version: tuple[int, ...]) -> Checkup:
    """Check that Python is recent enough."""
    advice = "" if version >= LEAST_PYTHON else "install Python 3.11 or newer and make a new virtual environment"
    return Checkup("Python", not advice, ".".join(map(str, version)), advice)


def check_java(java: JavaRuntime | None, others: Iterable[JavaRuntime] = ()) -> Checkup:
    """Check that there is a Java runtime for Spark. If not, `others` are mentioned."""
    if java is not None:
        return Checkup("Java", True, f"{java.version} in {java.home} (by {java.origin})")
    old = ", ".join(f"{other.version} in {other.home}" for other in others)
    return Checkup(
        "Java",
        False,
        f"only {old}" if old else "none",
        f"install Java {LEAST_JAVA} or newer (Debian, Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew "
        "install openjdk@21), or set JAVA_HOME to one that is there",
    )


def check_memory(available: int | None) -> Checkup:
    """Check that there is enough memory for Spark's JVM, its Python workers and their state."""
    if available is None:
        return Checkup("memory", None, "unknown")
    enough = available >= LEAST_MEMORY
    advice = f"close something or take a bigger machine: Spark wants {_size(LEAST_MEMORY)} free"
    return Checkup("memory", enough, f"{_size(available)} available", "" if enough else advice)


def check_cores(cores: int) -> Checkup:
    """Check the number of cores. One is enough; two run Spark's JVM and a Python worker in parallel."""
    if cores > 1:
        return Checkup("cores", True, str(cores))
    return Checkup("cores", None, str(cores), "two or more cores are much faster: JVM and Python take turns on one")


def check_disk(folder: Path, free: int) -> Checkup:
    """Check that there is disk space for Spark's spill and shuffle files."""
    enough = free >= LEAST_DISK
    advice = f"make room, or set SPARK_LOCAL_DIRS to a folder with {_size(LEAST_DISK)} free"
    return Checkup("disk", enough, f"{_size(free)} free in {folder}", "" if enough else advice)


def check_loopback(bind: Callable[[], int]) -> Checkup:
    """Check that loopback ports can be opened. `bind` opens a free one and returns its number, or raises OSError."""
    try:
        bind()
    except OSError as error:
        advice = "Python and Spark's JVM talk over 127.0.0.1: allow it in the container, sandbox or firewall"
        return Checkup("loopback", False, f"no port on 127.0.0.1: {error}", advice)
    return Checkup("loopback", True, "127.0.0.1 gives ports")


def check_hostname(name: str, resolve: Callable[[str], str], local_ip: str | None = None) -> Checkup:
    """Check that the host can resolve its own name. Not needed with `local_ip` (from SPARK_LOCAL_IP)."""
    if local_ip:
        return Checkup("host name", True, f"not asked: SPARK_LOCAL_IP is {local_ip}")
    try:
        return Checkup("host name", True, f"{name} is {resolve(name)}")
    except OSError as error:
        advice = f"set SPARK_LOCAL_IP=127.0.0.1, or add {name!r} to /etc/hosts; Spark fails to start otherwise"
        return Checkup("host name", False, f"{name} does not resolve: {error}", advice)


def check_package(name: str, version: str | None, required: str) -> Checkup:
    """Check that a package is installed in a version that `required` (">=2.2,<3") allows."""
    if version is None:
        return Checkup(name, False, "not installed", _REINSTALL)
    bounds = re.findall(r"(>=|<)([\d.]+)", required)
    fits = all((_numbers(version) >= _numbers(bound)) == (sign == ">=") for sign, bound in bounds)
    return Checkup(name, fits, version, "" if fits else f"Rankcast needs {name}{required}; {_REINSTALL}")


def check_extra(name: str, is_there: bool, command: str) -> Checkup:
    """Say whether an optional part is installed. It may be missing."""
    if is_there:
        return Checkup(f"extra {name}", True, "installed")
    return Checkup(f"extra {name}", None, "not installed", f"if you need it, run: {command}")


def check_store(path: Path) -> Checkup:
    """Check that the store's file, or the folder where it will be created, is writable."""
    folder = path.absolute().parent
    if path.is_dir():
        return Checkup("store", False, f"{path} is a folder", "name a file, such as rankcast.db")
    if not folder.is_dir():
        return Checkup("store", False, f"no folder {folder}", f"make it: mkdir -p {folder}")
    # SQLite writes its journal beside the file, so the folder matters even if the file exists.
    for place in (folder, path) if path.exists() else (folder,):
        if not os.access(place, os.W_OK):
            return Checkup("store", False, f"{place} cannot be written", f"chmod u+w {place}, or choose another path")
    return Checkup("store", True, f"{path} can be written")


# finding out


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _required(name: str) -> str:
    try:
        requirements = metadata.requires("rankcast") or []
    except metadata.PackageNotFoundError:
        return ""
    found = next((line for line in requirements if re.match(rf"{name}\b", line)), "")
    return found.removeprefix(name).partition(";")[0]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _bind_loopback() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def _available_memory() -> int | None:
    """The available memory in bytes: that of the system, or less if a container has a limit."""
    amounts = [_meminfo(), _cgroup_room()]
    return min((amount for amount in amounts if amount is not None), default=None)


def _meminfo() -> int | None:
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def _cgroup_room() -> int | None:
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = ((group / name).read_text().strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return None
    return None if limit == "max" else max(0, int(limit) - int(used))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.split("+")[0])[:3])


def _size(amount: int) -> str:
    return f"{amount / 2**30:.1f} GB"
