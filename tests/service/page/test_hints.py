from rankcast.language import decode_record
from rankcast.model import EPOCH, Catalog, Event, Kind, Term
from rankcast.service.page.hints import hints_of


def test_names_kinds_values_and_concepts() -> None:
    catalog = Catalog()
    for user, name in ((None, "cheap"), ("ann", "mine"), ("bob", "his")):
        record = {"kind": "concept", "name": name, "attribute": "price", "left_shoulder": [1, 2]}
        catalog.put(decode_record({**record, "user": user} if user else record))
    events = [
        Event(
            f"e{at}", EPOCH, {"title": (f"t{at}",), "genre": ("drama", "a") if at % 2 else ("drama",), "seen": (True,)}
        )
        for at in range(60)
    ]
    events.append(Event("vague", EPOCH, {"price": Term("cheap"), "genre": ("drama",)}))
    hints = hints_of(events, catalog, "ann")
    assert next(iter(hints)) == "genre"
    assert hints["genre"].values == ("drama", "a")
    assert hints["genre"].kind is Kind.STRING
    assert hints["title"].values == ()
    assert hints["seen"].values == ("true",)
    assert hints["price"].kind is None
    assert hints["price"].concepts == ("cheap", "mine")
