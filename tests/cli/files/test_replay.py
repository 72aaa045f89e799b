"""Every worked example of semantics: Preference to Delivery modes that deliveries show, through ``rankcast replay``, with every engine."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

ENGINES = ["oracle", "local", "index", pytest.param("spark", marks=pytest.mark.spark)]


def wants(name: str, user: str, where: str, score: float | None = None) -> dict[str, Any]:
    form = {"kind": "subscription", "id": name, "user": user, "where": where}
    return form if score is None else {**form, "score": score}


def policy(user: str, mode: str, k: int, length: int | str, sigma: float) -> dict[str, Any]:
    unit = {"unit": "events"} if isinstance(length, int) else {}
    return {"kind": "policy", "user": user, "mode": mode, "k": k, "length": length, "sigma": sigma, **unit}


def film(number: int, **attributes: Any) -> dict[str, Any]:
    return {"id": f"e{number}", "time": f"2004-02-13T20:{number:02}:00Z", "attributes": attributes}


class Example(NamedTuple):
    """`sent` is, for each user, what each window sends; `ranks` what the events rank."""

    catalog: list[dict[str, Any]]
    events: list[dict[str, Any]]
    sent: dict[str, dict[int, str]]
    ranks: dict[str, float]


def tastes(user: str) -> list[dict[str, Any]]:
    scores = {"comedy": 0.9, "romance": 0.9, "drama": 0.8}
    return [wants(f"{user}-{genre}", user, f"genre = '{genre}'", score) for genre, score in scores.items()]


MODES = Example(
    [
        *(record for user in ("pia", "sid", "hal", "ray", "hob", "max") for record in tastes(user)),
        policy("pia", "periodic", 2, 4, 0.5),
        policy("sid", "sliding", 2, 4, 0.5),
        policy("hal", "history", 2, 4, 0.5),
        policy("ray", "sliding", 2, 4, 1),
        policy("hob", "history", 2, 4, 1),
    ],
    [
        film(number, genre=genre)
        for number, genre in enumerate(
            ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"], 1
        )
    ],
    {
        "pia": {1: "e2 e4", 2: "e7 e8"},
        "sid": {1: "e1", 2: "e2", 4: "e4", 5: "e5", 6: "e3 e6", 7: "e7", 8: "e8"},
        "hal": {1: "e1", 2: "e2", 5: "e5", 6: "e6", 8: "e8"},
        "ray": {1: "e1", 2: "e2", 4: "e4", 5: "e5", 6: "e6", 7: "e7", 8: "e8"},
        "hob": {1: "e1", 2: "e2", 5: "e5", 6: "e6"},
        "max": {number: f"e{number}" for number in range(1, 9)},
    },
    {"e1": 0.9, "e3": 0.8},
)

SECOND_SLIDING = Example(
    [
        *(
            wants(f"s{number}", "una", f"director = '{director}'", score)
            for number, (director, score) in enumerate(
                {"Allen": 0.9, "Burton": 0.9, "Hitchcock": 0.8, "Spielberg": 0.85, "Tarantino": 0.9}.items(), 1
            )
        ),
        policy("una", "sliding", 2, 3, 0.5),
    ],
    [
        film(1, genre="comedy", director="Allen"),
        film(2, genre="thriller", director="Burton"),
        film(3, genre="thriller", director="Hitchcock"),
        film(4, genre="drama", director="Spielberg"),
        film(5, genre="drama", director="Tarantino"),
    ],
    {"una": {1: "e1", 2: "e2", 4: "e4", 5: "e3 e5"}},
    {"e3": 0.8, "e4": 0.85},
)

SELECTION = Example(
    [
        *(
            wants(f"s-{genre}", "vic", f"genre = '{genre}'", score)
            for genre, score in {"comedy": 0.9, "drama": 0.8, "horror": 0.7, "sci-fi": 0.6}.items()
        ),
        policy("vic", "periodic", 4, 6, 0.5),
    ],
    [film(n, genre=genre) for n, genre in enumerate(["comedy", "drama", "drama", "drama", "horror", "sci-fi"], 1)],
    {"vic": {1: "e1 e4 e5 e6"}},
    {"e1": 0.9, "e4": 0.8, "e5": 0.7, "e6": 0.6},
)

PREFERENCES = Example(
    [
        *(wants(f"s{number}", "lev", f"n = {number}") for number in range(1, 8)),
        *(
            {"kind": "preference", "user": "lev", "prefer": better, "over": worse}
            for better, worse in (("s1", "s4"), ("s2", "s4"), ("s2", "s5"), ("s3", "s6"), ("s5", "s7"))
        ),
        wants("d1", "bea", "genre = 'drama'", 0.7),
        wants("d2", "bea", "genre = 'drama' and director = 'T. Burton'", 0.5),
    ],
    [
        *(film(number, n=number) for number in range(1, 8)),
        film(8, genre="drama", director="T. Burton"),
        film(9, genre="drama", director="W. Allen"),
    ],
    {"lev": {number: f"e{number}" for number in range(1, 8)}, "bea": {8: "e8", 9: "e9"}},
    {"e1": 1, "e2": 1, "e3": 1, "e4": 2 / 3, "e5": 2 / 3, "e6": 2 / 3, "e7": 1 / 3, "e8": 0.5, "e9": 0.7},
)

EXAMPLES = {
    "the delivery modes": MODES,
    "the second sliding window": SECOND_SLIDING,
    "selection of k": SELECTION,
    "levels and event rank": PREFERENCES,
}


@pytest.fixture
def replay(rankcast: Any, lines: Any) -> Callable[..., Any]:
    def run(catalog: list[Any], events: list[Any], *options: str, code: int = 0) -> Any:
        files = ("--catalog", lines("c.jsonl", catalog), "--events", lines("e.jsonl", events))
        return rankcast("replay", *files, *options, code=code)

    return run


def by_window(deliveries: list[dict[str, Any]], user: str) -> dict[int, str]:
    sent: dict[int, str] = {}
    for delivery in deliveries:
        if delivery["user"] == user:
            sent[delivery["window"]] = f"{sent.get(delivery['window'], '')} {delivery['event']}".strip()
    return sent


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_example(replay: Any, name: str, engine: str) -> None:
    example = EXAMPLES[name]
    output = replay(example.catalog, example.events, "--engine", engine).stdout
    deliveries = [json.loads(line) for line in output.splitlines()]
    for user, windows in example.sent.items():
        assert by_window(deliveries, user) == windows
    for delivery in deliveries:
        assert delivery["rank"] == pytest.approx(example.ranks.get(delivery["event"], delivery["rank"]), abs=1e-12)
    if engine != "oracle":
        assert output == replay(example.catalog, example.events).stdout


def test_a_delivery_names_the_most_specific_subscriptions(replay: Any) -> None:
    deliveries = [json.loads(line) for line in replay(PREFERENCES.catalog, PREFERENCES.events).stdout.splitlines()]
    assert {one["event"]: one["subscriptions"] for one in deliveries if one["user"] == "bea"} == {
        "e8": ["d2"],
        "e9": ["d1"],
    }


def test_lines_have_the_form_and_order_of_spec_9(replay: Any) -> None:
    output = replay(MODES.catalog, MODES.events).stdout
    deliveries = [json.loads(line) for line in output.splitlines()]
    assert list(deliveries[0]) == ["user", "event", "seq", "rank", "subscriptions", "published", "forwarded", "window"]
    keys = [(one["window"], one["user"], one["seq"]) for one in deliveries]
    assert keys == sorted(keys)
    late = next(one for one in deliveries if one["user"] == "sid" and one["event"] == "e3")
    assert (late["published"], late["forwarded"]) == ("2004-02-13T20:03:00Z", "2004-02-13T20:06:00Z")


def test_the_order_of_the_lines_does_not_matter(replay: Any) -> None:
    first = replay(MODES.catalog, MODES.events).stdout
    assert replay(MODES.catalog, MODES.events[::-1]).stdout == first
    assert sorted(replay(MODES.catalog[::-1], MODES.events).stdout.splitlines()) == sorted(first.splitlines())


@pytest.mark.parametrize("engine", ["oracle", pytest.param("spark", marks=pytest.mark.spark)])
def test_out_takes_all_and_stdout_nothing(replay: Any, tmp_path: Any, engine: str) -> None:
    expected = replay(MODES.catalog, MODES.events).stdout
    result = replay(MODES.catalog, MODES.events, "--engine", engine, "--out", "d.jsonl")
    assert result.stdout == ""
    assert (tmp_path / "d.jsonl").read_text() == expected


def test_an_engine_that_is_not_there_is_refused_by_naming_those_that_are(replay: Any) -> None:
    said = " ".join(replay(MODES.catalog, MODES.events, "--engine", "magic", code=2).stderr.split())
    assert "index" in said
    assert all(engine in said for engine in ("oracle", "local", "spark"))


def test_nothing_in_nothing_out(replay: Any) -> None:
    assert replay([], []).stdout == ""


@pytest.mark.parametrize("engine", ["oracle", pytest.param("spark", marks=pytest.mark.spark)])
def test_a_thousand_bad_lines_among_a_thousand_good_ones(
    replay: Any, tmp_path: Any, wrong_events: list[str], engine: str
) -> None:
    good = [{"id": f"g{n}", "time": f"2004-02-13T20:00:00.{n:06}Z", "attributes": {"n": n}} for n in range(1000)]
    mixed = [line for pair in zip(good, wrong_events, strict=True) for line in pair]
    catalog = [wants("s", "una", "n >= 0")]
    options = ("--engine", engine, "--rejects", "r.jsonl")
    result = replay(catalog, mixed, *options, code=1)
    assert [json.loads(line)["event"] for line in result.stdout.splitlines()] == [f"g{n}" for n in range(1000)]
    rejects = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [reject["line"] for reject in rejects] == list(range(2, 2001, 2))
    assert all(reject["reason"] and reject["file"] == "e.jsonl" for reject in rejects)
    told = result.stderr.splitlines()
    assert [line.split(":")[:2] for line in told[:10]] == [["e.jsonl", str(number)] for number in range(2, 21, 2)]
    assert told[10] == "… and 990 more"
