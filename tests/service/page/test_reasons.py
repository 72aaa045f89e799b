from datetime import UTC, datetime, timedelta
from typing import Any

from rankcast.language import decode_record
from rankcast.model import Catalog, Delivery, Event
from rankcast.service.page.reasons import Arrival, short_reason

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def catalog(*preferences: tuple[str, str], scores: dict[str, float] | None = None, **policy: Any) -> Catalog:
    made = Catalog()
    for name in ("drama", "horror", "short"):
        record: dict[str, Any] = {"kind": "subscription", "id": name, "user": "ann", "where": f"genre = '{name}'"}
        if name in (scores or {}):
            record["score"] = (scores or {})[name]
        made.put(decode_record(record))
    for prefer, over in preferences:
        made.put(decode_record({"kind": "preference", "user": "ann", "prefer": prefer, "over": over}))
    if policy:
        made.put(decode_record({"kind": "policy", "user": "ann", **policy}))
    return made


def arrival(number: int, genre: str, waited: timedelta = timedelta(0), source: str | None = None) -> Arrival:
    event = Event(f"e{number}", NOW, {"genre": (genre,)}, source=source, seq=number)
    return Arrival(number, Delivery("ann", event.id, number, 0.5, (genre,), NOW, NOW + waited, number), event)


def sentence(*given: Any) -> str:
    return short_reason(*given).text


def test_preference_is_told_by_what_is_known_of_it() -> None:
    drama = arrival(1, "drama")
    assert sentence(drama, [], catalog()) == "Matches drama"
    assert sentence(drama, [], catalog(("drama", "horror"))) == "Matches drama (preferred over horror)"
    assert sentence(drama, [], catalog(("horror", "drama"))) == "Matches drama (level 2 of 2)"
    assert sentence(drama, [], catalog(scores={"drama": 0.7})) == "Matches drama (0.7)"
    assert sentence(arrival(1, "western"), [], catalog()) == "Matches a subscription that no longer exists"


def test_only_what_the_policy_counts_is_a_reason() -> None:
    before = [arrival(number, "horror") for number in (4, 3, 2, 1)]
    drama = arrival(5, "drama")
    plain = {"mode": "sliding", "k": 3, "length": 50}
    chosen = "top 3 of the last 50 events"
    assert sentence(drama, before, catalog(**plain)) == f"Matches drama · {chosen}"
    novel = catalog(**plain, score={"preference": 1, "novelty": 1})
    assert sentence(drama, before, novel) == f"Matches drama · novel for you · {chosen}"
    assert sentence(arrival(5, "horror"), before, novel) == f"Matches horror · {chosen}"
    diverse = catalog(**plain, sigma=0.5)
    assert sentence(drama, before, diverse) == f"Matches drama · unlike the last three · {chosen}"
    assert "unlike" not in sentence(arrival(5, "horror"), before, diverse)
    assert "unlike the last one" in sentence(drama, before[:1], diverse)
    recent = catalog(mode="periodic", k=3, length="1h", score={"recency": 1, "authority": 1}, authority={"imdb": 1})
    assert sentence(arrival(1, "drama", source="imdb"), [], recent).endswith(
        "just in · from imdb · top 3 of its period"
    )
    assert "just in" not in sentence(arrival(1, "drama", waited=timedelta(days=2)), [], recent)


def test_rare_is_told_with_its_count() -> None:
    before = [arrival(30 - number, "drama" if number == 7 else "horror") for number in range(20)]
    told = sentence(arrival(31, "drama"), before, catalog(filter={"novelty": "threshold", "rate": 0.5, "period": 10}))
    assert told == "Matches drama · rare recently (1 of the last 20)"
