"""``rankcast graph``: a picture of one user's subscriptions, or of all."""

import json
from pathlib import Path
from typing import Any


def records() -> list[dict[str, Any]]:
    return [
        {"kind": "subscription", "id": "s1", "user": "ann", "where": "genre = 'drama'", "score": 0.7},
        {"kind": "subscription", "id": "s2", "user": "ann", "where": "genre = 'drama' and year > 1999"},
        {"kind": "subscription", "id": "s3", "user": "bob", "where": "year > 1999 and genre = 'drama'", "score": 0.2},
    ]


def test_draws_a_catalog_or_one_user(rankcast: Any, lines: Any, tmp_path: Path) -> None:
    catalog = str(lines("c.jsonl", records()))
    result = rankcast("graph", "--catalog", catalog, "--json")
    assert json.loads(result.stdout) == {"file": "graph.svg", "subscriptions": 3, "nodes": 2, "roots": 1}
    picture = (tmp_path / "graph.svg").read_text()
    assert picture.startswith("<svg")
    assert "● ann 0.7" in picture
    assert "○ bob 0.2" in picture
    result = rankcast("graph", "--catalog", catalog, "--user", "bob", "--out", "bob.svg")
    assert result.stdout == "bob.svg\n"
    assert "ann" not in (tmp_path / "bob.svg").read_text()


def test_an_unknown_user_is_told(rankcast: Any, lines: Any) -> None:
    result = rankcast("graph", "--catalog", str(lines("c.jsonl", records())), "--user", "bobb", code=None)
    assert result.exit_code != 0
    assert "did you mean 'bob'" in result.stderr


def test_too_many_for_a_picture(rankcast: Any, lines: Any) -> None:
    many = [{"kind": "subscription", "id": f"s{n}", "user": "ann", "where": f"x = {n}"} for n in range(201)]
    assert "too many" in rankcast("graph", "--catalog", str(lines("c.jsonl", many)), code=None).stderr
