"""``rankcast policy``."""

import json
from typing import Any

import pytest

ALL_FIELDS = {
    ("--mode", "sliding"): {"mode": "sliding"},
    ("--k", "2"): {"k": 2},
    ("--length", "4"): {"length": 4},
    ("--unit", "matched"): {"unit": "matched"},
    ("--sigma", "0.5"): {"sigma": 0.5},
    ("--select", "exact"): {"select": "exact"},
    ("--ties", "replace"): {"ties": "replace"},
    ("--weight", "genre=2", "--weight", "year=0.5"): {"weights": {"genre": 2.0, "year": 0.5}},
    ("--attribute", "genre", "--attribute", "year"): {"attributes": ["genre", "year"]},
    ("--origin", "2004-02-13"): {"origin": "2004-02-13T00:00:00Z"},
    ("--aggregate", "mean"): {"aggregate": "mean"},
    ("--levels", "inverse"): {"levels": "inverse"},
    ("--norm", "product"): {"norm": "product"},
    ("--score", "preference=0.7", "--score", "recency=0.3"): {"score": {"preference": 0.7, "recency": 0.3}},
    ("--authority", "imdb=0.5"): {"authority": {"imdb": 0.5}},
    ("--half-life", "2d"): {"half_life": "2d"},
    ("--filter", "sampling", "--rate", "0.2", "--period", "500", "--scoring", "interval", "--update", "eager"): {
        "filter": {"novelty": "sampling", "rate": 0.2, "period": 500, "scoring": "interval", "update": "eager"}
    },
}


def shown(rankcast: Any, *options: str) -> Any:
    (line,) = rankcast("policy", *options).stdout.splitlines()
    return json.loads(line)


def test_every_field_can_be_said(store: Any) -> None:
    options = [word for words in ALL_FIELDS for word in words]
    told = json.loads(store("policy", "--user", "ann", *options, "--json").stdout)
    expected = {name: value for fields in ALL_FIELDS.values() for name, value in fields.items()}
    assert told == {"kind": "policy", "user": "ann", **expected}
    assert shown(store, "--user", "ann") == told
    rest = ("--aging", "0.5", "--rates", "period", "--seed", "7")
    store("policy", "--user", "ann", *rest)
    assert shown(store)["filter"] == {**expected["filter"], "aging": 0.5, "rates": "period", "seed": 7}


def test_what_is_not_said_stays(store: Any) -> None:
    store("policy", "--user", "ann", "--mode", "sliding", "--k", "2", "--length", "4", "--unit", "matched")
    store("policy", "--user", "ann", "--k", "3")
    assert shown(store, "--user", "ann") == {
        "kind": "policy",
        "user": "ann",
        "mode": "sliding",
        "k": 3,
        "length": 4,
        "unit": "matched",
    }
    store("policy", "--user", "ann", "--length", "1h30m")
    assert shown(store, "--user", "ann")["length"] == "1h30m"


def test_nobody_said_anything(store: Any) -> None:
    assert shown(store, "--user", "ann") == {"kind": "policy", "user": "ann"}
    assert store("policy").stdout == ""


def test_remove(store: Any) -> None:
    store("policy", "--user", "ann", "--sigma", "0.5")
    store("policy", "--user", "ann", "--remove")
    assert shown(store, "--user", "ann") == {"kind": "policy", "user": "ann"}
    assert "no policy" in store("policy", "--user", "ann", "--remove", code=1).stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mode", "sliding"], "needs both 'k' and 'length'"),
        (["--mode", "slidin"], "'slidin' is not one of"),
        (["--k", "0"], "k is 0"),
        (["--sigma", "1.5"], "sigma is 1.5"),
        (["--length", "soon"], "is not a duration"),
        (["--length", "4", "--unit", "time"], "no unit of time"),
        (["--weight", "genre"], "name=value"),
        (["--score", "charm=1"], "'score' has no part 'charm'"),
        (["--rate", "0.2"], "novelty"),
    ],
)
def test_mistakes(store: Any, options: list[str], said: str) -> None:
    assert said in " ".join(store("policy", "--user", "ann", *options, code=2).stderr.replace("│", "").split())
    assert store("policy").stdout == ""


def test_whose(store: Any) -> None:
    assert "--user" in store("policy", "--k", "2", code=2).stderr
