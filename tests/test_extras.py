"""What is installed without extras works, and whoever meets a missing extra is told the command."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import rankcast
from rankcast.errors import EnvironmentProblem, MissingExtra
from rankcast.extras import EXTRAS, extra_of, installation, is_installed, require, require_library

SOURCES = Path(rankcast.__file__).parent
PROJECT = tomllib.loads((SOURCES.parents[1] / "pyproject.toml").read_text())["project"]
HANDED_ON = {"starlette": "fastapi", "PIL": "pillow"}
"""Modules whose distribution has another name, or comes with one that is listed."""
BROUGHT_BY_THE_USER = {"hypothesis", "polars"}


def distribution(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower()


BASE = {distribution(line) for line in PROJECT["dependencies"]}


def imports() -> dict[str, set[str]]:
    """The modules of others that Rankcast imports, and where."""
    found: dict[str, set[str]] = {}
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Import():
                    names = [alias.name for alias in node.names]
                case ast.ImportFrom(module=str(module), level=0):
                    names = [module]
                case _:
                    continue
            for name in (
                {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"rankcast", "_typeshed"}
            ):
                found.setdefault(name, set()).add(str(file.relative_to(SOURCES)))
    return found


def test_every_import_is_declared() -> None:
    distributions = packages_distributions()
    for module, places in imports().items():
        if module in BROUGHT_BY_THE_USER or extra_of(module):
            continue
        known = {name.lower().replace("_", "-") for name in distributions[module]}
        assert known & BASE, f"{module} is in no extra and no dependency, but {sorted(places)} import it"


def test_an_extra_lists_what_brings_its_modules() -> None:
    distributions = packages_distributions()
    assert set(PROJECT["optional-dependencies"]) == {*EXTRAS, "all"}
    for name, extra in EXTRAS.items():
        listed = {distribution(line) for line in PROJECT["optional-dependencies"][name]}
        assert not listed & BASE, f"the extra {name} lists what everybody has"
        for module in extra.modules:
            known = {HANDED_ON.get(module, "")} | {one.lower() for one in distributions.get(module, [])}
            known.add(module.replace("_", "-"))
            assert known & listed, f"the extra {name} does not bring {module}; it lists {sorted(listed)}"


def test_all_is_all() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert set(re.findall(r"\w+", everything)) - {"rankcast"} == set(EXTRAS)


def test_one_command_for_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankcast.extras.is_installed", lambda name: name == "serve")
    with pytest.raises(MissingExtra) as caught:
        require("spark", "serve", "kafka")
    assert str(caught.value) == (
        'Spark and the Kafka client are not installed; run: pip install "rankcast[spark,kafka]"'
    )
    assert isinstance(caught.value, EnvironmentProblem)
    assert isinstance(caught.value, ImportError)
    require("serve")


def test_a_library_of_the_user() -> None:
    require_library("msgspec")
    with pytest.raises(MissingExtra, match="no_such_library is not installed; run: pip install no_such_library"):
        require_library("no_such_library")


def test_who_brings_a_module() -> None:
    assert extra_of("confluent_kafka.admin") == "kafka"
    assert extra_of("msgspec") is None
    assert extra_of(None) is None
    assert is_installed("demo")


# Without the extras: a process in which their modules cannot be found.

PROBE = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

ABSENT = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Nowhere())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name.partition(".")[0] in ABSENT else real(name, package)
"""
COMMANDS = """
from typer.testing import CliRunner
from rankcast.cli.main import app

for line in sys.stdin.read().splitlines():
    result = CliRunner().invoke(app, line.split("|"))
    print(result.exit_code, " ".join(result.stderr.split()))
"""
EVERYTHING = ",".join(module for extra in EXTRAS.values() for module in extra.modules)


def without_extras(program: str, stdin: str = "", absent: str = EVERYTHING, folder: Path | None = None) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", PROBE + program, absent], input=stdin, capture_output=True, text=True, cwd=folder
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def test_commands_without_extras(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"id": "a", "time": "2026-01-01", "genre": "drama"}\n')
    (tmp_path / "catalog.jsonl").write_text("")
    files = "--catalog|catalog.jsonl|--events|events.jsonl"
    lines = {
        "init|s.db": "",
        "subscribe|--store|s.db|--user|ann|genre exists": "",
        "token|create|--administrator|--store|s.db": "serve",
        "demo": "demo",
        "serve|--dev": "serve",
        "serve|--dev|--world|movies": "serve,demo",
        "run|--engine|spark|--store|s.db": "spark",
        "run|--engine|spark|--store|s.db|--sink|kafka://localhost:1/t": "spark,kafka",
        "publish|events.jsonl|--to|kafka://localhost:1/t": "kafka",
        "init|postgresql://localhost:1/x": "postgres",
        f"match|{files}|--engine|spark": "spark",
        f"backtest|{files}|--picture|x.png": "spark,plots",
        "concepts|mine|--attribute|price|--dataset|listings|--store|s.db": "spark,demo",
    }
    answers = without_extras(COMMANDS, "\n".join(lines), folder=tmp_path)
    for (line, extras), answer in zip(lines.items(), answers, strict=True):
        if not extras:
            assert answer.startswith("0"), f"{line}: {answer}"
        else:
            assert answer.startswith("3 "), f"{line}: {answer}"
            assert answer.endswith(installation(*extras.split(","))), f"{line}: {answer}"


LIBRARY = """
import rankcast as rc

films = [{"id": "a", "time": "2026-01-01", "genre": "drama"}]
sent = rc.deliver(films, rc.user("ann").wants("genre = 'drama'"))
print(len(sent), sent.to_arrow().num_rows)
for place, name in [("rankcast.pipeline.spark", "deliver"), ("rankcast.service", "create_app")]:
    try:
        getattr(importlib.import_module(place), name)()
    except ImportError as error:
        print(error)
try:
    sent.to_pandas()
except ImportError as error:
    print(error)
"""


def test_the_library_without_extras() -> None:
    assert without_extras(LIBRARY) == [
        "1 1",
        'Spark is not installed; run: pip install "rankcast[spark]"',
        'the service is not installed; run: pip install "rankcast[serve]"',
        "pandas is not installed; run: pip install pandas",
    ]


def test_an_import_that_nobody_announced_is_explained(tmp_path: Path) -> None:
    program = COMMANDS.replace(
        "for line in", "import rankcast.extras; rankcast.extras.is_installed = lambda name: True\nfor line in"
    )
    (answer,) = without_extras(program, "serve|--dev|--store|s.db", "uvicorn", tmp_path)
    assert answer == '3 error: the service is not installed; run: pip install "rankcast[serve]"'
