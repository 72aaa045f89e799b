"""The tasks of CONTRIBUTING.md, done for real: a copy of the sources gets a policy field, a delivery mode, a novelty filter
and a page, each with the lines that the table asks for and no other, and a process of its own uses them everywhere.

Operators are tested in test_operators.py. Store backends are: all tests of tests/store run on two (conftest.py there).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankcast.engine.warming import warm_up

SOURCES = Path(__file__).parents[1] / "src" / "rankcast"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("contributor")]

EDITS = {
    "field": {
        "model/policies.py": (
            "    calm: Annotated[",
            '    floor: Annotated[float, About(_SHARE, "The least rank that is sent.", "Least rank")] = 0.0\n',
        ),
        "choose/modes.py": (
            "    if policy.mode is Mode.ALL:\n        return AllEvents()",
            "    if policy.floor:\n        return AtLeast(policy.floor)\n",
        ),
    },
    "mode": {
        "model/policies.py": (
            '    HISTORY = "history", "History"',
            '    ODD = "odd", "Odd", "Whatever matches at an odd position."\n',
        ),
        "choose/modes.py": (
            "    if policy.mode is Mode.ALL:",
            "    if policy.mode is Mode.ODD:\n        return Odd()\n",
        ),
    },
    "filter": {
        "model/policies.py": ('    RANDOM = "random"', '    SECOND = "second", "Every second", "every second match"\n'),
        "choose/filters/of_policy.py": (
            "        case FilterKind.RANDOM:",
            "        case FilterKind.SECOND:\n            return Second()\n",
        ),
    },
    "page": {
        "service/page/pages.py": (
            '    PageEntry("/worlds"',
            '    PageEntry("/hello", "Hello", "o_public", "hello", "A page of a contributor.", _LEARNING),\n',
        ),
    },
}
"""By task and file: the line before which a contributor inserts something, and what."""

ADDED = {
    "choose/modes.py": "from rankcast.choose.odd import Odd\nfrom rankcast.choose.at_least import AtLeast\n",
    "choose/filters/of_policy.py": "from rankcast.choose.filters.second import Second\n",
}
"""Imports, at the end of those that are there."""

FILES = {
    "choose/odd.py": """
from rankcast.choose.all_events import AllEvents

class Odd(AllEvents):
    def publish(self, moment, candidate):
        return super().publish(moment, candidate if moment.seq % 2 else None)
""",
    "choose/at_least.py": """
from rankcast.choose.all_events import AllEvents

class AtLeast(AllEvents):
    def __init__(self, floor):
        self._floor = floor

    def publish(self, moment, candidate):
        return super().publish(moment, candidate if candidate and candidate.rank >= self._floor else None)
""",
    "choose/filters/second.py": """
from rankcast.choose.candidates import StopCause
from rankcast.choose.filters.filtered import Verdict

class Second:
    def __init__(self):
        self._count = 0

    def admit(self, candidate):
        self._count += 1
        passed = self._count % 2 == 0
        return Verdict(passed, "counted", None if passed else StopCause.CHANCE)

    def keep(self, ids):
        pass

    def state(self):
        return {"count": self._count}

    def restore(self, state):
        self._count = state["count"]
""",
    "service/page/hello/__init__.py": """
from nicegui import ui

def build(view):
    ui.label("Hello, contributor")
""",
}

PROGRAM = """
import io, json, sys
from contextlib import redirect_stdout
from rankcast.cli.main import app

def command(*arguments):
    with redirect_stdout(io.StringIO()) as said:
        app(list(arguments), standalone_mode=False)
    return said.getvalue()

def sent(engine):
    made = command("replay", "--catalog", "catalog.jsonl", "--events", "events.jsonl", "--engine", engine)
    found = {}
    for line in made.splitlines():
        one = json.loads(line)
        found.setdefault(one["user"], []).append(int(one["event"]))
    return found

records = [{"kind": "subscription", "id": f"{user}{score}", "user": user, "where": f"genre = '{genre}'", "score": score}
    for user in ("field", "mode", "filter") for genre, score in (("drama", 0.9), ("crime", 0.2))]
told = {"field": {"floor": 0.5}, "mode": {"mode": "odd", "k": 1, "length": 5}, "filter": {"filter": {"novelty": "second", "rate": 0.5}}}
records += [{"kind": "policy", "user": user, **fields} for user, fields in told.items()]
open("catalog.jsonl", "w").writelines(json.dumps(one) + "\\n" for one in records)
open("events.jsonl", "w").writelines(
    json.dumps({"id": str(n), "time": f"2026-01-01T00:00:{n:02}Z", "attributes": {"genre": ("drama", "crime")[n % 3 == 0]}})
    + "\\n" for n in range(1, 13))
found = {"sent": {engine: sent(engine) for engine in ("oracle", "local", "index")}}

command("init", "--store", "store.db")
command("policy", "--store", "store.db", "--user", "field", "--floor", "0.25")
command("policy", "--store", "store.db", "--user", "mode", "--mode", "odd", "-k", "1", "--length", "5")
command("policy", "--store", "store.db", "--user", "filter", "--filter", "second", "--rate", "0.5")
lines = command("policy", "--store", "store.db", "--json").splitlines()
found["options"] = {one["user"]: one for one in map(json.loads, lines)}

from rankcast.model import Policy
from rankcast.model.policies import RestartedState, restarted
found["restarts"] = restarted(Policy("a"), Policy("a", floor=0.5)) is not RestartedState.NOTHING

from fastapi.testclient import TestClient
from rankcast.service import ServiceSettings, create_app
service = create_app(ServiceSettings(store="served.db", dev=True))
document = json.dumps(service.openapi()["components"]["schemas"])
found["document"] = [word in document for word in ('"floor"', '"odd"', '"second"')]
with TestClient(service, base_url="http://localhost") as client:
    client.put("/v1/users/ann/policy", json={"floor": 0.5, "filter": {"novelty": "second", "rate": 0.5}}).raise_for_status()
    found["api"] = client.get("/v1/users/ann/policy").json()
    found["hello"] = client.get("/hello").text
    found["form"] = client.get("/policy").text
json.dump(found, open("found.json", "w"))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a process says that runs the edited copy."""
    warm_up()  # compiles what is not compiled yet, for this test and for all others
    folder = tmp_path_factory.mktemp("contributor")
    copy = folder / "src" / "rankcast"
    shutil.copytree(SOURCES, copy)  # with compiled kernels, which are good for files of the same content
    for edits in EDITS.values():
        for name, edit in edits.items():
            text = (copy / name).read_text()
            assert text.count(edit[0]) == 1, (name, edit[0])
            (copy / name).write_text(text.replace(edit[0], edit[1] + edit[0]))
    for name, line in ADDED.items():
        text = (copy / name).read_text()
        (copy / name).write_text(text.replace("\nfrom rankcast.model import", f"\n{line}from rankcast.model import", 1))
    for name, text in FILES.items():
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads((folder / "found.json").read_text())


def test_every_engine_serves_them(found):
    """The dramas, whatever is at an odd position, and every second match."""
    wanted = {"field": [1, 2, 4, 5, 7, 8, 10, 11], "mode": [1, 3, 5, 7, 9, 11], "filter": [2, 4, 6, 8, 10, 12]}
    assert found["sent"] == dict.fromkeys(("oracle", "local", "index"), wanted)


def test_commands_have_them(found):
    assert found["options"]["field"]["floor"] == 0.25
    assert found["options"]["mode"]["mode"] == "odd"
    assert found["options"]["filter"]["filter"]["novelty"] == "second"


def test_a_change_of_the_field_restarts_what_it_declares(found):
    assert found["restarts"] is False


def test_the_service_has_them(found):
    assert found["document"] == [True, True, True]
    assert (found["api"]["floor"], found["api"]["filter"]["novelty"]) == (0.5, "second")


def test_the_page_has_them(found):
    assert "Hello, contributor" in found["hello"]
    assert "A page of a contributor." in found["hello"]
    for label in ("Least rank", "Odd", "Every second"):
        assert label in found["form"], label
