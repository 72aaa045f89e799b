import pytest
from fastapi.testclient import TestClient

from rankcast.errors import CatalogError, ExpressionError, LimitError, RecordError, StoreError
from rankcast.language import parse
from rankcast.service.problems import Problem, problem_of


def test_a_bad_expression_is_pointed_at(client: TestClient) -> None:
    answer = client.put("/v1/users/ann/subscriptions/s1", json={"where": "year > 1999 and genre = drama"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:rankcast:problem:expression"
    assert (problem["pointer"], problem["position"]) == ("/where", 24)
    assert (problem["found"], problem["expected"]) == ("'drama'", "a value, like 'text' or 5")
    assert problem["hint"] == "strings need single quotes: 'drama'"
    assert problem["line"] == "year > 1999 and genre = drama"
    assert problem["line"][len(problem["caret"]) - 1 :] == "drama"


@pytest.mark.parametrize(
    "text", ["", "genre =", "a = 1 b", "(a = 1", "a = 'x", "x is", "a b = 1", "=" * 300, "a\n=\nb"]
)
def test_the_caret_is_under_the_character(text: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse(text)
    problem = problem_of(raised.value).to_json()
    at = raised.value.position
    wanted = text[at] if at < len(text) and text[at] != "\n" else ""
    assert problem["line"][len(problem["caret"]) - 1 :][:1] == wanted


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (LimitError("long", "x", 0), 422, "limit"),
        (RecordError("bad"), 422, "record"),
        (CatalogError("taken"), 409, "conflict"),
        (StoreError("/secret/place is locked"), 503, "store"),
        (Problem(404, "not-found", "gone"), 404, "not-found"),
        (ZeroDivisionError("secret"), 500, "internal"),
    ],
)
def test_every_error_has_its_answer(error: Exception, status: int, kind: str) -> None:
    problem = problem_of(error)
    assert (problem.status, problem.kind) == (status, kind)
    assert "secret" not in str(problem.to_json())


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/v1/x", 404), ("POST", "/v1/me", 405)])
def test_what_is_not_there_is_a_problem_too(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == answer.json()["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_bad_parameter_is_named(client: TestClient) -> None:
    problem = client.get("/v1/users/ann/deliveries?limit=0").json()
    assert problem["errors"][0]["where"] == "query.limit"
