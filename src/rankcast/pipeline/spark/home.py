"""A home for Spark in which its processes start faster: ``python -m rankcast.pipeline.spark.home`` completes it.

Spark puts the archive ``python/lib/pyspark.zip`` of its home first on the path of every Python process that it starts.
From there, Python compiles pyspark anew in each process, which takes a second of processor time. The home made here
has links to everything in Spark's own home except this folder, so that Python imports the installed and compiled
pyspark. It also holds the archive of Java classes, which the command above makes: with it, a JVM maps the classes of
Spark instead of reading and verifying them, and a session starts in half the time. Java ignores an archive that does
not fit.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

import pyspark

from rankcast.pipeline.doctor import JavaRuntime, find_java

_PYTHON = "python"

# Messages of Java's logging, as that an archive does not fit, would be printed on the standard output.
_QUIET = "-Xlog:disable -Xlog:all=error:stderr"

_TRAINING = """
import sys
from pathlib import Path
from rankcast.pipeline.spark import deliver, local_session, serve_store
from rankcast.pipeline.spark.failures import wait_for
from rankcast.language import decode_event, decode_record
from rankcast.model import Catalog
from rankcast.store import Store

folder, options = Path(sys.argv[1]), sys.argv[2]
records = [decode_record({"kind": "subscription", "id": "s", "user": "u", "where": "x > 0", "score": 0.5})]
lines = ['{"id": "%d", "time": "2026-01-01", "attributes": {"x": [1]}}' % number for number in range(3)]
with Store.create(folder / "store.db") as store:
    store.change(put=records)
    store.publish([decode_event(line) for line in lines])
spark = local_session(settings={"spark.driver.extraJavaOptions": options})
wait_for(serve_store(spark, folder / "store.db", folder / "checkpoint", shards=2, trigger=None))
events = spark.createDataFrame([(line,) for line in lines], "event string")
deliver(events, Catalog(records), json="event").toPandas()
spark.stop()
"""


def fast_home() -> Path | None:
    """The home for a session on this machine. None if another Spark or Python is to be used, or there is no place."""
    if "SPARK_HOME" in os.environ or os.environ.get("PYSPARK_PYTHON", sys.executable) != sys.executable:
        return None
    own = Path(pyspark.__file__).parent
    name = f"spark-{pyspark.__version__}-{_digest(str(own))}"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "rankcast" / name
    try:
        if not home.exists():
            home.parent.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(dir=home.parent))
            for entry in own.iterdir():
                if entry.name != _PYTHON:
                    (made / entry.name).symlink_to(entry)
            try:
                made.rename(home)
            except OSError:  # another process was faster
                shutil.rmtree(made)
        if home.stat().st_uid != os.getuid():
            return None
    except (OSError, AttributeError):  # AttributeError: not POSIX
        return None
    return home


@contextmanager
def starting_at(home: Path | None) -> Iterator[None]:
    """Let the JVM that is started meanwhile take this home."""
    if home is None:
        yield
        return
    os.environ["SPARK_HOME"] = str(home)
    try:
        yield
    finally:
        del os.environ["SPARK_HOME"]


def archive_options(home: Path | None, java: JavaRuntime) -> list[str]:
    """The options with which a JVM maps its classes from the archive, if there is one."""
    archive = None if home is None else _archive(home, java)
    return [f"-XX:SharedArchiveFile={archive}", _QUIET] if archive is not None and archive.exists() else []


def make_class_archive() -> Path | None:
    """Make the archive of classes, unless there is one; takes a minute and 190 MB. None if there is no home for it."""
    home, java = fast_home(), find_java()
    if home is None or java is None:
        return None
    archive = _archive(home, java)
    if not archive.exists():
        with tempfile.TemporaryDirectory(dir=home) as folder:
            made = Path(folder) / "classes.jsa"
            options = f"-XX:ArchiveClassesAtExit={made} {_QUIET}"
            # The JVM writes the archive when it ends, after the program. It holds the standard output open until then.
            subprocess.run(  # noqa: S603
                [sys.executable, "-c", _TRAINING, folder, options], check=True, stdout=subprocess.PIPE
            )
            made.rename(archive)
    return archive


def _archive(home: Path, java: JavaRuntime) -> Path:
    release = ""
    with suppress(OSError):
        release = (java.home / "release").read_text()
    return home / f"classes-{_digest(str(java.home), java.version, release)}.jsa"


def _digest(*parts: str) -> str:
    return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


if __name__ == "__main__":
    print(make_class_archive() or "no archive: SPARK_HOME is set, there is no Java, or the cache cannot be written")
