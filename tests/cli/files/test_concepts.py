"""``rankcast concepts mine``: from events, data sets and subscriptions to concepts, in words, JSON and pictures."""

import json
from pathlib import Path

import pytest

EVENT = '{{"id": "e{n}", "time": "2026-01-01T00:00:00Z", "attributes": {{"price": {price}, "same": 1}}}}\n'


@pytest.fixture
def prices() -> Path:
    file = Path("events.jsonl")
    numbers = [100, 101, 102, 103, 104, 500, 501, 502, 503, 504]
    file.write_text("".join(EVENT.format(n=n, price=price) for n, price in enumerate(numbers)))
    return file


def concepts_in(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.spark
def test_from_events_into_the_store(rankcast, prices):
    rankcast("init")
    result = rankcast(
        "concepts", "mine", "--attribute", "price", "--events", str(prices), "--put", "--picture", "p.png"
    )
    assert concepts_in(result.stdout) == [
        {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [103, 501]},
        {"kind": "concept", "name": "expensive", "attribute": "price", "right_shoulder": [103, 501]},
    ]
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert concepts_in(rankcast("concept").stdout) == concepts_in(result.stdout)


@pytest.mark.spark
def test_a_constant_is_answered_with_a_reason(rankcast, prices):
    result = rankcast("concepts", "mine", "--attribute", "same", "--events", str(prices), code=1)
    assert "no concepts: all numbers of 'same' are the same" in result.stderr


@pytest.mark.spark
def test_new_data_is_added_to_a_summary(rankcast, prices):
    arguments = ("concepts", "mine", "--attribute", "price", "--summary", "price.json")
    rankcast(*arguments, "--events", str(prices))
    Path("later.jsonl").write_text(
        "".join(EVENT.format(n=n, price=price) for n, price in enumerate([900, 901, 902, 903]))
    )
    result = rankcast(*arguments, "--events", "later.jsonl")
    assert [concept["name"] for concept in concepts_in(result.stdout)] == ["cheap", "fair", "expensive"]
    assert rankcast(*arguments).stdout == result.stdout  # the summary alone is enough, and needs no Spark


@pytest.mark.spark
def test_without_a_source_the_store_is_the_past(rankcast, prices):
    rankcast("init")
    rankcast("publish", str(prices))
    rankcast("subscribe", "--user", "ann", "price between 900 and 905")
    result = rankcast("concepts", "mine", "--attribute", "price")
    assert [concept["name"] for concept in concepts_in(result.stdout)] == ["cheap", "fair", "expensive"]


def test_from_subscriptions(rankcast):
    wheres = ["price <= 100", "price <= 110", "price < 120", "price between 400 and 420", "price > 410"]
    lines = [{"kind": "subscription", "id": f"s{n}", "user": "u", "where": where} for n, where in enumerate(wheres)]
    Path("c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    result = rankcast(
        "concepts", "mine", "--attribute", "price", "--catalog", "c.jsonl", "--name", "low", "--name", "high"
    )
    assert [concept["name"] for concept in concepts_in(result.stdout)] == ["low", "high"]


def test_a_summary_is_of_one_attribute(rankcast):
    Path("c.jsonl").write_text("")
    arguments = ["--attribute", "a", "--attribute", "b", "--summary", "s.json", "--catalog", "c.jsonl"]
    assert "for one attribute" in rankcast("concepts", "mine", *arguments, code=2).stderr


def test_without_a_source_there_must_be_a_store(rankcast):
    assert "rankcast.db" in rankcast("concepts", "mine", "--attribute", "price", code=3).stderr


def test_a_file_that_is_no_summary(rankcast):
    for content, message in (("{", "s.json is not a summary"), ("{}", "this is no summary of an attribute")):
        Path("s.json").write_text(content)
        result = rankcast("concepts", "mine", "--attribute", "price", "--summary", "s.json", code=2)
        assert message in result.stderr


GENRES = (("drama", "romance"), ("horror", "thriller", "gore"))


@pytest.fixture
def films() -> Path:
    """Films whose genre goes with their length."""
    file = Path("films.jsonl")
    rows = []
    for number in range(60):
        group = number % 2
        attributes = {"genre": GENRES[group][number // 2 % len(GENRES[group])], "length": 100 + 60 * group + number % 5}
        rows.append({"id": f"f{number}", "time": "2026-01-01T00:00:00Z", "attributes": attributes})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_strings_in_this_process(rankcast, films):
    arguments = ("concepts", "mine", "--attribute", "genre", "--engine", "local")
    first, second = concepts_in(rankcast(*arguments, "--events", str(films)).stdout)
    assert (first["name"], sorted(first["table"])) == ("like_drama", ["drama", "romance"])
    assert sorted(second["table"]) == ["gore", "horror", "thriller"]
    named = rankcast(*arguments, "--events", str(films), "--summary", "g.json", "--name", "dark", "--name", "soft")
    assert [one["name"] for one in concepts_in(named.stdout)] == ["dark", "soft"]
    again = rankcast(*arguments, "--summary", "g.json", "--name", "dark", "--name", "soft")
    assert again.stdout == named.stdout
    refused = rankcast(
        "concepts",
        "mine",
        "--attribute",
        "length",
        "--engine",
        "local",
        "--events",
        str(films),
        "--summary",
        "g.json",
        code=2,
    )
    assert "numbers and strings do not mix" in refused.stderr
    assert "numbers only" in rankcast(*arguments, "--events", str(films), "--picture", "p.png", code=2).stderr


@pytest.mark.spark
def test_strings_on_spark_are_the_same(rankcast, films):
    arguments = ("concepts", "mine", "--attribute", "genre", "--events", str(films))
    assert rankcast(*arguments).stdout == rankcast(*arguments, "--engine", "local").stdout


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_concepts_of_a_store_adapt_and_are_undone(rankcast, prices, engine):
    adapt = ("concepts", "adapt", "--attribute", "price", "--engine", engine)
    rankcast("init")
    rankcast("publish", str(prices))
    (made,) = concepts_in(rankcast(*adapt).stdout)
    assert [one["name"] for one in made["after"]] == ["cheap", "expensive"]
    rankcast("subscribe", "--user", "ann", "--id", "s1", "price is cheap")
    later = [json.loads(EVENT.format(n=n, price=price)) for n, price in enumerate([4000, 4001, 4002] * 10, 100)]
    Path("later.jsonl").write_text("".join(json.dumps(row) + "\n" for row in later))
    rankcast("publish", "later.jsonl")
    (run,) = concepts_in(rankcast(*adapt).stdout)
    assert run["effects"] == [{"user": "ann", "subscription": "s1", "before": 5, "after": 10}]
    unchanged = rankcast(*adapt, code=1)
    assert "price: nothing moved" in unchanged.stderr
    assert [one["run"] for one in concepts_in(rankcast("concepts", "runs").stdout)] == [2, 1]
    (undone,) = concepts_in(rankcast("concepts", "undo", "2").stdout)
    assert undone["undone"]
    assert {json.dumps(one) for one in concepts_in(rankcast("concept").stdout)} == {
        json.dumps(one) for one in made["after"]
    }
    assert "run 2 was undone already" in rankcast("concepts", "undo", "2", code=1).stderr


def test_concepts_of_strings_adapt_and_are_undone(rankcast, films):
    adapt = ("concepts", "adapt", "--attribute", "genre")
    rankcast("init")
    rankcast("publish", str(films))
    (made,) = concepts_in(rankcast(*adapt).stdout)
    (soft,) = (one for one in made["after"] if "drama" in one["table"])
    assert "gore" not in soft["table"]
    rankcast("subscribe", "--user", "ann", "--id", "s1", f"genre is {soft['name']}")
    longer = [
        {"id": f"g{n}", "time": "2026-01-02T00:00:00Z", "attributes": {"genre": "gore", "length": 100 + n % 5}}
        for n in range(300)
    ]
    Path("longer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in longer))
    rankcast("publish", "longer.jsonl")
    (run,) = concepts_in(rankcast(*adapt).stdout)
    assert sorted(one["name"] for one in run["after"]) == sorted(one["name"] for one in made["after"])
    (now,) = (one for one in run["after"] if one["name"] == soft["name"])
    assert now["table"] == {**soft["table"], "gore": 1.0}
    (effect,) = run["effects"]
    assert (effect["subscription"], effect["before"] < effect["after"]) == ("s1", True)
    (undone,) = concepts_in(rankcast("concepts", "undo", str(run["run"])).stdout)
    assert undone["undone"]
    kept = concepts_in(rankcast("concept").stdout)
    assert {json.dumps(one, sort_keys=True) for one in kept} == {
        json.dumps(one, sort_keys=True) for one in made["after"]
    }
