"""``rankcast forward``: the example of semantics: Producer-side top-k, its options and its errors."""

import json
from typing import Any

import pytest

BOXES = {
    "s1": (1, 10, 1, 10), "s2": (1, 10, 1, 5), "s3": (3, 7, 1, 8), "s4": (9, 10, 9, 10),
    "s5": (1, 5, 1, 5), "s6": (3, 10, 2, 4), "s7": (3, 6, 1, 5),
}  # fmt: skip


@pytest.fixture
def catalog(lines: Any) -> Any:
    """Write the subscriptions of semantics: Producer-side top-k with an advertisement."""

    def write(**advertisement: Any) -> str:
        records = [
            {
                "kind": "subscription",
                "id": name,
                "user": "u",
                "where": f"x between {a} and {b} and y between {c} and {d}",
            }
            for name, (a, b, c, d) in BOXES.items()
        ]
        under = {"kind": "advertisement", "id": "a1", "publisher": "p", "where": "x >= 1", "k": 2, **advertisement}
        return str(lines("c.jsonl", [*records, under]))

    return write


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--strategy", "rank-cover"), "s1 s2 s3 s4"),
        (("--strategy", "rank-cover", "--score", "area"), "s1 s2 s3 s4"),
        (("--strategy", "ancestor-cover", "--k", "3"), "s1 s2 s3 s4 s5 s6"),
        (("--strategy", "ancestor-fair", "-k", "3"), "s1 s2 s3 s4 s5 s6"),
        (("--strategy", "regular-cover"), "s1"),
        (("--strategy", "regular"), "s1 s2 s3 s4 s5 s6 s7"),
        (("--strategy", "ancestor-cover", "--score", "degree"), "s1 s2 s3 s4 s5 s6 s7"),
    ],
)
def test_the_paper_s_example(rankcast: Any, catalog: Any, options: tuple[str, ...], expected: str) -> None:
    result = rankcast("forward", "--catalog", catalog(), "--advertisement", "a1", *options)
    assert result.stdout.split() == expected.split()
    assert result.stderr == ""


def test_weights_come_with_json(rankcast: Any, catalog: Any) -> None:
    arguments = ("--catalog", catalog(rank="fair"), "-a", "a1", "--strategy", "ancestor-fair", "--json")
    found = [json.loads(line) for line in rankcast("forward", *arguments).stdout.splitlines()]
    assert [one["subscription"] for one in found] == ["s1", "s2", "s3", "s4"]
    assert sum(one["weight"] for one in found) == pytest.approx(7)


def test_a_fair_ranking_is_said_to_prove_nothing(rankcast: Any, catalog: Any) -> None:
    result = rankcast("forward", "--catalog", catalog(rank="fair"), "-a", "a1")
    assert result.stdout.split() == list(BOXES)
    assert "ancestor-fair forwards fewer" in result.stderr
    result = rankcast("forward", "--catalog", catalog(rank="fair"), "-a", "a1", "--score", "area")
    assert result.stdout.split() == ["s1", "s2", "s3", "s4"]


def test_errors(rankcast: Any, catalog: Any, lines: Any) -> None:
    result = rankcast("forward", "--catalog", catalog(), "-a", "a2", code=1)
    assert "no advertisement 'a2'" in result.stderr
    assert rankcast("forward", "--catalog", catalog(), "-a", "a1", "--strategy", "best", code=2).stdout == ""
    broken = lines(
        "b.jsonl", ['{"kind": "advertisement", "id": "a1", "publisher": "p", "where": "x > 1", "k": 1}', "?"]
    )
    assert "b.jsonl" in rankcast("forward", "--catalog", broken, "-a", "a1", code=1).stderr
