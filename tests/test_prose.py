"""Prose that people read: README, docs, CHANGELOG and CONTRIBUTING."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 120


def too_long(text: str) -> Iterator[int]:
    """The numbers of the lines of prose that are too long; tables and examples are not prose."""
    is_example = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            is_example = not is_example
        elif not is_example and not line.startswith(("|", "    ", "![", "<!--")) and len(line) > LONGEST:
            yield number


def test_lines_are_short():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 10
    assert [f"{page.relative_to(ROOT)}:{line}" for page in pages for line in too_long(page.read_text())] == []


def test_a_long_line_is_found_and_tables_and_examples_are_not():
    long = "x" * (LONGEST + 1)
    assert list(too_long(f"short\n{long}\n| {long} |\n    {long}\n```\n{long}\n```\n{long}")) == [2, 8]
