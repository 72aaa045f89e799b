"""``rankcast relate``: the examples of semantics: Events and subscriptions, errors that point, concepts from a catalog."""

import json
from typing import Any

import pytest

EXAMPLES = [
    ("x >= 1 and x <= 5", "x between 1 and 5", "EQUAL"),
    ("x = 1 or x = 2", "x in (1, 2)", "EQUAL"),
    ("p = 'a'", "p = 'b'", "OVERLAPS"),
    ("t contains 'b'", "t endswith 'ab'", "COVERS"),
    ("t endswith 'ab'", "t contains 'b'", "COVERED"),
    ("genre = 'drama'", "genre = 'drama' and director = 'T. Burton'", "COVERS"),
    ("x < 1", "x > 2", "DISJOINT"),
    ("x exists", "x != 1", "COVERS"),
    ("not (x = 1)", "x != 1", "COVERS"),
    ("start < time '2026-05-01T20:00:00Z'", "start < date '2026-05-01'", "COVERS"),
]


@pytest.mark.parametrize(("first", "second", "relation"), EXAMPLES)
def test_prints_just_the_word(rankcast: Any, first: str, second: str, relation: str) -> None:
    result = rankcast("relate", first, second)
    assert (result.stdout, result.stderr) == (f"{relation}\n", "")
    assert json.loads(rankcast("relate", first, second, "--json").stdout) == {"relation": relation}


def test_an_error_points_at_the_character(rankcast: Any) -> None:
    result = rankcast("relate", "title startwith 'The'", "x = 1", code=2)
    assert result.stdout == ""
    message, text, caret = result.stderr.splitlines()
    assert "did you mean 'startswith'?" in message
    assert text[caret.index("^") :].startswith("startwith")


def test_concepts_come_from_a_catalog(rankcast: Any, lines: Any) -> None:
    catalog = lines(
        "c.jsonl",
        [
            {"kind": "concept", "name": "cheap", "attribute": "price", "trapezoid": [0, 0, 500, 900]},
            {"kind": "concept", "name": "cheapish", "attribute": "price", "trapezoid": [0, 0, 600, 1000]},
        ],
    )
    with_concepts = ("price is cheapish", "price is cheap", "--catalog", catalog)
    assert rankcast("relate", *with_concepts).stdout == "COVERS\n"


@pytest.mark.parametrize(
    "text", ["(" * 10_000 + "x = 1" + ")" * 10_000, "x = 1 or " * 1_200_000 + "x = 1", "", "x = '\ud800'", "x = nan"]
)
def test_hostile_text_gets_an_error_at_once(rankcast: Any, text: str) -> None:
    result = rankcast("relate", text, "x = 1", code=2)
    assert result.stderr.startswith("error: ")
    assert len(result.stderr) < 1000
