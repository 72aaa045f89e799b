"""Proposed names for concepts, from the name of the attribute and the order of the concepts."""

import re

_WORDS: dict[str, dict[int, tuple[str, ...]]] = {
    "money": {
        2: ("cheap", "expensive"),
        3: ("cheap", "fair", "expensive"),
        4: ("cheap", "fair", "expensive", "luxurious"),
        5: ("cheap", "affordable", "fair", "expensive", "luxurious"),
    },
    "extent": {
        2: ("small", "large"),
        3: ("small", "medium", "large"),
        4: ("small", "medium", "large", "huge"),
        5: ("tiny", "small", "medium", "large", "huge"),
    },
    "distance": {
        2: ("near", "far"),
        3: ("near", "middling", "far"),
        4: ("near", "middling", "far", "remote"),
        5: ("close", "near", "middling", "far", "remote"),
    },
    "duration": {
        2: ("short", "long"),
        3: ("short", "medium", "long"),
        4: ("short", "medium", "long", "endless"),
        5: ("brief", "short", "medium", "long", "endless"),
    },
    "year": {
        2: ("old", "new"),
        3: ("old", "recent", "new"),
        4: ("ancient", "old", "recent", "new"),
        5: ("ancient", "old", "older", "recent", "new"),
    },
    "age": {
        2: ("new", "old"),
        3: ("new", "recent", "old"),
        4: ("new", "recent", "old", "ancient"),
        5: ("new", "recent", "older", "old", "ancient"),
    },
    "anything": {
        2: ("low", "high"),
        3: ("low", "medium", "high"),
        4: ("low", "medium", "high", "top"),
        5: ("lowest", "low", "medium", "high", "highest"),
    },
}

_KINDS = {
    "money": {"price", "prices", "cost", "costs", "rent", "bid", "fee", "budget", "salary", "wage", "amount", "value"},
    "extent": {"size", "area", "rooms", "floors", "volume", "weight", "squaremeters", "population"},
    "distance": {"distance", "km", "miles"},
    "duration": {"length", "duration", "minutes", "hours", "days"},
    "year": {"year", "built", "buildyear", "vintage"},
    "age": {"age"},
}


def names_for(attribute: str, count: int) -> tuple[str, ...]:
    """Names for `count` concepts, from the lowest to the highest.

    >>> names_for("price", 4), names_for("first_bid", 2), names_for("pressure", 3)
    (('cheap', 'fair', 'expensive', 'luxurious'), ('cheap', 'expensive'), ('low', 'medium', 'high'))
    """
    words = re.split(r"[^a-z]+", attribute.lower())
    kind = next((kind for kind, known in _KINDS.items() if known.intersection(words)), "anything")
    return _WORDS[kind].get(count) or tuple(f"level_{number}" for number in range(1, count + 1))
