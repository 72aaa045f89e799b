"""The audit trail and what was set aside, over the API."""

import json

from fastapi.testclient import TestClient
from sqlalchemy import update

from rankcast.language import decode_record
from rankcast.model import SetAside
from rankcast.service import ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.store import Store
from rankcast.store.schema import catalog_records
from rankcast.store.set_aside import keep_set_aside


def test_an_administrators_changes_are_in_the_trail_and_a_users_own_are_not(guarded, sign):
    admin, ann = sign(), sign("user", "ann")
    where = {"where": "n = 1"}
    assert guarded.put("/v1/users/ann/subscriptions/s1", json=where, headers=ann).status_code == 201
    assert guarded.put("/v1/users/ann/subscriptions/s2", json=where, headers=admin).status_code == 201
    assert guarded.put("/v1/concepts/n/low", json={"trapezoid": [0, 0, 1, 2]}, headers=admin).status_code == 201
    made = guarded.post("/v1/tokens", json={"role": "user", "name": "bob"}, headers=admin).json()
    assert guarded.delete(f"/v1/tokens/{made['id']}", headers=admin).status_code == 204
    assert guarded.delete("/v1/users/ann", headers=admin).status_code == 204
    who = f"administrator {guarded.get('/v1/me', headers=admin).json()['token']}"
    entries = guarded.get("/v1/audit", headers=admin).json()["entries"][::-1]
    assert [(one["action"], one["user"]) for one in entries] == [
        ("records.change", "ann"),
        ("records.change", None),
        ("token.create", "bob"),
        ("token.revoke", "bob"),
        ("records.change", "ann"),
        ("user.delete", "ann"),
    ]
    assert {one["who"] for one in entries} == {who}
    assert entries[0]["detail"] == "put subscription s2"


def test_the_trail_is_paged_and_filtered(client):
    for number in range(5):
        client.put(f"/v1/users/ann/subscriptions/s{number}", json={"where": "n = 1"})
    seen, cursor = [], None
    while True:
        page = client.get("/v1/audit", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [one["number"] for one in page["entries"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [5, 4, 3, 2, 1]
    assert client.get("/v1/audit", params={"user": "bob"}).json()["entries"] == []
    assert client.get("/v1/audit", params={"since": "2999-01-01"}).json()["entries"] == []
    assert client.get("/v1/audit", params={"since": "soon"}).status_code == 422
    assert client.get("/v1/audit", params={"who": "administrator dev"}).json()["next"] is None


def test_only_administrators_read_it(guarded, sign):
    assert guarded.get("/v1/audit", headers=sign("user", "ann")).status_code == 403
    assert guarded.get("/v1/set-aside", headers=sign("publisher", "shop")).status_code == 403


def test_what_was_set_aside_is_listed_for_all_and_for_each(guarded, sign):
    service = guarded.app.state.service
    rows = [SetAside(user=user, event=f"e{n}", seq=n, version=0, error="it failed") for n, user in
            enumerate(["ann", "bob", None, "ann"], 1)]  # fmt: skip
    with service.store.database.writing() as connection:
        keep_set_aside(connection, rows, 0)
    admin, ann = sign(), sign("user", "ann")
    page = guarded.get("/v1/set-aside", params={"limit": 3}, headers=admin).json()
    assert [one["user"] for one in page["set_aside"]] == ["ann", "bob", None]
    rest = guarded.get("/v1/set-aside", params={"cursor": page["next"]}, headers=admin).json()
    assert ([one["event"] for one in rest["set_aside"]], rest["next"]) == (["e4"], None)
    mine = guarded.get("/v1/users/ann/set-aside", headers=ann).json()["set_aside"]
    assert [one["event"] for one in mine] == ["e1", "e4"]
    assert guarded.get("/v1/set-aside", params={"user": "bob"}, headers=admin).json()["set_aside"][0]["user"] == "bob"
    assert guarded.get("/v1/users/bob/set-aside", headers=ann).status_code == 403


def test_what_was_set_aside_is_served_again(client):
    store = client.app.state.service.store
    client.put("/v1/users/ann/subscriptions/s1", json={"where": "n = 1"})
    with store.database.writing() as connection:
        row = SetAside(user="ann", event="e1", seq=1, version=1, error="it failed")
        keep_set_aside(connection, [row], 0)
    client.post("/v1/events", json={"id": "e1", "attributes": {"n": 1}})
    for _ in range(500):
        if store.reached() == 1:
            break
    done = client.post("/v1/set-aside/serve-again", json={"user": "ann"})
    assert done.status_code == 200, done.text
    assert (done.json()["done"], done.json()["failed"]) == (1, 0)
    assert client.get("/v1/set-aside").json()["set_aside"] == []
    assert client.get("/v1/set-aside", params={"all": True}).json()["set_aside"][0]["served"] is not None
    assert client.get("/v1/audit").json()["entries"][0]["action"] == "set-aside.serve"
    assert client.post("/v1/set-aside/serve-again", json={"use": 1}).status_code == 422


def test_an_advertisement_that_cannot_be_read_is_deleted_by_its_publisher_or_an_administrator(tmp_path):
    path = str(tmp_path / "broken.db")
    with Store.create(path) as store:
        for name in ("a1", "a2"):
            good = {"kind": "advertisement", "id": name, "publisher": "shop", "where": "n = 1", "k": 3}
            store.change(put=[decode_record(good)])
            with store.database.writing() as connection:
                record = update(catalog_records).where(catalog_records.c.key == name)
                connection.execute(record.values(record=json.dumps({**good, "k": -3})))
    app = create_app(ServiceSettings(store=path, page=False))
    with TestClient(app, base_url="http://rankcast.test") as client:
        access = app.state.service.access
        shop, other, admin = (
            {"Authorization": f"Bearer {access.create(role, name)[0]}"}
            for role, name in ((Role.PUBLISHER, "shop"), (Role.PUBLISHER, "other"), (Role.ADMINISTRATOR, None))
        )
        assert client.delete("/v1/advertisements/a1", headers=other).status_code == 404
        assert client.delete("/v1/advertisements/a1", headers=shop).status_code == 204
        assert client.delete("/v1/advertisements/a2", headers=admin).status_code == 204
        assert client.delete("/v1/advertisements/a2", headers=admin).status_code == 404
        assert app.state.service.store.unreadable() == []
        entries = client.get("/v1/audit", headers=admin).json()["entries"]
        assert [(one["user"], one["detail"]) for one in entries] == [("shop", "removed advertisement a2")]
