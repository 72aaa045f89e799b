"""Lines that may be events in JSON, for tests of the fast ways to read them."""

import json
from typing import Any

from hypothesis import strategies as st

from rankcast.errors import RankcastError
from rankcast.language import decode_event
from rankcast.language.json_text import read_object

TIMES = [
    "2004-02-13T20:05:00Z", "2004-02-13T20:05:00.25Z", "2004-02-13T20:05:00.123456Z", "2004-02-13T20:05:00+01:00", "2004-02-13", "2004-02-13 20:05:00Z",
    "2004-W07-5T20:05:00Z", "2004-02-31T20:05:00Z", "2004-02-13T24:00:00Z", "2004-02-13T20:05:60Z", "", "x", "0001-01-01T00:00:00Z",
    "2004-02-29T20:05:00Z", "2100-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "2004-13-01T00:00:00Z", "2004-02-13T20:05:00,123456Z",
    "2004-02-13T20:05:00.12345xZ", "2004-02-13T20:60:00Z",
]  # fmt: skip
names = st.sampled_from(["a", "b", "genre", "ü", "", "a\x07", "x" * 257, 'quo"te', "time", "is"])
texts = st.one_of(names, st.text(max_size=5))
scalars = st.one_of(
    texts, st.integers(), st.sampled_from([2**63, 2**63 - 1, -(2**63), -(2**63) - 1]), st.floats(), st.booleans(), st.none()
)  # fmt: skip
times = st.sampled_from(TIMES).map(lambda text: {"time": text})
values = st.one_of(
    scalars, times, st.lists(scalars, max_size=3), st.lists(texts, max_size=3), st.dictionaries(names, scalars)
)


def careful(raw: bytes, seq: int) -> Any:
    try:
        return decode_event(read_object(raw), seq=seq)
    except RankcastError as error:
        return str(error)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Texts of objects that may be events; fields and names may occur twice."""
    fields = draw(
        st.lists(
            st.one_of(
                st.tuples(st.just("id"), st.one_of(texts, scalars)),
                st.tuples(st.just("source"), st.one_of(texts, scalars)),
                st.tuples(st.sampled_from(["advertisement", "k", "more"]), scalars),
            ),
            max_size=2,
        )
    )
    if draw(st.integers(0, 9)):
        fields.append(("id", draw(texts)))
    if draw(st.integers(0, 9)):
        fields.append(("time", draw(st.sampled_from(TIMES[:1] * 9 + TIMES))))
    inner = draw(st.lists(st.tuples(names, values), max_size=4))
    escaped = draw(st.booleans())
    attributes = ", ".join(f"{dumped(name, escaped)}: {dumped(value, escaped)}" for name, value in inner)
    parts = [f"{dumped(name, escaped)}: {dumped(value, escaped)}" for name, value in fields]
    parts.append(f'"attributes": {{{attributes}}}')
    return ("{" + ",".join(draw(st.permutations(parts))) + "}").encode("utf-8", "surrogatepass")


def dumped(value: Any, escaped: bool) -> str:
    return json.dumps(value, ensure_ascii=escaped)


@st.composite
def damaged_lines(draw: st.DrawFn) -> bytes:
    """Such texts with a few bytes replaced, removed or added."""
    raw = bytearray(draw(lines()))
    for _ in range(draw(st.integers(1, 3))):
        at, byte = draw(st.integers(0, len(raw) - 1)), draw(st.sampled_from(BYTES))
        raw[at : at + draw(st.integers(0, 2))] = bytes((byte,)) * draw(st.integers(0, 2))
    return bytes(raw)


BYTES = [*b'{}[]:,"\\ \t\n\r\x00\x1f\x7f.-+eE0159truefalsn', 0x80, 0xC3, 0xA9, 0xE2, 0xF0, 0xFF]
