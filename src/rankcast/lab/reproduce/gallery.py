"""The pictures of the experiments, for example for the web page."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from rankcast.errors import RankcastError
from rankcast.extras import require
from rankcast.lab.reproduce.experiments import Result, checkout, natural

INDEX = "gallery.json"
_COLOURS = 128


class GalleryPicture(msgspec.Struct, frozen=True):
    """A picture: its title, the table or figure it reproduces, its file, and how it compares with the paper."""

    name: str
    title: str
    source: str
    path: Path
    summary: str


def gallery(folder: Path | None = None) -> list[GalleryPicture]:
    """The pictures in a folder with results of `rankcast reproduce`, by source.

    By default the pictures of this checkout; empty if there are none.
    """
    if folder is None:
        try:
            folder = checkout() / "docs" / "reproduction"
        except RankcastError:
            return []
    if (folder / INDEX).is_file():
        kept = msgspec.json.decode(
            (folder / INDEX).read_bytes(), type=list[GalleryPicture], dec_hook=lambda kind, value: kind(value)
        )
        return [msgspec.structs.replace(one, path=folder / one.path) for one in kept]
    summaries = sorted(folder.glob("*/result.json"))
    results = [msgspec.json.decode(summary.read_bytes(), type=Result) for summary in summaries]
    return [
        _picture(result, folder / result.name / name)
        for result in sorted(results, key=lambda result: natural(result.source))
        for name in result.pictures
    ]


def hang(results: Sequence[Result], out: Path, folder: Path) -> dict[str, list[str]]:
    """Copy the pictures of results into one folder, with the index that `gallery` reads; return the names by result.

    The copies have few colours, which reduces their size to a third.
    """
    require("plots")
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    pictures, names = [], {}
    for result in results:
        names[result.name] = [f"{result.name}-{place}.png" for place in range(2, len(result.pictures) + 1)]
        names[result.name][:0] = [f"{result.name}.png"] if result.pictures else []
        for name, copy in zip(result.pictures, names[result.name], strict=True):
            with Image.open(out / result.name / name) as image:
                few = image.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
                few.save(folder / copy, optimize=True)
            pictures.append(_picture(result, Path(copy)))
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(pictures, enc_hook=str)) + b"\n")
    return names


def _picture(result: Result, path: Path) -> GalleryPicture:
    told = f"{result.agreeing} agree." if result.agreeing else ""
    return GalleryPicture(result.name, result.title, result.source, path, " ".join([told, *result.remarks[:1]]).strip())
