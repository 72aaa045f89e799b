"""``rankcast policy``."""

import json
from typing import Any

import pytest
from tests.support.edges import outside

from rankcast.cli.catalog.policy import _SETTINGS
from rankcast.model import Policy
from rankcast.model.declared import declared

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
    ("--novelty", "decay", "--novelty-aging", "0.5"): {"novelty": {"scoring": "decay", "aging": 0.5}},
    (
        *("--decay", "exponential", "--decay-beta", "2", "--decay-alpha", "0.5"),
        *("--decay-window", "20", "--decay-unit", "matched"),
    ): {"decay": {"form": "exponential", "beta": 2.0, "alpha": 0.5, "window": 20, "unit": "matched"}},
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
    store("subscribe", "--user", "ann", "true")
    assert shown(store, "--user", "ann") == {"kind": "policy", "user": "ann"}
    assert store("policy").stdout == ""


def test_remove(store: Any) -> None:
    store("subscribe", "--user", "ann", "true")
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


def test_what_costs_too_much_is_refused_up_to_a_limit_that_can_be_set(store: Any) -> None:
    costly = "--user=ann", "--mode=sliding", "--k=200", "--length=1000", "--sigma=0.5", "--select=improved"
    assert "the limit is 5,000 µs" in store("policy", *costly, code=2).stderr
    assert store("policy").stdout == ""
    store("policy", *costly, "--max-policy-cost=100000")
    assert "the limit is 10 µs" in store("policy", "--user=bob", "--k=1", "--max-policy-cost=10", code=2).stderr


def test_a_filter_from_a_minimum_on(store: Any) -> None:
    store("policy", "--user", "ann", "--filter", "minimum", "--minimum", "0.3")
    assert shown(store, "--user", "ann")["filter"] == {"novelty": "minimum", "minimum": 0.3}
    assert "needs the field 'minimum'" in store("policy", "--user", "bob", "--filter", "minimum", code=2).stderr


def test_another_span_of_the_decay_replaces_the_one_before(store: Any) -> None:
    store("policy", "--user", "ann", "--decay-window", "20", "--decay-unit", "matched", "--decay-alpha", "0.5")
    store("policy", "--user", "ann", "--decay-period", "1d")
    assert shown(store, "--user", "ann")["decay"] == {"alpha": 0.5, "period": "1d"}


def test_every_declared_field_has_an_option_that_refuses_what_lies_beyond_its_bound(store: Any) -> None:
    for one in _SETTINGS:
        known = ("--filter", "threshold", "--rate", "1") if one.path[0] == "filter" else ()
        for value in outside(one.kind)[:3]:
            match value:
                case [] | "nonsense":
                    continue
                case list():
                    words = [f"{one.names[0]}={name}" for name in value]
                case dict():
                    words = [f"{one.names[0]}={name}={number}" for name, number in value.items()]
                case _:
                    words = [f"{one.names[0]}={value}"]
            if any("\0" in word for word in words):
                continue  # no command line can have it
            said = store("policy", "--user", "ann", *known, *words, code=2).stderr
            assert one.path[-1] in said, (one.path, value)
    assert store("policy").stdout == ""
    assert {one.path[0] for one in _SETTINGS} >= {field.name for field in declared(Policy)} - {"user"}


def test_whose(store: Any) -> None:
    assert "--user" in store("policy", "--k", "2", code=2).stderr


def test_what_people_may_not_expect_is_said(store: Any) -> None:
    store("subscribe", "-u", "ann", "genre = 'drama'")
    said = store("policy", "-u", "ann", "--mode", "sliding", "--k", "3", "--length", "100").stderr
    assert "note: all events rank the same, and of equal events the newer one wins" in said
    assert "choose mode periodic" in said
    assert "so k and length have no effect" in store("policy", "-u", "ann", "--mode", "all").stderr
    store("subscribe", "-u", "ann", "genre = 'noir'", "--score", "0.5")
    assert "note" not in store("policy", "-u", "ann", "--mode", "sliding").stderr
