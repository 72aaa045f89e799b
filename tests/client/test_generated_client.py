"""A client that a standard tool generates from the OpenAPI document does what the project's own client does."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
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


def test_it_subscribes_prefers_publishes_reads_and_explains(generated: ModuleType, served: tuple[str, Service]) -> None:
    address, service = served
    models = import_module("generated_rankcast.models")

    def call(role: Role, name: str | None, path: str, *given: Any, **named: Any) -> Any:
        token = service.access.create(role, name)[0]
        client = generated.AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
        return import_module(f"generated_rankcast.api.{path}").sync(*given, client=client, **named)

    def as_ann(path: str, *given: Any, **named: Any) -> Any:
        return call(Role.USER, "ann", path, *given, **named)

    wide = as_ann("subscriptions.subscribe", "ann", body=models.Subscription(where="year > 0", id="wide"))
    assert (wide.id, wide.where) == ("wide", "year > 0")
    near = as_ann("subscriptions.put_subscription", "ann", "a/b", body=models.Subscription(where="year > 5"))
    assert near.id == "a/b"
    assert as_ann("preferences.prefer", "ann", body=models.Preference(prefer="a/b", over="wide")).over == "wide"
    policy = models.Policy.from_dict({"mode": "sliding", "k": 1, "length": 10})
    assert as_ann("policy.put_policy", "ann", body=policy).k == 1
    events = [
        models.Event.from_dict({"id": f"e{year}", "time": "2026-01-01", "attributes": {"year": year}})
        for year in (9, 3)
    ]
    done = call(Role.PUBLISHER, "shop", "events.publish", body=events)
    assert [one.id for one in done.published] == ["e9", "e3"]
    again = call(Role.PUBLISHER, "shop", "events.publish", body=events[0])
    assert (again.id, again.duplicate) == ("e9", True)
    for _ in range(1000):
        if service.store.reached() >= 2:
            break
        time.sleep(0.01)
    page = as_ann("deliveries.list_deliveries", "ann")
    assert [one.event for one in page.deliveries] == ["e9"]
    assert as_ann("trials.explain", "ann", "e9").sent is True
    left_out = as_ann("trials.explain", "ann", "e3")
    assert (left_out.sent, left_out.decision.cause.reason.value) == (False, "below")
    refused = as_ann("subscriptions.subscribe", "ann", body=models.Subscription(where="year >"))
    assert refused.status == 422
    assert call(Role.USER, "ben", "deliveries.list_deliveries", "ann").status == 403
