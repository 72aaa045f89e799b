"""``rankcast user delete``: asks first, deletes everything at once."""

import json
from collections.abc import Callable

from typer.testing import Result

from rankcast.service.access import Access, Role
from rankcast.store import Store

Command = Callable[..., Result]


def test_everything_is_deleted(store: Command) -> None:
    store("subscribe", "--user", "ann", "genre = 'drama'")
    store("subscribe", "--user", "bob", "genre = 'drama'")
    with Store.open("rankcast.db") as opened:
        token, _ = Access(opened).create(Role.USER, "ann", "phone")
    store("user", "delete", "ann", code=1, stdin="n\n")
    with Store.open("rankcast.db") as opened:
        assert opened.catalog().users() == ["ann", "bob"]
    asked = store("user", "delete", "ann", stdin="y\n")
    assert "Delete user 'ann' and all of their data from rankcast.db?" in asked.stderr
    assert "deleted user ann: 1 records, 1 tokens" in asked.stderr
    with Store.open("rankcast.db") as opened:
        assert opened.catalog().users() == ["bob"]
        assert Access(opened).check(token) is None
    deleted = store("user", "delete", "bob", "--yes", "--json")
    assert json.loads(deleted.stdout) == {"user": "bob", "deleted": {"records": 1}}


def test_a_user_who_is_not_there(store: Command) -> None:
    assert "there is no user 'nobody'" in store("user", "delete", "nobody", "--yes", code=1).stderr
