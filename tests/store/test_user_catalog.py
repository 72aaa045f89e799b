"""The records of one user as of a version are those of the whole catalog of that version."""

import random

import pytest

from rankcast.errors import StoreError
from rankcast.language import parse
from rankcast.model import Advertisement, Concept, Interval, Policy, Preference, Subscription
from rankcast.store import Store

USERS = ("ann", "bob", "cid")


def random_change(chance, catalog):
    """What to put and what to remove."""
    user, number = chance.choice(USERS), chance.randint(1, 4)
    name = f"{chance.choice(USERS)}-{number}" if chance.random() < 0.1 else f"{user}-{number}"
    mine = [one.id for one in catalog.subscriptions_of(user)]
    match chance.randint(0, 6):
        case 0 if name in catalog.subscriptions:
            return [], [catalog.subscriptions[name]]
        case 1:
            return [Policy(user, sigma=round(chance.random(), 2))], []
        case 2:
            owner = chance.choice((None, user))
            return [Concept("cheap", "price", Interval(0, number), owner)], []
        case 3:
            return [Advertisement(f"a{number}", "studio", parse("true"), number)], []
        case 4 if len(mine) > 1:
            return [Preference(user, *sorted(mine)[:2])], []
    owner = catalog.subscriptions[name].user if name in catalog.subscriptions else user
    return [Subscription(name, owner, parse(f"year > {chance.randint(1900, 2000)}"))], []


def test_every_user_at_every_version(tmp_path):
    chance = random.Random(7)
    with Store.create(tmp_path / "s.db") as store:
        for _ in range(60):
            put, remove = random_change(chance, store.catalog())
            store.change(put, remove)
        for version in range(store.version() + 1):
            whole = store.catalog(version)
            for user in (*USERS, "nobody"):
                found = store.user_catalog(user, version)
                assert list(found.records()) == list(whole.part(user.__eq__).records()), (version, user)
        with pytest.raises(StoreError, match="has no version"):
            store.user_catalog("ann", store.version() + 1)
