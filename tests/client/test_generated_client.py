"""A client that a standard tool generates from the OpenAPI document does what the project's own client does."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rankcast.service import Service, ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.service.running import listening


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = str(tmp_path_factory.mktemp("document") / "store.db")
    return create_app(ServiceSettings(place, page=False, pipeline=False)).openapi()


@pytest.fixture(scope="module")
def generated(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package `generated_rankcast`, made by openapi-python-client."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(document))
    options = ["--path", str(folder / "openapi.json"), "--meta", "none", "--output-path"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *options, str(folder / "generated_rankcast")]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stdout + made.stderr
    # The generator knows no JSON Lines: an alternative to the array of a publication, and the messages of brokers.
    told = re.sub(
        r"Cannot parse [^()]*\(Unsupported content_type application/x-ndjson\)", "", made.stdout + made.stderr
    )
    assert "Cannot parse" not in told
    assert "Could not find" not in told
    sys.path.insert(0, str(folder))
    yield import_module("generated_rankcast")
    sys.path.remove(str(folder))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Service]]:
    with listening(ServiceSettings(str(tmp_path / "store.db"), port=0, page=False, poll=0.05)) as found:
        yield found


def test_every_reference_of_the_document_resolves(document: dict[str, Any]) -> None:
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert named <= set(document["components"]["schemas"])


@pytest.fixture
def call(generated: ModuleType, served: tuple[str, Service]) -> Callable[..., Any]:
    """Calls an operation of the generated client with a new token: who calls, the operation, its arguments."""
    address, service = served

    def call(caller: tuple[Role, str | None], path: str, *given: Any, **named: Any) -> Any:
        token = service.access.create(*caller)[0]
        client = generated.AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
        return import_module(f"generated_rankcast.api.{path}").sync(*given, client=client, **named)

    return call


ANN, BEN, SHOP, ROOT = (Role.USER, "ann"), (Role.USER, "ben"), (Role.PUBLISHER, "shop"), (Role.ADMINISTRATOR, None)


def films(models: ModuleType, *years: int) -> list[Any]:
    return [
        models.Event.from_dict({"id": f"e{year}", "time": "2026-01-01", "attributes": {"year": year}}) for year in years
    ]


def wait_for(service: Service, offset: int) -> None:
    for _ in range(1000):
        if service.store.reached() >= offset:
            return
        time.sleep(0.01)
    raise AssertionError("not served")


def test_it_subscribes_prefers_publishes_reads_and_explains(
    call: Callable[..., Any], served: tuple[str, Service]
) -> None:
    models = import_module("generated_rankcast.models")
    wide = call(ANN, "subscriptions.subscribe", "ann", body=models.Subscription(where="year > 0", id="wide"))
    assert (wide.id, wide.where) == ("wide", "year > 0")
    near = call(ANN, "subscriptions.put_subscription", "ann", "a/b", body=models.Subscription(where="year > 5"))
    assert near.id == "a/b"
    assert call(ANN, "preferences.prefer", "ann", body=models.Preference(prefer="a/b", over="wide")).over == "wide"
    policy = models.Policy.from_dict({"mode": "sliding", "k": 1, "length": 10})
    assert call(ANN, "policy.put_policy", "ann", body=policy).k == 1
    events = films(models, 9, 3)
    done = call(SHOP, "events.publish", body=events)
    assert [one.id for one in done.published] == ["e9", "e3"]
    again = call(SHOP, "events.publish", body=events[0])
    assert (again.id, again.duplicate) == ("e9", True)
    wait_for(served[1], 2)
    page = call(ANN, "deliveries.list_deliveries", "ann")
    assert [one.event for one in page.deliveries] == ["e9"]
    assert call(ANN, "trials.explain", "ann", "e9").sent is True
    left_out = call(ANN, "trials.explain", "ann", "e3")
    assert (left_out.sent, left_out.decision.cause.reason.value) == (False, "below")
    refused = call(ANN, "subscriptions.subscribe", "ann", body=models.Subscription(where="year >"))
    assert refused.status == 422
    assert call(BEN, "deliveries.list_deliveries", "ann").status == 403


def test_all_verbs(call: Callable[..., Any], served: tuple[str, Service]) -> None:
    models = import_module("generated_rankcast.models")
    for name, where in (("late", "year > 3"), ("old", "year < 3")):
        call(ANN, "subscriptions.put_subscription", "ann", name, body=models.Subscription(where=where))
    listed = call(ANN, "subscriptions.list_subscriptions", "ann")
    assert [one.id for one in listed] == ["late", "old"]
    call(ANN, "preferences.prefer", "ann", body=models.Preference(prefer="old", over="late"))
    preferred = call(ANN, "preferences.list_preferences", "ann").preferences
    assert [(one.prefer, one.over) for one in preferred] == [("old", "late")]
    recent = models.Concept.from_dict({"trapezoid": [3, 4, 9, 9]})
    assert call(ANN, "concepts.put_own_concept", "ann", "year", "recent", body=recent).name == "recent"
    call(SHOP, "events.publish", body=films(models, 1, 2, 3, 4))
    wait_for(served[1], 4)
    tried = models.TrialOfExpression.from_dict({"where": "year is recent"})
    assert call(ANN, "trials.try_expression", "ann", body=tried).count == 1
    assert call(ANN, "stats.stats_of_user", "ann").to_dict()["deliveries"] == 3
    call(ANN, "subscriptions.unsubscribe", "ann", "old")
    listed = call(ANN, "subscriptions.list_subscriptions", "ann")
    assert [one.id for one in listed] == ["late"]


def test_a_publisher_advertises(call: Callable[..., Any], served: tuple[str, Service]) -> None:
    models = import_module("generated_rankcast.models")
    for name, where in (("wide", "year > 0"), ("narrow", "year > 2")):
        call(ANN, "subscriptions.put_subscription", "ann", name, body=models.Subscription(where=where))
    promise = models.Advertisement.from_dict({"where": "year between 0 and 5", "k": 1})
    made = call(SHOP, "advertisements.advertise", "a/1", body=promise)
    assert (made.id, made.publisher, made.k) == ("a/1", "shop", 1)
    event = models.Event.from_dict({**films(models, 4)[0].to_dict(), "advertisement": "a/1", "k": 1})
    call(SHOP, "events.publish", body=event)
    wait_for(served[1], 1)
    (sent,) = call(ANN, "deliveries.list_deliveries", "ann").deliveries
    assert sent.subscriptions == ["wide"]
    call(SHOP, "advertisements.withdraw", "a/1")
    assert call(SHOP, "advertisements.list_advertisements") == []
    assert call(SHOP, "advertisements.withdraw", "a/1").status == 404


def test_an_administrator_makes_tokens(
    generated: ModuleType, call: Callable[..., Any], served: tuple[str, Service]
) -> None:
    models = import_module("generated_rankcast.models")
    made = call(ROOT, "tokens.create_token", body=models.NewToken.from_dict({"role": "user", "name": "bob"}))
    client = generated.AuthenticatedClient(base_url=served[0], token=made.token)
    listed = import_module("generated_rankcast.api.subscriptions.list_subscriptions").sync("bob", client=client)
    assert listed == []
