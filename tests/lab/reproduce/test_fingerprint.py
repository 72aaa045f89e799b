"""Fingerprints change with what an experiment imports, and with nothing else."""

from pathlib import Path

import pytest

from rankcast.lab.reproduce.running import fingerprint

FILES = {
    "room/__init__.py": "",
    "room/direct.py": "def f():\n    from room.inner.deep import g\n    return g",
    "room/inner/__init__.py": "",
    "room/inner/deep.py": "g = 1",
    "room/unused.py": "",
    "lab/__init__.py": "",
    "lab/first.py": "import os\nfrom room import direct\nimport lab.shared",
    "lab/shared.py": "",
    "lab/second.py": "",
}


@pytest.mark.parametrize("changed", FILES)
def test_what_is_reached_counts(tmp_path: Path, changed: str) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    roots = (tmp_path / "lab", tmp_path / "room")
    before = fingerprint(tmp_path / "lab/first.py", roots)
    assert fingerprint(tmp_path / "lab/first.py", roots) == before
    (tmp_path / changed).write_text(FILES[changed] + "\n# changed")
    after = fingerprint(tmp_path / "lab/first.py", roots)
    assert (after == before) == (changed in ("room/unused.py", "lab/second.py"))
