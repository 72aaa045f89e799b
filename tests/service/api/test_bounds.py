"""The API refuses what the model refuses: 422 with the field's name, whatever the door."""

from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from tests.support.edges import cases, inside, outside


def address(form: dict[str, Any]) -> str:
    """Where a record is put."""

    def part(name: str) -> str:
        return quote(str(form[name]), safe="")

    match form["kind"]:
        case "policy":
            return f"/v1/users/{part('user')}/policy"
        case "subscription":
            return f"/v1/users/{part('user')}/subscriptions/{part('id')}"
        case "advertisement":
            return f"/v1/advertisements/{part('id')}"
    return f"/v1/concepts/{part('attribute')}/{part('name')}"


def test_a_value_beyond_its_bound_is_a_422_that_names_the_field(client: TestClient) -> None:
    tried = 0
    for _, field, form in cases(outside):
        if form["kind"] == "preference" or (form["kind"] == "concept" and field.name == "user"):
            continue
        answer = client.put(address(form), json=form)
        assert answer.status_code == 422, (field.name, answer.text)
        said = answer.json()["detail"]
        assert field.name in said or "in the address has the control character" in said, said
        tried += 1
    assert tried > 100
    assert client.get("/v1/users/ann/policy").json() == {"kind": "policy", "user": "ann"}


def test_a_policy_on_its_bounds_is_taken(client: TestClient) -> None:
    for _, field, form in cases(inside):
        if form["kind"] == "policy" and field.name in ("k", "sigma", "weights", "score", "half_life", "origin", "seed"):
            answer = client.put(address(form), json=form)
            assert answer.status_code in (200, 201), (field.name, answer.text)


def test_a_policy_that_would_overflow_is_refused(client: TestClient) -> None:
    for given in (
        {"score": {"preference": 1.7e308, "degree": 1.7e308}},
        {"mode": "sliding", "k": 2, "length": "999999999d"},
        {"filter": {"novelty": "threshold", "rate": 1, "period": 10**13}},
    ):
        assert client.put("/v1/users/ann/policy", json=given).status_code == 422


def test_no_address_has_a_control_character(client: TestClient) -> None:
    document = client.get("/v1/openapi.json").json()
    tried = 0
    for path, methods in document["paths"].items():
        if "{" not in path or not path.startswith("/v1/"):
            continue
        filled = "/".join("a%00b" if part.startswith("{") else part for part in path.split("/"))
        for method in methods:
            answer = client.request(method, filled, json={})
            assert answer.status_code == 422, (method, filled, answer.status_code, answer.text)
            assert "control character U+0000" in answer.text
            tried += 1
    assert tried > 20
    assert client.get("/v1/users/ann/deliveries?after=%00").status_code == 422


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "x" * 257])
def test_names_in_bodies_are_bounded(client: TestClient, name: str) -> None:
    assert client.post("/v1/tokens", json={"role": "user", "name": name}).status_code == 422
    assert client.post("/v1/users/ann/subscriptions", json={"id": name, "where": "true"}).status_code == 422
    assert client.post("/v1/events", json={"id": name * 4, "attributes": {"a": 1}}).status_code == 422
    assert client.post("/v1/events", json={"id": "e1", "attributes": {name: 1}}).status_code == 422
