"""The documentation site: it builds without a warning, from declarations, and every page is near the first."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

import pytest

from rankcast.model import Op, SpecialOp
from rankcast.model.declared import declared
from rankcast.model.policies import Policy

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "rankcast"
FIRST = "index.html"
CLICKS = 2
INTERNAL_VARIABLES = {"RANKCAST_TRIAL_NICE"}
"""Set by a process for its children."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("site"),  # built once
    pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is missing; run: make install"),
]


class Links(HTMLParser):
    """The addresses in a page: where links lead, and what a browser loads."""

    def __init__(self) -> None:
        super().__init__()
        self.leads: set[str] = set()
        self.loads: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.leads.add(given["href"])
        for name in ("src", "data", "srcset"):
            if given.get(name):
                self.loads.add(given[name])
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next") and given.get("href"):
            self.loads.add(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "WARNING" not in run.stderr, run.stderr
    return folder


def links_of(page: Path) -> Links:
    found = Links()
    found.feed(page.read_text())
    return found


def pages_of(site: Path) -> set[str]:
    return {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html"}


def pages_linked_by(site: Path, page: str) -> set[str]:
    targets = (urlsplit(link) for link in links_of(site / page).leads)
    return {
        normpath(join(page, "..", unquote(target.path)))
        for target in targets
        if not target.netloc and target.path.endswith(".html")
    }


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    """A link counts wherever it stands: in the text, in the tabs or in the navigation."""
    reached = {FIRST}
    for _ in range(CLICKS):
        reached |= {other for page in reached for other in pages_linked_by(site, page)}
    assert pages_of(site) <= reached, f"not reached in {CLICKS} clicks: {sorted(pages_of(site) - reached)}"


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in pages_of(site):
        foreign = {link for link in links_of(site / page).loads if urlsplit(link).netloc}
        assert not foreign, f"{page} loads {foreign}"


def test_each_idea_has_a_picture(site: Path) -> None:
    for page in (site / "concepts").glob("*.html"):
        if page.name != FIRST:
            assert f"{page.stem}.svg" in links_of(page).loads, f"{page.name} has no picture"
            assert (page.with_suffix(".svg")).exists()


def test_the_reference_is_complete(site: Path) -> None:
    operators = (site / "reference/operators.html").read_text()
    for op in (*Op, *SpecialOp):
        symbol = op.value.replace("<", "&lt;").replace(">", "&gt;")
        assert f"<code>{symbol}</code>" in operators, f"{op.value} is missing"
    policies = (site / "reference/policies.html").read_text()
    for one in declared(Policy):
        assert one.name == "user" or f"<code>{one.name}</code>" in policies, f"{one.name} is missing"
    commands = (site / "reference/commands.html").read_text()
    for name in ("rankcast publish", "rankcast rejects serve-again", "rankcast token create", "rankcast rejects"):
        assert re.search(rf"<h3[^>]*>{name}<", commands), f"{name} is missing"
    assert "/v1/users/{user}/deliveries/live" in (site / "reference/routes.html").read_text()
    assert "rankcast_lag_events" in (site / "reference/metrics.html").read_text()
    assert "rankcast.model.Policy" in (site / "reference/python/model.html").read_text()


def test_environment_variables_are_listed(site: Path) -> None:
    named = {
        name
        for file in SOURCES.rglob("*.py")
        for name in re.findall(r"\"(RANKCAST_[A-Z_]+)\"", file.read_text())
        if name not in INTERNAL_VARIABLES
    }
    page = (site / "reference/settings.html").read_text()
    missing = {name for name in named if f"<code>{name}</code>" not in page}
    assert named
    assert not missing, f"scripts/site/service_pages.py does not list {missing}"


def test_docstrings_get_the_headings_of_their_style(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "site"))
    from docstrings import with_headings

    given = "Add.\n\nParameters\n----------\na\n    A number.\n\nIt is quick.\n\n>>> add(1)\n2"
    notes, examples = "Notes\n-----\n", "Examples\n--------\n"
    assert with_headings(given) == given.replace("It is", f"{notes}It is").replace(">>>", f"{examples}>>>")
    assert with_headings(with_headings(given)) == with_headings(given)
