"""The audit trail on the command line: commands are the operator's doing."""

import json

from rankcast.store import Store
from rankcast.store.audit_log import AuditLog


def test_commands_are_in_it_and_it_is_listed(rankcast, tmp_path):
    store = str(tmp_path / "store.db")
    rankcast("init", store)
    empty = rankcast("audit", "--store", store)
    assert (empty.stdout, empty.stderr.strip()) == ("", "the audit trail is empty")
    rankcast("subscribe", "n = 1", "--user", "ann", "--id", "s1", "--store", store)
    rankcast("token", "create", "--user", "ann", "--store", store)
    rankcast("backup", str(tmp_path / "one.backup"), "--store", store)
    rankcast("user", "delete", "ann", "--yes", "--store", store)
    listed = [json.loads(line) for line in rankcast("audit", "--store", store, "--json").stdout.splitlines()]
    assert [one["action"] for one in listed] == [
        "records.change",
        "token.create",
        "store.backup",
        "records.change",
        "user.delete",
    ]
    assert {one["who"] for one in listed} == {"operator (command line)"}
    assert len(rankcast("audit", "--store", store, "--since", "1h").stdout.splitlines()) == 5
    assert len(rankcast("audit", "--store", store, "--user", "ann", "--limit", "2").stdout.splitlines()) == 2
    assert rankcast("audit", "--store", store, "--who", "administrator").stderr.strip() == "no entries match"
    assert "neither a time" in rankcast("audit", "--store", store, "--since", "soon", code=2).stderr


def test_a_restored_store_says_so(rankcast, tmp_path):
    store, other = str(tmp_path / "store.db"), str(tmp_path / "other.db")
    rankcast("init", store)
    rankcast("backup", str(tmp_path / "one.backup"), "--store", store)
    rankcast("restore", str(tmp_path / "one.backup"), "--store", other)
    with Store.open(other) as opened:
        assert [one.action for one in AuditLog(opened.database).entries()] == ["store.restore"]
