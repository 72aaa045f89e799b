"""``rankcast backup`` and ``rankcast restore``."""

import json

from rankcast.store import Store


def test_a_store_is_backed_up_and_restored(rankcast):
    Store.create("x.db").close()
    assert json.loads(rankcast("backup", "x.backup", "--store", "x.db", "--json").stdout)["served"] == 0
    assert "already exists" in rankcast("backup", "x.backup", "--store", "x.db", code=3).stderr
    rankcast("backup", "x.backup", "--force", "--store", "x.db")
    assert "there is a store at" in rankcast("restore", "x.backup", "--store", "x.db", code=3).stderr
    rankcast("restore", "x.backup", "--store", "y.db")
    assert json.loads(rankcast("status", "--store", "y.db", "--json").stdout)["published"] == 0
    rankcast("restore", "x.backup", "--force", "--store", "x.db")
