"""Back up a store and the checkpoint of its pipeline into one archive while both are in use, and restore it.

The checkpoint is copied first, as of its last finished batch, and the store second. The copy of the store is
therefore never behind the checkpoint. After a restore, the pipeline repeats any later batches, and
`DeliveryLog.commit_batch` writes their deliveries only once.
"""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import zstandard
from sqlalchemy import Connection, make_url, update

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.plain import JsonObject
from rankcast.store import pipelines, schema
from rankcast.store.engine import Clock, Database, system_clock
from rankcast.store.opening import connect_database, open_database, path_of, schema_version
from rankcast.store.pipelines import SPARK
from rankcast.store.upgrading import copy_file, program_url, unserved

FORMAT = 1
"""Version of the archive format, increased with every change. Archives of a later format are refused."""

_MANIFEST, _FILE, _DUMP, _CHECKPOINT = "manifest.json", "store.db", "store.sql", "checkpoint"
_BATCHES = ("offsets", "commits")
_STATE_SCHEMA = re.compile(r'file:[^"]*?/state/(\d+/_stateSchema/)')
_LARGEST_MANIFEST = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Backup:
    """The content of an archive: its origin, its schema version, and the last event that was served.

    `checkpoint` is the folder that held the checkpoint, if there is one.
    """

    place: str
    created: str
    schema: int
    served: int
    checkpoint: str | None


class _Release(msgspec.Struct):
    """What every release reads of the first file of an archive, to see whether a later one wrote it."""

    format: int
    schema: int
    rankcast: str


class _Manifest(_Release):
    """The first file of an archive. `files` are the hashes of the others by name."""

    store: str
    created: str
    served: int
    checkpoint: str | None
    files: dict[str, str]


def back_up(path_or_url: str, archive: Path, version: str, clock: Clock = system_clock) -> Backup:
    """Write a store and the checkpoint of its pipeline into an archive while both are in use.

    The archive appears only when it is complete. `version` is the release that creates it.
    """
    database = open_database(path_or_url)
    with closing(database), tempfile.TemporaryDirectory(dir=archive.absolute().parent, prefix=".backup-") as name:
        folder = Path(name)
        with database.reading() as connection:
            known = pipelines.present(connection)
        checkpoint = known.place if known is not None and known.engine == SPARK and known.place else None
        if checkpoint is not None:
            _copy_checkpoint(_local(checkpoint), folder / _CHECKPOINT)
        path = path_of(path_or_url)
        if path is None:
            served = _dump(path_or_url, database, folder / _DUMP)
        else:
            copy_file(path, folder / _FILE)
            copied = connect_database(str(folder / _FILE))
            with closing(copied), copied.reading() as connection:
                served = _last_served(connection)
        made = Backup(database.place, clock().isoformat(), schema.SCHEMA_VERSION, served, checkpoint)
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        manifest = {
            "format": FORMAT,
            "rankcast": version,
            "store": made.place,
            "created": made.created,
            "schema": made.schema,
            "served": made.served,
            "checkpoint": made.checkpoint,
            "files": {str(path.relative_to(folder)): _digest(path) for path in files},
        }
        _write(archive, manifest, folder, files)
    return made


def restore(archive: Path, path_or_url: str, checkpoint: str | None = None, is_forced: bool = False) -> Backup:
    """Restore the store of an archive to a place, and its checkpoint to its old folder or to another one.

    Everything is checked before anything is replaced. Existing data is replaced only if `is_forced` is set.
    """
    path = path_of(path_or_url)
    beside = path.absolute().parent if path is not None else None
    with tempfile.TemporaryDirectory(dir=beside, prefix=".restore-") as name:
        folder = Path(name)
        made = _read(archive, folder)
        if not (folder / (_FILE if path is not None else _DUMP)).exists():
            raise StoreError(
                f"{str(archive)!r} is the backup of {made.place!r}; a store cannot be moved to another kind of database"
            )
        target = None if made.checkpoint is None else _local(checkpoint or made.checkpoint)
        _check_free(path_or_url, path, target, is_forced)
        if target is not None:
            place_checkpoint(folder / _CHECKPOINT, target)
        if path is not None:
            with unserved(path):
                _place_file(folder / _FILE, path)
        else:
            options = ["--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", f"--file={folder / _DUMP}"]
            _run("psql", path_or_url, options)
        if target is not None:
            database = connect_database(path_or_url)
            with closing(database), database.starting() as connection:
                connection.execute(update(schema.pipeline).values(place=str(target)))
    return made


def _check_free(path_or_url: str, path: Path | None, target: Path | None, is_forced: bool) -> None:
    if target is not None and (target.is_symlink() or target.exists()) and not _is_checkpoint(target):
        raise StoreError(
            f"{str(target)!r}, the folder of the checkpoint, is no checkpoint of a pipeline; choose another one with --checkpoint"
        )
    if is_forced:
        return
    if path is not None:
        if path.exists():
            raise StoreError(f"there is a store at {str(path)!r}; choose another place, or replace it with --force")
    else:
        database = connect_database(path_or_url)
        with closing(database), database.reading() as connection:
            if schema_version(connection, database.place) is not None:
                raise StoreError(
                    f"there is a store at {database.place!r}; choose another place, or replace it with --force"
                )
    if target is not None and target.exists():
        raise StoreError(
            f"there is a checkpoint at {str(target)!r}; choose another folder with --checkpoint, or replace it with --force"
        )


def _is_checkpoint(folder: Path) -> bool:
    """Whether a folder is empty or has what Spark writes first, so that it may be replaced. The archive names it."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    return not names or not names.isdisjoint(_BATCHES)


def _local(checkpoint: str) -> Path:
    """The local folder of a checkpoint."""
    text = checkpoint.removeprefix("file://").removeprefix("file:")
    if "://" in text:
        raise StoreError(
            f"the checkpoint {checkpoint!r} is not in a local folder: end the pipeline, copy the checkpoint with the tools of that "
            "storage, and back up the store alone with its own tools"
        )
    return Path(text)


def _copy_checkpoint(source: Path, target: Path) -> None:
    """Copy a checkpoint as of its last finished batch.

    Spark writes its files under temporary names first, and keeps the state of the last hundred batches.
    """
    if not source.is_dir():
        raise StoreError(
            f"the checkpoint {str(source)!r} of the pipeline is not there; `rankcast state rebuild` makes the delivery state anew"
        )
    finished = max((int(one.name) for one in (source / "commits").glob("*") if one.name.isdigit()), default=-1)

    def skipped(folder: str, names: list[str]) -> list[str]:
        gone = [name for name in names if name.startswith(".") or name.endswith((".tmp", ".crc"))]
        if Path(folder) in {source / part for part in _BATCHES}:
            gone += [name for name in names if name.isdigit() and int(name) > finished]
        if finished < 0 and Path(folder) == source and "state" in names:
            gone.append("state")  # of a first batch that may have been half done; Spark refuses to start over it
        return gone

    try:
        shutil.copytree(source, target, ignore=skipped, copy_function=_copy_if_there)
    except (OSError, shutil.Error) as error:
        raise StoreError(f"the checkpoint {str(source)!r} cannot be copied: {error}; try again") from None


def _copy_if_there(source: str, target: str) -> None:
    """Copy a file, unless Spark has deleted it in the meantime because no batch needs it."""
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        return


def _dump(url: str, database: Database, target: Path) -> int:
    """Write an SQL script that creates and fills the tables of the store. Returns up to which offset it was served."""
    options = ["--clean", "--if-exists", "--no-owner", "--no-privileges", f"--file={target}"]
    with database.reading() as connection:  # the state of the store that this transaction sees is what is written
        name, snapshot = connection.exec_driver_sql("SELECT current_schema(), pg_export_snapshot()").one()
        served = _last_served(connection)
        _run("pg_dump", url, [*options, f'--table="{name}".*', f"--snapshot={snapshot}"])
    return served


def _last_served(connection: Connection) -> int:
    return int(connection.execute(schema.progress.select()).one().event_offset)


def _run(program: str, url: str, options: list[str]) -> None:
    """Run a PostgreSQL program on a database. The password is passed in the environment, where it stays hidden."""
    found = shutil.which(program)
    if found is None:
        raise EnvironmentProblem(
            f"{program} is not installed, which makes and restores backups of PostgreSQL; install PostgreSQL's client programs "
            "(Debian: apt-get install postgresql-client)"
        )
    password = make_url(url).password
    environment = {**os.environ, **({"PGPASSWORD": password} if password else {})}
    done = subprocess.run(  # noqa: S603  its arguments are no shell's
        [found, *options, f"--dbname={program_url(url)}"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise StoreError(
            f"{program} failed: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else done.returncode}"
        )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(archive: Path, manifest: JsonObject, folder: Path, files: list[Path]) -> None:
    part = archive.with_name(f"{archive.name}.part")
    try:
        # Readable by its owner alone, because it holds everything in the store.
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with (
                zstandard.ZstdCompressor(level=3).stream_writer(file, closefd=False) as packed,
                tarfile.open(fileobj=packed, mode="w|") as tar,
            ):
                text = json.dumps(manifest, indent=1).encode()
                entry = tarfile.TarInfo(_MANIFEST)
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text))
                for path in files:
                    tar.add(path, str(path.relative_to(folder)), recursive=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, archive)
    finally:
        part.unlink(missing_ok=True)


def _read(archive: Path, folder: Path) -> Backup:
    """Unpack an archive and check it. Nothing is unpacked that its manifest does not name."""
    try:
        with _opened(archive) as tar:
            first = tar.next()
            if first is None or first.name != _MANIFEST or first.size > _LARGEST_MANIFEST:
                raise StoreError(f"{str(archive)!r} is no backup of Rankcast: it has no manifest")
            content = tar.extractfile(first)
            assert content is not None
            text = content.read()
            release = msgspec.json.decode(text, type=_Release)
            if release.format > FORMAT or release.schema > schema.SCHEMA_VERSION:
                raise StoreError(
                    f"the backup {str(archive)!r} was made by a later Rankcast, {release.rankcast}; upgrade Rankcast to restore it"
                )
            manifest = msgspec.json.decode(text, type=_Manifest)
            for member in iter(tar.next, None):
                if not member.isreg() or member.name not in manifest.files:
                    raise ValueError(f"{member.name!r} does not belong to it")
                free = shutil.disk_usage(folder).free
                if member.size > free:
                    raise EnvironmentProblem(
                        f"the backup {str(archive)!r} needs {member.size:,} bytes for {member.name!r}, and where the store is, there "
                        f"are {free:,} free; make room"
                    )
                tar.extract(member, folder, filter="data")
    except (
        tarfile.TarError,
        zstandard.ZstdError,
        EOFError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise StoreError(f"{str(archive)!r} is no backup of Rankcast, or it is damaged: {error}") from None
    for name, digest in manifest.files.items():
        if not (folder / name).is_file() or _digest(folder / name) != digest:
            raise StoreError(
                f"the backup {str(archive)!r} is damaged: {name!r} is not as it was written; use another backup"
            )
    (folder / _CHECKPOINT).mkdir(exist_ok=True)
    return Backup(manifest.store, manifest.created, manifest.schema, manifest.served, manifest.checkpoint)


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    with (
        archive.open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file) as plain,
        tarfile.open(fileobj=plain, mode="r|") as tar,
    ):
        yield tar


def _place_file(source: Path, path: Path) -> None:
    for ending in ("-wal", "-shm"):  # These belong to the old store; SQLite would apply them to the new one.
        Path(f"{path}{ending}").unlink(missing_ok=True)
    os.chmod(source, 0o600)
    os.replace(source, path)


def place_checkpoint(source: Path, target: Path) -> None:
    """Move a checkpoint to a folder, replacing one that is there.

    Spark stores the checkpoint's own path inside it, so that path is rewritten.
    """
    if target.exists():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(source, target)
    for metadata in target.glob("state/*/_metadata/v2/*"):
        if metadata.name.isdigit():
            text = _STATE_SCHEMA.sub(
                lambda found: f"{target.absolute().as_uri()}/state/{found[1]}".replace("file://", "file:"),
                metadata.read_text(),
            )
            metadata.write_text(text)
            metadata.with_name(f".{metadata.name}.crc").unlink(missing_ok=True)
