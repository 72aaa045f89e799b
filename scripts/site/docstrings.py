"""Gives docstrings the headings that the NumPy style wants and ours leave out: "Notes" and "Examples"."""

import re
from typing import Any

from griffe import Extension

__all__ = ["Headings", "with_headings"]


class Headings(Extension):
    """Changes the docstrings that the site shows; the sources stay as they are."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Called for every module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = with_headings(obj.docstring.value)

    def on_package(self, *, pkg: Any, **_: Any) -> None:
        """Called for the package that everything is in."""
        self.on_object(obj=pkg)


def with_headings(text: str) -> str:
    """The docstring with a heading before prose that follows the parameters, and before the first doctest."""
    if not re.search(r"^Examples\n-+$", text, re.MULTILINE):
        text = re.sub(r"^>>> ", "Examples\n--------\n>>> ", text, count=1, flags=re.MULTILINE)
    before, heading, after = text.partition("Parameters\n----------\n")
    prose = r"\n\n(?=[^\s>].*(?:\n[^\s-]|\n\n|\Z))"  # an unindented line, with nothing indented or underlined below it
    return before + heading + re.sub(prose, "\n\nNotes\n-----\n", after, count=1) if heading else text
