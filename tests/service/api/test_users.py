"""Deleting a user over HTTP."""

from fastapi.testclient import TestClient


def test_a_user_is_deleted_with_token_and_webhooks(guarded: TestClient, sign) -> None:
    ann, admin = sign("user", "ann"), sign()
    assert guarded.post("/v1/users/ann/subscriptions", json={"where": "true"}, headers=ann).status_code == 201
    webhook = {"url": "https://example.com/hook"}
    assert guarded.post("/v1/users/ann/webhooks", json=webhook, headers=ann).status_code == 201
    assert guarded.delete("/v1/users/ann", headers=sign("user", "bob")).status_code == 403
    assert guarded.delete("/v1/users/ann", headers=ann).status_code == 204
    assert guarded.get("/v1/me", headers=ann).status_code == 401
    assert guarded.get("/v1/users/ann/webhooks", headers=admin).json() == []
    assert guarded.get("/v1/users", headers=admin).json() == []
    assert guarded.delete("/v1/users/ann", headers=admin).status_code == 404
