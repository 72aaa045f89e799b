"""The OpenAPI document describes every route, and the reference page shows them."""

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from rankcast.service import ServiceSettings, create_app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return create_app(ServiceSettings(str(tmp_path_factory.mktemp("api") / "store.db"), page=False, pipeline=False))


def test_every_route_is_described(app: FastAPI) -> None:
    for path, methods in app.openapi()["paths"].items():
        for method, said in methods.items():
            assert len(said["description"]) > 10, (method, path)
            assert said["tags"], (method, path)
            assert "429" in said["responses"], (method, path)


def test_the_reference_shows_every_route_and_fetches_nothing(app: FastAPI) -> None:
    page = TestClient(app).get("/v1/docs")
    for path in app.openapi()["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page.text)


def test_the_public_address_is_where_the_document_says_the_service_is(app: FastAPI, tmp_path: Path) -> None:
    settings = ServiceSettings(str(tmp_path / "store.db"), page=False, public_url="https://rankcast.example.org/")
    assert create_app(settings).openapi()["servers"] == [{"url": "https://rankcast.example.org"}]
    assert "servers" not in app.openapi()
