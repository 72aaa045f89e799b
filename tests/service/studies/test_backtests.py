from datetime import timedelta
from typing import Any

from rankcast.choose import Distance
from rankcast.engine.reference.shard import replay
from rankcast.language import decode_record
from rankcast.model import EPOCH, Catalog, Event, Policy
from rankcast.service.studies.backtests import backtest

EVENTS = [
    Event(f"e{at}", EPOCH + timedelta(minutes=at), {"genre": ("abc"[at % 3],), "year": (at % 5,)}, seq=at)
    for at in range(1, 41)
]


def catalog() -> Catalog:
    made = Catalog()
    for user in ("ann", "bob"):
        for genre in "ab":
            name = f"{user}-{genre}"
            made.put(decode_record({"kind": "subscription", "id": name, "user": user, "where": f"genre = '{genre}'"}))
    made.put(decode_record({"kind": "preference", "user": "ann", "prefer": "ann-a", "over": "ann-b"}))
    return made


def policy(**fields: Any) -> Policy:
    made = decode_record({"kind": "policy", "user": "ann", **fields})
    assert isinstance(made, Policy)
    return made


def test_it_is_what_a_replay_gives_whichever_engine_serves_it() -> None:
    for tried in (
        policy(),
        policy(mode="sliding", k=2, length=6, sigma=0.4),
        policy(mode="sliding", k=2, length=6, score={"preference": 1, "novelty": 1}),
        policy(mode="periodic", k=2, length="10m"),
    ):
        own = catalog()
        own.put(tried)
        wanted = [one for one in replay(own, EVENTS) if one.user == "ann"]
        assert list(backtest("ann", tried, catalog(), EVENTS, Distance()).sent) == wanted


def test_the_figures() -> None:
    tried = backtest("ann", policy(mode="periodic", k=1, length=10), catalog(), EVENTS, Distance())
    assert len(tried.sent) == 4
    assert tried.rank == 1.0
    assert tried.wait is not None
    assert tried.diversity is not None
    nothing = backtest("cid", policy(), catalog(), EVENTS, Distance())
    assert (nothing.sent, nothing.rank, nothing.diversity, nothing.wait) == ((), None, None, None)
