"""Ranking functions by name: in one broker, in the overlay, and with bounds (semantics: Producer-side top-k)."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rankcast.errors import CatalogError, ModelError
from rankcast.language import decode_record, encode_record, parse
from rankcast.matching import OracleMatcher
from rankcast.model import Advertisement, Catalog, Event, Subscription
from rankcast.overlay import STRATEGIES, Overlay, Tree, admitted, functions, register_scorer, registered_scorer

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def nearest(event: Event, subscription: Subscription, degree: float) -> float:
    """The subscriptions whose weight is nearest to the price."""
    price = event.attributes["price"]
    assert isinstance(price, tuple)
    assert isinstance(price[0], int)
    return -abs(price[0] - subscription.weight)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_KNOWN", {})


def catalog() -> Catalog:
    wanted = [Subscription(f"s{weight}", "ann", parse("price > 0"), weight=weight) for weight in (1, 4, 6, 9)]
    return Catalog([*wanted, Advertisement("a1", "shop", parse("price > 0"), 2, function="nearest")])


def test_one_broker_ranks_by_it() -> None:
    register_scorer("nearest", nearest)
    event = Event("e1", NOW, {"price": (5,)}, advertisement="a1")
    known = catalog()
    assert [one.id for one, _ in admitted(known, event, list(OracleMatcher.of(known).match(event)))] == ["s4", "s6"]


@pytest.mark.parametrize("bounds", [None, lambda subscription: (-100.0, 0.0)])
@pytest.mark.parametrize("strategy", ["regular", "rank-cover", "ancestor-cover"])
def test_the_overlay_ranks_by_it(strategy: str, bounds: object) -> None:
    register_scorer("nearest", nearest, bounds)  # of the parameters above
    overlay = Overlay(Tree([("b1", "b2"), ("b1", "b3")]))
    known = catalog()
    overlay.advertise(known.advertisements["a1"], "b1", STRATEGIES[strategy])
    overlay.subscribe_all((one, f"b{2 + at % 2}") for at, one in enumerate(known.subscriptions.values()))
    assert overlay.publish(Event("e1", NOW, {"price": (8,)}, advertisement="a1")).recipients == ("s6", "s9")
    assert overlay.known("a1", "b1") == ("s1", "s4", "s6", "s9")  # nothing is proved


def test_bounds_that_separate_save_forwarding() -> None:
    register_scorer("heavy", lambda event, one, degree: one.weight, lambda one: (one.weight, one.weight))
    overlay = Overlay(Tree([("b1", "b2")]))
    overlay.advertise(Advertisement("a1", "shop", parse("true"), 1, function="heavy"), "b1", STRATEGIES["rank-cover"])
    overlay.subscribe_all((one, "b2") for one in catalog().subscriptions.values())
    assert overlay.known("a1", "b1") == ("s9",)


def test_an_unknown_name_says_what_to_do() -> None:
    register_scorer("nearest", nearest)
    with pytest.raises(CatalogError, match=r"no ranking function 'nearst'; did you mean .*nearest.*register_scorer"):
        registered_scorer("nearst")


def test_another_process_finds_it_in_the_named_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "from rankcast.overlay import register_scorer\nregister_scorer('first', lambda *given: 1.0)\n"
    (tmp_path / "our_scorers.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("RANKCAST_FUNCTIONS", "our_scorers")
    told = "from rankcast.overlay import registered_scorer; print(registered_scorer('first').score(None, None, 1.0))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "(1.0,)\n"


def test_a_value_that_cannot_be_ranked_is_refused() -> None:
    register_scorer("broken", lambda event, subscription, degree: float("nan"))
    event = Event("e1", NOW, {"price": (5,)}, advertisement="a1")
    with pytest.raises(ModelError, match="gave nan for subscription 's1'; it must give a finite number"):
        registered_scorer("broken").score(event, Subscription("s1", "ann", parse("true")), 1.0)


def test_the_record_names_it() -> None:
    one = Advertisement("a1", "shop", parse("true"), 2, function="nearest")
    assert encode_record(one)["function"] == "nearest"
    assert decode_record(encode_record(one)) == one
