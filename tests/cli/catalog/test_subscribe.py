"""``rankcast subscribe``, ``unsubscribe``, ``subscriptions``."""

import json
from typing import Any


def listed(rankcast: Any, *options: str, code: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in rankcast("subscriptions", *options, code=code).stdout.splitlines()]


def test_made_up_ids_count_on_and_go_to_stdout(store: Any) -> None:
    assert store("subscribe", "--user", "ann", "genre = 'drama'", "--score", "0.8").stdout == "ann-1\n"
    result = store("subscribe", "--user", "ann", "year > 1999")
    assert (result.stdout, result.stderr) == ("ann-2\n", "ann-2 of ann: year above 1999\n")
    store("unsubscribe", "ann-1")
    assert store("subscribe", "--user", "ann", "year > 2000").stdout == "ann-3\n"


def test_saying_it_again_changes_nothing(store: Any) -> None:
    store("subscribe", "--user", "ann", "genre = 'drama'")
    again = store("subscribe", "--user", "ann", "genre='drama'")
    assert (again.stdout, again.stderr) == ("ann-1\n", "already subscribed: ann-1 of ann: genre is drama\n")
    assert store("subscribe", "--user", "ann", "genre = 'drama'", "--score", "1").stdout == "ann-2\n"
    assert len(listed(store)) == 2


def test_an_id_is_taken_once_unless_replaced(store: Any) -> None:
    store("subscribe", "--user", "ann", "--id", "s1", "year > 1999")
    store("subscribe", "--user", "ann", "--id", "s1", "year > 1999")
    assert "--replace" in store("subscribe", "--user", "ann", "--id", "s1", "year > 2000", code=1).stderr
    store("subscribe", "--user", "ann", "--id", "s1", "year > 2000", "--replace", "--weight", "2")
    assert listed(store) == [{"kind": "subscription", "id": "s1", "user": "ann", "where": "year > 2000", "weight": 2.0}]
    assert "another user" in store("subscribe", "--user", "bob", "--id", "s1", "x = 1", "--replace", code=1).stderr


def test_json_is_the_record(store: Any) -> None:
    told = json.loads(store("subscribe", "--user", "ann", "x=1", "--score", "0.5", "--json").stdout)
    assert told == {"kind": "subscription", "id": "ann-1", "user": "ann", "where": "x = 1", "score": 0.5}
    assert json.loads(store("unsubscribe", "ann-1", "--json").stdout) == told


def test_mistakes(store: Any) -> None:
    pointed = store("subscribe", "--user", "ann", "year >> 1999", code=2).stderr
    assert pointed.splitlines()[-1].strip() == "^"
    assert "score is 2" in store("subscribe", "--user", "ann", "x = 1", "--score", "2", code=2).stderr
    assert "--user" in store("subscribe", "x = 1", code=2).stderr
    assert "either" in store("subscribe", "--user", "ann", code=2).stderr
    assert "no concept 'cheap'" in store("subscribe", "--user", "ann", "price is cheap", code=1).stderr
    assert listed(store) == []


def test_unsubscribe_removes_all_or_none(store: Any) -> None:
    store("subscribe", "--user", "ann", "x = 1")
    store("subscribe", "--user", "ann", "x = 2")
    assert "did you mean 'ann-2'" in store("unsubscribe", "ann-1", "an-2", code=1).stderr
    assert len(listed(store)) == 2
    store("unsubscribe", "ann-1", "ann-2", "ann-1")
    assert listed(store) == []


def test_listing_one_user(store: Any) -> None:
    store("subscribe", "--user", "bob", "x = 1")
    store("subscribe", "--user", "ann", "x = 2")
    assert [one["id"] for one in listed(store)] == ["ann-1", "bob-1"]
    assert [one["id"] for one in listed(store, "--user", "bob")] == ["bob-1"]
    assert listed(store, "--user", "eve", code=1) == []


def test_a_catalog_file(store: Any, lines: Any) -> None:
    file = lines(
        "c.jsonl",
        [
            {"kind": "preference", "user": "ann", "prefer": "s1", "over": "s2"},
            {"kind": "subscription", "id": "s1", "user": "ann", "where": "price is cheap"},
            {"kind": "subscription", "id": "s2", "user": "ann", "where": "x = 1"},
            {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [1, 2]},
            {"kind": "policy", "user": "ann", "mode": "all"},
        ],
    )
    first = store("subscribe", "--file", file)
    assert first.stderr == "1 concept, 2 subscriptions, 1 policy, 1 preference\n"
    assert "nothing changed in the store" in store("subscribe", "--file", file).stderr
    assert json.loads(store("subscribe", "--file", file, "--json").stdout)["rejected"] == 0


def test_a_policy_of_a_file_has_the_cost_limit_of_any_other(store: Any, lines: Any) -> None:
    costly = {"mode": "sliding", "k": 200, "length": 1000, "sigma": 0.5, "select": "improved"}
    file = lines("c.jsonl", [{"kind": "policy", "user": "ann", **costly}, {"kind": "policy", "user": "bob", "k": 3}])
    assert "the limit is 5,000 µs" in store("subscribe", "--file", file, code=1).stderr
    assert [json.loads(line)["user"] for line in store("policy", "--json").stdout.splitlines()] == ["bob"]
    store("subscribe", "--file", file, "--max-policy-cost=100000")
    assert len(store("policy", "--json").stdout.splitlines()) == 2


def test_a_thousand_bad_lines_among_a_thousand_good_ones(store: Any, lines: Any) -> None:
    good = [{"kind": "subscription", "id": f"s{n}", "user": f"u{n % 7}", "where": f"n = {n}"} for n in range(1000)]
    ways = [
        '{"kind": "subscription", "id": "x%d", "user": "u", "where": "n == "}',
        '{"kind": "subscription", "id": "s1", "user": "u1", "where": "n = %d"}',
        '{"kind": "subscripton", "id": "x%d", "user": "u", "where": "true"}',
        '{"kind": "subscription", "id": "x%d", "user": "u", "where": "price is cheap"}',
        '{"kind": "preference", "user": "u1", "prefer": "s1", "over": "x%d"}',
        '{"kind": "policy", "user": "u", "k": %d.5}',
        "not JSON %d",
    ]
    bad = [ways[n % len(ways)] % n for n in range(1000)]
    file = lines("c.jsonl", [line for pair in zip(good, bad, strict=True) for line in pair])
    result = store("subscribe", "--file", file, code=1)
    assert "1,000 subscriptions; rejected 1,000 lines" in result.stderr
    assert "… and 990 more" in result.stderr
    assert len(listed(store)) == 1000
    kept = [json.loads(line) for line in store("rejects").stdout.splitlines()]
    assert [reject["line"] for reject in kept] == list(range(2, 2001, 2))
    assert [reject["raw"] for reject in kept] == bad


def test_an_attribute_that_no_event_has(store: Any) -> None:
    assert "warning" not in store("subscribe", "-u", "ann", "genree = 'drama'").stderr  # nothing is published yet
    store("publish", "--attr", "genre=drama", "--attr", "year=1999")
    said = store("subscribe", "-u", "ann", "genree = 'drama' and year > '1999'").stderr
    assert "warning: there is no attribute 'genree' in the only event; did you mean 'genre'?" in said
    assert "year above '1999'" in said
    assert "warning: 'year' is a number in the only event, so no comparison with a string holds" in said
    fine = "genre = 'drama' and year in (1999, 'old') and year != 'x' and genre exists"
    assert "warning" not in store("subscribe", "-u", "ann", fine).stderr


def test_a_subscriber_says_it_once(store: Any) -> None:
    store("concept", "cheap", "--attribute", "price", "--trapezoid", "0", "0", "1000", "2000")
    told = store("subscribe", "price is cheap", "--user", "ann", "--attitude", "pessimistic", "--json")
    assert json.loads(told.stdout)["where"] == "price is cheap [0.5, 0.5]"
