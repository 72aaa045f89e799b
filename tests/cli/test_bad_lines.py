"""How a line becomes a reject."""

import pytest

from rankcast.cli.operation.publisher import checked, reject_of
from rankcast.errors import RankcastError
from rankcast.language.files import MAX_LINE, MAX_RAW


def test_a_line_may_be_long_but_not_endless() -> None:
    assert len(checked(b"x" * MAX_LINE)) == MAX_LINE
    with pytest.raises(RankcastError, match="more than 10,000,000 bytes"):
        checked(b"x" * (MAX_LINE + 1))


def test_the_reason_is_one_line_and_the_raw_text_is_kept() -> None:
    reject = reject_of("e.jsonl", 7, '{"é": \xff'.encode("latin-1"), ValueError("two\nlines"))
    assert (reject.file, reject.line, reject.reason) == ("e.jsonl", 7, "two lines")
    assert reject.raw == '{"\ufffd": \ufffd'


def test_of_a_long_line_the_beginning_is_kept() -> None:
    reject = reject_of("e.jsonl", 1, "ü".encode() * 2_000_000, ValueError("x"))
    assert reject.raw == "ü" * MAX_RAW + "… (cut; the line has 4,000,000 bytes)"
