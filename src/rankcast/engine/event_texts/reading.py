"""Events from many texts at a time. Their attributes are read later, and mostly never: the index reads the bytes."""

from collections.abc import Sequence
from datetime import datetime
from itertools import repeat

import numpy as np

from rankcast.engine.choice import FEW_EVENTS
from rankcast.language.events import WrittenAttributes
from rankcast.language.plain_events import plain_events
from rankcast.model import MAX_NAME, MAX_TEXT, Event
from rankcast.plain import Array, objects


def read_texts(texts: Sequence[bytes], seqs: Sequence[int] | None = None) -> list[Event | None]:
    """The events in JSON texts; None for a text that must be read with care, by `decode_event`.

    They have the positions `seqs`, or none yet. About 1 µs for an event of ten attributes, which are read on first use.
    A few texts are not worth loading a kernel.

    >>> texts = [b'{"id": "e1", "time": "2004-02-13T20:05:00Z", "attributes": {"year": 2004}}', b"[]"]
    >>> [event and dict(event.attributes) for event in read_texts(texts)]
    [{'year': (2004,)}, None]
    """
    return EventReader().read(texts, seqs)


class EventReader:
    """Does what `read_texts` does, for texts that come in parts: the kernel is loaded when there are enough of them."""

    def __init__(self) -> None:
        self._asked = 0

    def read(self, texts: Sequence[bytes], seqs: Sequence[int] | None = None) -> list[Event | None]:
        """The events in further texts."""
        self._asked += len(texts)
        if self._asked >= FEW_EVENTS:
            return scanned(texts, seqs)
        read = plain_events(texts)
        return read if seqs is None else [event and event.at(seq) for seq, event in zip(seqs, read, strict=True)]


def scanned(texts: Sequence[bytes], seqs: Sequence[int] | None = None) -> list[Event | None]:
    """As `read_texts`, with the kernel for any number of texts."""
    from rankcast.engine.event_texts.scanning import HEAD, ID, IS_PLAIN, NO_ASCII, SOURCE, TIME, scan_events

    data, bounds = joined(texts)
    heads = np.empty((len(texts), HEAD), np.int64)
    scan_events(np.frombuffer(data, np.uint8), bounds, MAX_NAME, heads)
    state = heads[:, IS_PLAIN]
    # A short text has no string that is too long.
    state[np.diff(bounds) > MAX_TEXT] = 0
    for place in np.flatnonzero(state == NO_ASCII).tolist():
        state[place] = _is_unicode(texts[place])
    plain = np.flatnonzero(state)
    # The texts of the parts are ASCII, whatever else is in the data.
    whole = data.decode("latin-1")
    spans = heads[plain]

    def parts(column: int) -> list[str]:
        return [whole[begin:end] for begin, end in spans[:, column : column + 2].tolist()]

    count = len(plain)
    written = objects(WrittenAttributes, count, _text=map(texts.__getitem__, plain.tolist()), _known=repeat(None))
    events = objects(
        Event,
        count,
        id=parts(ID),
        time=map(datetime.fromisoformat, parts(TIME)),
        attributes=written,
        source=[whole[begin:end] if begin >= 0 else None for begin, end in spans[:, SOURCE : SOURCE + 2].tolist()],
        advertisement=repeat(None),
        k=repeat(None),
        seq=repeat(0) if seqs is None else map(seqs.__getitem__, plain.tolist()),
    )
    if count == len(texts):
        return events
    found: list[Event | None] = [None] * len(texts)
    for place, event in zip(plain.tolist(), events, strict=True):
        found[place] = event
    return found


def joined(texts: Sequence[bytes]) -> tuple[bytes, Array]:
    """All texts, each followed by a byte that is none of its own, and where each begins; at last the end."""
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=bounds[1:])
    return b"\n".join(texts), bounds


def _is_unicode(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
