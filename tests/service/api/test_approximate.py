"""Crisp against approximate over the API: attitudes, the interval of a publication, and matches over time."""

from fastapi.testclient import TestClient

CHEAP = {"left_shoulder": [1000, 2000]}


def fill(client: TestClient) -> None:
    client.put("/v1/concepts/price/cheap", json=CHEAP)
    for name, where in (
        ("vague", "price is cheap"),
        ("sure", "price is cheap [pessimistic]"),
        ("crisp", "price < 1300"),
    ):
        assert client.put(f"/v1/users/ann/subscriptions/{name}", json={"where": where}).status_code == 201
    client.post("/v1/events", json=[{"id": f"e{price}", "attributes": {"price": price}} for price in (900, 1400, 2500)])


def test_a_subscriber_may_be_optimistic_indifferent_or_pessimistic(client: TestClient) -> None:
    fill(client)
    assert client.get("/v1/users/ann/subscriptions/sure").json()["where"] == "price is cheap [0.5, 0.5]"
    form = {"where": {"attribute": "price", "is": "cheap", "thresholds": "indifferent"}}
    made = client.put("/v1/users/ann/subscriptions/other", json=form).json()
    assert made["where"] == "price is cheap [0.75, 0.25]"


def test_thresholds_beside_crisp(client: TestClient) -> None:
    fill(client)
    uncertain = [{"between": [900, 1600]}, {"between": [900, 1400]}, {"is": "cheap"}]
    client.post("/v1/events", json=[{"id": f"u{at}", "attributes": {"price": one}} for at, one in enumerate(uncertain)])
    tried = client.post("/v1/users/ann/trials/expression", json={"where": "price is cheap [0.9, 0]"}).json()
    # 900 is cheap, 1400 to 0.6; the ranges possibly, and certainly to 0.4 and 0.6; what is called cheap to 0.5.
    # Crisply, the ranges are 1250 and 1150, and what is called cheap is 1000.
    assert tried["by_thresholds"] == {"crisp": 2, "optimistic": 5, "indifferent": 4, "pessimistic": 4}
    assert tried["count"] == 4
    ranged = client.post("/v1/users/ann/trials/expression", json={"where": "price < 1300"}).json()
    # Below 1300 is surely 900, and with necessity 0.3 what is called cheap.
    assert ranged["by_thresholds"] == {"crisp": 4, "optimistic": 4, "indifferent": 2, "pessimistic": 1}
    assert "by_thresholds" not in client.post("/v1/users/ann/trials/expression", json={"where": "size > 3"}).json()


def test_a_trial_reads_the_words_of_events_as_serving_does(client: TestClient) -> None:
    """An event's words have the shared meaning; the subscription's have that of its user."""
    fill(client)
    client.put("/v1/users/ann/concepts/price/cheap", json={"left_shoulder": [1, 2]})
    client.post("/v1/events", json=[{"id": "word", "attributes": {"price": {"is": "cheap"}}}])
    tried = client.post("/v1/users/ann/trials/expression", json={"where": "price > 1200"}).json()
    assert [one["id"] for one in tried["matched"]] == ["word", "e2500", "e1400"]


def test_who_matches_an_interval(client: TestClient) -> None:
    fill(client)
    asked = {"attribute": "price", "low": 1000, "high": 2200}
    found = client.get("/v1/users/ann/interval", params=asked).json()
    rows = {row["subscription"]["id"]: row for row in found["matches"]}
    assert found["of"] == 3
    assert rows["vague"]["degrees"]["as subscribed"] == [1.0, 0.0]
    assert rows["sure"]["degrees"]["as subscribed"] == [0.0, 0.0]
    assert (rows["vague"]["crisp"], rows["crisp"]["crisp"]) == (False, False)  # the middle is 1600
    assert found["counts"]["optimistic"][found["widths"].index(1200)] == 3
    for wrong in ({"low": 2300}, {"norm": "mean"}, {"high": "nan"}):
        assert client.get("/v1/users/ann/interval", params={**asked, **wrong}).status_code == 422


def test_vague_and_crisp_over_time(client: TestClient) -> None:
    fill(client)
    client.app.state.service.vague.round()
    found = client.get("/v1/vague-matches").json()
    assert found["seconds"] == 30
    (sample,) = found["samples"]
    assert (sample["events"], sample["subscriptions"]) == (3, 2)
    assert (sample["vague"], sample["at_thresholds"], sample["at_core"]) == (4, 4, 2)


def test_between_which_rates_topics_can_be_even(client: TestClient) -> None:
    client.put("/v1/users/bob/policy", json={"filter": {"novelty": "threshold", "rate": 0.2, "period": 20}})
    for number in range(2):
        client.put(f"/v1/users/bob/subscriptions/n{number}", json={"where": f"n = {number}"})
    client.post("/v1/events", json=[{"id": f"n{at}", "attributes": {"n": int(at % 4 == 0)}} for at in range(40)])
    even = client.get("/v1/users/bob/stats").json()["even"]
    assert (even["r_min"], even["r_max"]) == (0.1, 0.5)  # two topics in 20 matches; twice the rarer one's quarter
    assert even["advice"].startswith("with 0.2 you can have all 2 topics evenly")
    assert even["optimum"]["entropy"] == 1.0
