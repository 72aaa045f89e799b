"""What executors need, in one archive: ``python -m rankcast.pipeline.spark.packing rankcast.tar.gz``.

The archive holds Rankcast and the libraries that it needs there, as they are installed here, without pyspark, which
comes with Spark. It also holds what was compiled: the loops, which would take each executor a minute, and Python's
modules, which would take it five seconds. Spark unpacks the archive on every executor. An executor needs nothing else
but a Python of the same version, on the same kind of machine.
"""

import re
import sys
import tarfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path

import rankcast
from rankcast.engine.warming import warm_up
from rankcast.errors import EnvironmentProblem

_EXTRAS = ("spark", "postgres", "kafka")
"""The extras whose libraries executors need, if they are installed."""

_BROUGHT_BY_SPARK = ("pyspark", "py4j")
_NOT_NEEDED = {"include", "tests"}
"""Folders of libraries with headers and tests: a third of all files, which each executor would unpack."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?:\[(?P<extras>[^\]]*)\])?[^;]*(?:;(?P<marker>.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*["'](?P<extra>[\w-]+)["']""")


def needed() -> list[Distribution]:
    """The installed distributions that executors need besides Rankcast itself, by name."""
    found: dict[str, Distribution] = {}
    waiting, seen = [("rankcast", _EXTRAS)], set[tuple[str, tuple[str, ...]]]()
    while waiting:
        name, extras = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, extras) in seen or key in _BROUGHT_BY_SPARK:
            continue
        seen.add((key, extras))
        try:
            found[key] = distribution(key)
        except PackageNotFoundError:  # for another system, or of an extra that is not installed
            continue
        for requirement in found[key].requires or ():
            parts = _REQUIREMENT.match(requirement)
            assert parts is not None
            extra = _EXTRA.search(parts["marker"] or "")
            if extra is None or extra["extra"] in extras:
                waiting.append((parts["name"], tuple((parts["extras"] or "").replace(" ", "").split(","))))
    return [found[name] for name in sorted(found) if name != "rankcast"]


def pack_libraries(path: Path) -> None:
    """Write the archive, with the loops that were compiled so far. It has some 200 MB; as .tar, three times as many."""
    if not path.name.endswith((".tar.gz", ".tar")):
        raise EnvironmentProblem(f"{path}: the name must end in .tar.gz or .tar, by which Spark knows how to unpack it")
    is_packed = path.suffix == ".gz"
    with tarfile.open(path, "w:gz", compresslevel=1) if is_packed else tarfile.open(path, "w") as archive:
        archive.add(Path(rankcast.__file__).parent, "rankcast", filter=_kept)
        for one in needed():
            for file in one.files or ():
                place = Path(str(one.locate_file(file)))
                if ".." in file.parts or file.suffix == ".pyc" or not place.is_file():
                    continue
                if _NOT_NEEDED & {*file.parts}:
                    continue
                archive.add(place, str(file))
                if file.suffix == ".py" and (compiled := Path(cache_from_source(place))).is_file():
                    archive.add(compiled, str(file.parent / "__pycache__" / compiled.name))


def settings_for(path: Path) -> dict[str, str]:
    """The Spark settings with which executors use the archive."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return {
        "spark.archives": f"{path.resolve()}#rankcast-libraries",
        "spark.executorEnv.PYTHONPATH": "rankcast-libraries",
        "spark.pyspark.python": version,
    }


def _kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if entry.name.endswith(".lock") else entry


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "rankcast.tar.gz")
    warm_up()
    pack_libraries(target)
    print(f"{target}: {target.stat().st_size / 1e6:,.0f} MB. Give Spark, and so rankcast run:")
    print(" \\\n".join(f"    --conf {name}={value}" for name, value in settings_for(target).items()))
