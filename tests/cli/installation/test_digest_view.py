"""How the demo looks, without Spark."""

import io
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from rich.cells import cell_len

from rankcast.cli.installation import digest_view
from rankcast.cli.installation.digest_view import DemoDigest
from rankcast.cli.output import Output
from rankcast.engine.reference.shard import Shard
from rankcast.lab.datasets import demo_catalog, movies


@pytest.fixture(scope="module")
def digests() -> list[DemoDigest]:
    catalog = demo_catalog()
    films = {film.id: film for film in movies(3000)}
    shard = Shard(catalog)
    matched: dict[str, dict[str, None]] = defaultdict(dict)
    for film in films.values():
        for match in shard.match(film):
            matched[match.user][match.event] = None
    deliveries = [*shard.publish(films.values()), *shard.close()]
    return [
        DemoDigest(user, catalog, films, list(matched[user]), [one for one in deliveries if one.user == user])
        for user in catalog.users()
    ]


class Terminal(io.StringIO):
    """A terminal of a hundred columns."""

    def isatty(self) -> bool:
        return True


def shown(digests: list[DemoDigest], stdout: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    digest_view.show(digests, 3000, 1.5, Output())
    return stdout.getvalue()


def test_a_pipe_gets_plain_text(digests: list[DemoDigest], monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(digests, io.StringIO(), monkeypatch)
    assert "\x1b" not in text
    assert "╭" not in text
    for digest in digests:
        assert f"\n{digest.user} · " in text
    assert "Next steps" in text


def test_a_terminal_gets_boxes_that_fit(digests: list[DemoDigest], monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(digests, Terminal(), monkeypatch)
    assert text.count("╭") == len(digests) == 12
    assert max(cell_len(line) for line in text.splitlines()) <= 100


def test_every_digest_gives_its_reasons(digests: list[DemoDigest], monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(shown(digests, io.StringIO(), monkeypatch).split())
    assert "title contains Moon and votes at least 100" in text or "title starts with Paris" in text
    assert "3,000 films, 12 users, 2 s" in text


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Birds, The", "The Birds"),
        ("Pelota vasca, La", "La Pelota vasca"),
        ("Atalante, L'", "L'Atalante"),
        ("Good, Bad", "Good, Bad"),
        ("The", "The"),
    ],
)
def test_titles_are_read_out(title: str, said: str) -> None:
    assert digest_view._read_out(title) == said


def test_next_steps_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_view.shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", [str(Path.cwd() / ".venv/bin/rankcast")])
    assert digest_view._command() == ".venv/bin/rankcast"
    monkeypatch.setattr(digest_view.shutil, "which", lambda name: "/bin/rankcast")
    assert digest_view._command() == "rankcast"
