"""The stores and the checkpoint that releases of schema versions 3 and 4 made (tests/store/fixtures)."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import psycopg
import zstandard

from rankcast.language import decode_event, encode_delivery
from rankcast.model import Event
from rankcast.store import Store
from rankcast.store.backups import place_checkpoint

FIXTURES = Path(__file__).parent.parent / "store" / "fixtures"
FOLDER = FIXTURES / "schema3"
NEXT = FIXTURES / "schema4"
SHARDS = 2
REFUSED = ("forever", "overflow")
"""The users whose policies later releases refuse."""


def unpacked(name: str, of: Path = FOLDER) -> bytes:
    return zstandard.ZstdDecompressor().decompress((of / f"{name}.zst").read_bytes())


def put_file(name: str, folder: Path, of: Path = FOLDER) -> Path:
    """A store in a file."""
    path = folder / name
    path.write_bytes(unpacked(name, of))
    return path


def put_checkpoint(folder: Path) -> Path:
    """The checkpoint of `spark.db`."""
    with tarfile.open(fileobj=io.BytesIO(unpacked("spark.checkpoint.tar"))) as archive:
        archive.extractall(folder / "moved", filter="data")
    place_checkpoint(folder / "moved" / "spark.checkpoint", folder / "spark.checkpoint")
    return folder / "spark.checkpoint"


def put_postgresql(url: str, of: Path = FOLDER) -> None:
    """The store in the empty schema that the URL names."""
    schema = url.rpartition("%3D")[2]
    dump = unpacked("postgresql.sql", of).decode().replace("CREATE SCHEMA before;", "").replace("before.", f"{schema}.")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(dump)


def remaining() -> list[Event]:
    """The events that come after the upgrade."""
    return [decode_event(line) for line in unpacked("remaining.jsonl").decode().splitlines()]


def deliveries() -> list[dict[str, Any]]:
    """What the release before made of all events, without the users whose policies are refused."""
    return [json.loads(line) for line in unpacked("deliveries.jsonl").splitlines()]


def delivered(store: Store) -> list[dict[str, Any]]:
    """What a store has delivered, in the same order, to the same users."""
    made = sorted((one for _, one in store.deliveries() if one.user not in REFUSED), key=lambda one: one.order)
    return [json.loads(json.dumps(encode_delivery(one))) for one in made]
