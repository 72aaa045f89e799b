"""Every citation of the semantics names a section of `docs/semantics.md` by its title."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CITATION = re.compile(r"semantics: ([A-Z][^.;)\"`:\n]*)")


def titles(page: str) -> list[str]:
    """The titles of a page's sections, longest first, so that none hides another that begins like it."""
    return sorted(re.findall(r"^#{2,3} (.+)$", page, re.MULTILINE), key=len, reverse=True)


def unresolved(text: str, known: list[str]) -> list[str]:
    """The citations in a text that begin with no known title."""
    return [cited for cited in CITATION.findall(text) if not cited.startswith(tuple(known))]


def sources() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.py", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines()]


@pytest.fixture(scope="module")
def known() -> list[str]:
    return titles((ROOT / "docs" / "semantics.md").read_text())


def test_every_citation_resolves(known: list[str]) -> None:
    wrong = {str(file.relative_to(ROOT)): unresolved(file.read_text(), known) for file in sources() if file.exists()}
    assert not {file: cited for file, cited in wrong.items() if cited and file != "tests/test_citations.py"}


def test_a_section_that_is_not_there_is_found(known: list[str]) -> None:
    assert unresolved("as decided (semantics: Moonlight)", known) == ["Moonlight"]
    assert unresolved("as decided (semantics: Novelty, filters)", known) == []
