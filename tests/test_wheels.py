"""The wheels: what `pip install` gives to somebody who has no clone."""

import os
import re
import subprocess
import tarfile
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

import rankcast
from rankcast.extras import EXTRAS

ROOT = Path(rankcast.__file__).parents[2]
MOST_MEGABYTES = 550

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("wheels"),  # one process builds and installs them
    pytest.mark.skipif(
        any(find_spec(tool) is None for tool in ("hatchling", "twine", "check_wheel_contents")),
        reason="the tools that build and check wheels are missing; run: make install",
    ),
]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The archives and what `scripts/check-wheels` said. `all` repeats what the others check: run that by hand."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [ROOT / "scripts" / "check-wheels", "base", *EXTRAS]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=900, env={**_environment(), "KEEP": str(folder)}
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return folder / "dist", run.stdout


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def test_without_extras_it_is_small(checked: tuple[Path, str]) -> None:
    _, said = checked
    found = re.search(r"base: installed in \d+ s, (\d+) MB", said)
    assert found, said
    assert int(found[1]) < MOST_MEGABYTES, said


def test_what_is_installed_works(checked: tuple[Path, str]) -> None:
    _, said = checked
    for name in ("base", *EXTRAS):
        assert f"  {name}: works" in said, said


def test_the_datasets_are_in_a_wheel_of_their_own(checked: tuple[Path, str]) -> None:
    folder, _ = checked
    (own,) = folder.glob("rankcast-*.whl")
    (data,) = folder.glob("rankcast_datasets-*.whl")
    assert not [name for name in ZipFile(own).namelist() if name.endswith(".csv.gz")]
    names = ZipFile(data).namelist()
    assert "rankcast_datasets/data/movies.csv.gz" in names
    assert any(name.endswith("GPL-3.0-only.txt") for name in names)


def test_the_source_archive_has_what_is_installed(checked: tuple[Path, str]) -> None:
    folder, _ = checked
    (archive,) = folder.glob("rankcast-*.tar.gz")
    (wheel,) = folder.glob("rankcast-*.whl")
    with tarfile.open(archive) as tar:
        given = {name.split("/src/", 1)[1] for name in tar.getnames() if "/src/" in name}
    assert given == {name for name in ZipFile(wheel).namelist() if name.startswith("rankcast/")}
