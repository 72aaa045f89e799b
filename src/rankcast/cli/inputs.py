"""Reads a catalog and events from files, for the commands that need no store."""

from pathlib import Path
from typing import TYPE_CHECKING

from rankcast.cli.operation.rejects import tell
from rankcast.cli.output import Output, write_lines
from rankcast.language.compressed import is_compressed

if TYPE_CHECKING:
    from rankcast.model import Catalog, Event, Reject


def read_inputs(
    catalog_file: Path, events_file: Path, out: Output, rejects_file: Path | None = None
) -> "tuple[Catalog, list[Event], int]":
    """Read the catalog and the events in publication order; report and count the unusable lines."""
    from rankcast.engine.event_texts import read_texts
    from rankcast.language import encode_reject, read_events
    from rankcast.language.event_files import event_file
    from rankcast.overlay import check_publication

    if understood := event_file(events_file).understood():
        out.say(understood)
    catalog, bad_records = read_catalog_file(catalog_file, out)
    with out.progress("reading the events", count_lines(events_file)) as advance:
        events, bad_events = read_events(
            events_file, catalog, lambda number: advance(1), lambda event: check_publication(catalog, event), read_texts
        )
    found = [*bad_records, *bad_events]
    if rejects_file is not None:
        write_lines(rejects_file, map(encode_reject, found))
    tell(out, found)
    return catalog, events, len(found)


def read_catalog_file(file: Path, out: Output) -> "tuple[Catalog, list[Reject]]":
    """Read a catalog, with a progress bar; also returns the lines that cannot be used."""
    from rankcast.language import read_catalog

    with out.progress("reading the catalog", count_lines(file)) as advance:
        return read_catalog(file, lambda number: advance(1))


def count_lines(path: Path | str) -> int | None:
    """The number of lines of a plain file, read at disk speed; None for streams, tables and compressed files."""
    path = Path(path)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(4)
        if is_compressed(head) or head in (b"PAR1", b"ARRO"):
            return None
        file.seek(0)
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
