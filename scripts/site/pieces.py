"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence

__all__ = ["cell", "code", "table"]


def code(text: object) -> str:
    """The text in a typewriter face; nothing for nothing."""
    return f"`{text}`" if text not in (None, "") else ""


def cell(text: object) -> str:
    """The text as it may stand in a table."""
    return " ".join(str(text).split()).replace("|", "&#124;" if "`" not in str(text) else "\\|")


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, with an empty line after it."""
    lines = (titles, ("---",) * len(titles), *rows)
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines) + "\n"
