"""Damaged bytes of a checkpoint are refused with advice; nothing else comes out of reading them."""

import random
import traceback

import msgspec
import pytest

from rankcast.engine.pages import packed, unpacked
from rankcast.errors import StoreError
from rankcast.pipeline.spark.live.host import Host
from rankcast.store import Store


@pytest.fixture
def saved(tmp_path, world):
    """A pipeline over a log, with what its shard has saved."""
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(120))
        pipeline = world.Pipeline(store, tmp_path / "s.db", shards=1, journal=50)
        for up_to in range(20, 120, 20):
            pipeline.serve_log(up_to)
        yield pipeline


def damaged(content: bytes, rng: random.Random) -> bytes:
    made = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        made[rng.randrange(len(made))] = rng.choice([rng.randrange(256), 0xFF, 0, 0xDF, 0xCF, 0xC0, 0x93])
    return bytes(made)


def larger(content: object, rng: random.Random) -> object:
    """Plain data in which one number is enormous, or of another type."""
    match content:
        case dict() if content:
            key = rng.choice(sorted(content, key=str))
            return {**content, key: larger(content[key], rng)}
        case list() if content:
            place = rng.randrange(len(content))
            return [*content[:place], larger(content[place], rng), *content[place + 1 :]]
        case _:
            return rng.choice([2**62, -(2**62), 1e300, None, "", [], {}, b"\xff" * 8])


@pytest.mark.parametrize("part", ["head", "pages", "journal"])
def test_a_damaged_checkpoint_is_refused_or_read(saved, part) -> None:
    rng = random.Random(part)
    token, head, pages, journal = saved.state[0]
    refused, other = 0, dict[str, str]()
    for number in range(150):
        broken = {"head": {0: head}, "pages": dict(pages), "journal": dict(journal)}
        one = rng.choice(sorted(broken[part]))
        content = broken[part][one]
        if number % 2:
            plain = larger(unpacked(content), rng)
            broken[part][one] = msgspec.msgpack.encode(plain) if part == "head" else packed(plain)
        else:
            broken[part][one] = damaged(content if number % 4 else msgspec.msgpack.encode(unpacked(content)), rng)
        saved.state[0] = token, broken["head"][0], broken["pages"], broken["journal"]
        saved.host = Host()
        try:
            saved.serve_log(120)
        except StoreError as error:  # what Spark is told: a sentence, or a traceback
            refused += 1
            if "\n" in str(error):
                other[str(error).splitlines()[-1]] = str(error)
        except Exception as error:
            other[repr(error)] = "".join(traceback.format_exception(error))
    assert not other, "\n".join(other) + "\n\n" + next(iter(other.values()))
    assert refused > 40
