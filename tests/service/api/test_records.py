"""The records of the catalog over HTTP: made, read, replaced under conditions, removed."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rankcast.language import expression_to_json, parse
from rankcast.service import Service, ServiceSettings, create_app
from rankcast.store import Store

ANN = "/v1/users/ann"
DRAMA = {"where": "genre = 'drama'", "score": 0.5}


def test_a_subscription_lives_and_dies(client: TestClient) -> None:
    made = client.put(f"{ANN}/subscriptions/s1", json=DRAMA)
    assert (made.status_code, made.json()["label"]) == (201, "genre is drama")
    assert client.put(f"{ANN}/subscriptions/s1", json={**DRAMA, "score": 0.7}).status_code == 200
    assert client.get(f"{ANN}/subscriptions/s1").json()["score"] == 0.7
    assert [one["id"] for one in client.get(f"{ANN}/subscriptions").json()] == ["s1"]
    assert client.delete(f"{ANN}/subscriptions/s1").status_code == 204
    assert client.get(f"{ANN}/subscriptions/s1").status_code == 404


def test_a_name_with_slashes_is_addressed_all_the_same(client: TestClient) -> None:
    for path in (f"{ANN}/subscriptions/films%2Fdrama", f"{ANN}/subscriptions/films/drama"):
        assert client.put(path, json=DRAMA).json()["id"] == "films/drama"
        assert client.get(path).json()["id"] == "films/drama"
    assert client.put("/v1/concepts/price/low%2Fmid", json={"trapezoid": [0, 0, 5, 9]}).json()["name"] == "low/mid"
    client.post("/v1/events", json={"id": "https://example.org/1", "attributes": {"genre": "drama"}})
    assert client.get("/v1/events/https%3A%2F%2Fexample.org%2F1").json()["id"] == "https://example.org/1"
    assert client.get("/v1/events/https://example.org/1").json()["id"] == "https://example.org/1"
    concept = client.put("/v1/users/a%2Fb/concepts/price%2Fnight/low%2fmid", json={"trapezoid": [0, 0, 5, 9]}).json()
    assert (concept["user"], concept["attribute"], concept["name"]) == ("a/b", "price/night", "low/mid")
    assert client.put("/v1/users/a%2Fb/subscriptions/c%252F", json=DRAMA).json()["id"] == "c%2F"
    assert client.get("/v1/users/a%2Fb").json()["subscriptions"] == 1
    assert client.get("/v1/users/a/b").status_code == 404
    assert client.get("/v1%2Fusers/a%2Fb").status_code == 404


def test_a_slash_makes_nobody_anybody_else(guarded: TestClient, sign: Callable[..., dict[str, str]]) -> None:
    odd, ann = sign("user", "ann/policy"), sign("user", "ann")
    assert guarded.get("/v1/users/ann%2Fpolicy", headers=odd).status_code == 200
    assert guarded.get("/v1/users/ann/policy", headers=odd).status_code == 403
    assert guarded.get("/v1/users/ann%2Fpolicy", headers=ann).status_code == 403


def test_the_same_expression_without_an_id_is_one_subscription(client: TestClient) -> None:
    first, again = (client.post(f"{ANN}/subscriptions", json=DRAMA) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert client.post("/v1/users/bob/subscriptions", json=DRAMA).json()["id"] != first.json()["id"]


def test_the_json_form_of_an_expression_is_as_good(client: TestClient) -> None:
    form = {"where": expression_to_json(parse("genre = 'drama' and year > 1999"))}
    answer = client.put(f"{ANN}/subscriptions/s1", json=form)
    assert (answer.status_code, answer.json()["where"]) == (201, "genre = 'drama' and year > 1999")


def test_an_id_of_another_user_is_taken_without_saying_whose(client: TestClient) -> None:
    client.put("/v1/users/bob/subscriptions/s1", json=DRAMA)
    for answer in (
        client.put(f"{ANN}/subscriptions/s1", json=DRAMA),
        client.post(f"{ANN}/subscriptions", json={**DRAMA, "id": "s1"}),
    ):
        assert answer.status_code == 409
        assert "bob" not in answer.text


@pytest.mark.parametrize(
    ("path", "body", "other"),
    [
        (f"{ANN}/subscriptions/s1", DRAMA, {"where": "true"}),
        (f"{ANN}/policy", {"mode": "sliding", "k": 2, "length": 5}, {"mode": "all"}),
        ("/v1/concepts/price/cheap", {"trapezoid": [0, 0, 5, 9]}, {"trapezoid": [0, 0, 6, 9]}),
        (f"{ANN}/concepts/price/cheap", {"trapezoid": [0, 0, 5, 9]}, {"trapezoid": [0, 0, 6, 9]}),
        (
            "/v1/advertisements/a1",
            {"publisher": "p", "where": "true", "k": 1},
            {"publisher": "p", "where": "true", "k": 2},
        ),
    ],
)
def test_a_change_may_depend_on_what_is_there(
    client: TestClient, path: str, body: dict[str, Any], other: dict[str, Any]
) -> None:
    assert client.put(path, json=body, headers={"If-Match": "*"}).status_code == 412
    tag = client.put(path, json=body, headers={"If-None-Match": "*"}).headers["ETag"]
    assert client.put(path, json=body, headers={"If-None-Match": "*"}).status_code == 412
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    changed = client.put(path, json=other, headers={"If-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag
    assert client.delete(path, headers={"If-Match": tag}).status_code == 412
    assert client.put(path, json=body, headers={"If-Match": tag}).status_code == 412
    assert client.delete(path, headers={"If-Match": f'"x", {changed.headers["ETag"]}'}).status_code == 204
    assert client.delete(path).status_code == 404


def test_preferences_make_levels_and_no_circles(client: TestClient) -> None:
    for name in ("s1", "s2", "s3"):
        client.put(f"{ANN}/subscriptions/{name}", json={"where": f"x = '{name}'"})
    assert client.post(f"{ANN}/preferences", json={"prefer": "s1", "over": "s2"}).status_code == 201
    circle = client.post(f"{ANN}/preferences", json={"prefer": "s2", "over": "s1"})
    assert circle.status_code == 409
    assert "s1" in circle.json()["detail"]
    both = [{"prefer": "s3", "over": "s1"}, {"prefer": "s1", "over": "s2"}]
    assert client.put(f"{ANN}/preferences", json={"preferences": both}).json()["levels"] == {"s1": 2, "s2": 3, "s3": 1}
    assert client.put(f"{ANN}/preferences", json={"preferences": both[:1]}).json()["levels"]["s2"] == 1
    assert client.delete(f"{ANN}/preferences/s3/s1").status_code == 204
    assert client.delete(f"{ANN}/preferences/s3/s1").status_code == 404


def test_what_the_address_says_cannot_be_said_otherwise(client: TestClient) -> None:
    answer = client.put(f"{ANN}/subscriptions/s1", json={**DRAMA, "user": "bob"})
    assert answer.status_code == 422
    assert "the address says 'ann'" in answer.json()["detail"]
    answer = client.put("/v1/concepts/price/cheap", json={"user": "bob", "trapezoid": [0, 0, 5, 9]})
    assert "the address names none" in answer.json()["detail"]


@pytest.mark.parametrize(
    "where",
    [" or ".join(f"x = {n}" for n in range(201)), "not (" * 25 + "x = 1" + ")" * 25, "x = 1 and " * 30_000 + "x = 2"],
)
def test_an_expression_that_costs_too_much_is_refused(client: TestClient, where: str) -> None:
    answer = client.put(f"{ANN}/subscriptions/s1", json={"where": where})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:rankcast:problem:limit")


def test_searching_all_choices_is_for_small_windows(client: TestClient) -> None:
    policy = {"mode": "sliding", "k": 3, "length": 20, "select": "exact"}
    assert client.put(f"{ANN}/policy", json=policy).status_code == 201
    assert client.put(f"{ANN}/policy", json={**policy, "length": 500}).json()["pointer"] == "/select"
    assert client.put(f"{ANN}/policy", json={**policy, "length": "1h"}).status_code == 422


def test_one_means_a_word_otherwise(client: TestClient) -> None:
    client.put("/v1/concepts/price/cheap", json={"trapezoid": [0, 0, 5, 9]})
    client.put(f"{ANN}/concepts/price/cheap", json={"trapezoid": [0, 0, 1, 2]})
    assert [one["trapezoid"] for one in client.get(f"{ANN}/concepts").json()] == [[0, 0, 1, 2]]
    assert [one["trapezoid"] for one in client.get("/v1/users/bob/concepts").json()] == [[0, 0, 5, 9]]
    client.put(f"{ANN}/subscriptions/s1", json={"where": "price is cheap"})
    assert client.delete("/v1/concepts/price/cheap").status_code == 204  # ann has her own
    assert client.delete(f"{ANN}/concepts/price/cheap").status_code == 409  # and her subscription needs it


def test_a_user_goes_with_everything(client: TestClient) -> None:
    client.put(f"{ANN}/subscriptions/s1", json=DRAMA)
    client.put(f"{ANN}/policy", json={"mode": "history", "k": 2, "length": 5})
    client.put(f"{ANN}/concepts/price/cheap", json={"trapezoid": [0, 0, 1, 2]})
    assert client.get(ANN).json()["subscriptions"] == 1
    assert client.delete(ANN).status_code == 204
    service: Service = client.app.state.service
    assert not list(service.catalog().records())
    assert client.delete(ANN).status_code == 404


def test_tokens_are_made_listed_and_revoked(guarded: TestClient, sign: Any) -> None:
    root = sign()
    made = guarded.post("/v1/tokens", json={"role": "user", "name": "ann", "note": "phone"}, headers=root).json()
    mine = {"Authorization": f"Bearer {made['token']}"}
    assert guarded.get("/v1/me", headers=mine).json()["name"] == "ann"
    listed = guarded.get("/v1/tokens", headers=root)
    assert made["token"] not in listed.text
    assert [one["note"] for one in listed.json()] == ["", "phone"]
    assert guarded.delete(f"/v1/tokens/{made['id']}", headers=root).status_code == 204
    assert guarded.get("/v1/me", headers=mine).status_code == 401
    assert guarded.post("/v1/tokens", json={"role": "user"}, headers=root).status_code == 422


def test_a_token_may_expire(guarded: TestClient, sign: Any) -> None:
    root = sign()
    form = {"role": "user", "name": "ann", "expires": "90d"}
    made = guarded.post("/v1/tokens", json=form, headers=root).json()
    lasts = datetime.fromisoformat(made["expires"]) - datetime.fromisoformat(made["created"])
    assert abs(lasts - timedelta(days=90)) < timedelta(seconds=1)
    assert [one["expires"] for one in guarded.get("/v1/tokens", headers=root).json()] == [None, made["expires"]]
    assert guarded.get("/v1/me", headers={"Authorization": f"Bearer {made['token']}"}).status_code == 200
    for wrong in ("soon", "0s", "99999999d", 90, ""):
        assert guarded.post("/v1/tokens", json={**form, "expires": wrong}, headers=root).status_code == 422


def test_metrics_are_for_administrators(guarded: TestClient, sign: Any) -> None:
    assert guarded.get("/metrics", headers=sign("user", "ann")).status_code == 403
    text = guarded.get("/metrics", headers=sign()).text
    assert "rankcast_live_feeds 0.0" in text
    assert 'rankcast_http_requests_total{method="GET",status="403"} 1.0' in text


def test_an_expression_is_tried_before_it_is_saved(client: TestClient) -> None:
    client.post("/v1/events", json=[{"id": f"e{n}", "attributes": {"year": n}} for n in range(10)])
    trial = client.post(f"{ANN}/trials/expression", json={"where": "year >= 4", "limit": 8, "show": 2}).json()
    assert (trial["count"], trial["of"], [one["id"] for one in trial["matched"]]) == (6, 8, ["e9", "e8"])
    assert client.post(f"{ANN}/trials/expression", json={"where": "year >= "}).json()["position"] == 8
    assert client.post(f"{ANN}/trials/expression", json={"where": "true", "limit": 10**9}).status_code == 422


def serving(settings: ServiceSettings) -> TestClient:
    return TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False)


def test_what_cannot_be_read_any_more_is_its_owner_s_to_delete_or_replace(settings: ServiceSettings) -> None:
    with serving(settings) as client:
        for name in ("s1", "s2"):
            client.put(f"{ANN}/subscriptions/{name}", json=DRAMA)
    with Store.open(settings.store) as store, store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE catalog_records SET record = '{}'")
    with serving(settings) as client:
        is_its_owners(client)


def is_its_owners(client: TestClient) -> None:
    assert client.delete("/v1/users/bob/subscriptions/s1").status_code == 404
    assert client.put("/v1/users/bob/subscriptions/s1", json=DRAMA).status_code == 409
    assert client.get(f"{ANN}/subscriptions").json() == []
    assert client.delete(f"{ANN}/subscriptions/s1").status_code == 204
    assert client.delete(f"{ANN}/subscriptions/s1").status_code == 404
    assert client.put(f"{ANN}/subscriptions/s2", json=DRAMA).status_code in (200, 201)
