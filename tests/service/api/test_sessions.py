"""Administrators end sessions of others, users their own: over HTTP and by command."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from rankcast.cli.main import app
from rankcast.service import Service
from rankcast.service.access import Role

COMMAND = ["token", "sign-out", "--json", "--store"]


@pytest.fixture
def signed_in(guarded: TestClient) -> SimpleNamespace:
    """Two sessions of ann, one of bob and one of an administrator; `live` says which of them hold."""
    service: Service = guarded.app.state.service
    whose = [(Role.USER, "ann"), (Role.USER, "ann"), (Role.USER, "bob"), (Role.ADMINISTRATOR, None)]
    secrets = [str(service.sessions.open(service.access.create(role, name)[0])) for role, name in whose]

    def live() -> list[bool]:
        service.sessions._forget()  # as after the second for which the service remembers
        return [service.sessions.check(secret) is not None for secret in secrets]

    return SimpleNamespace(live=live, store=service.settings.store)


def test_an_administrator_signs_one_user_out(guarded: TestClient, sign: Any, signed_in: SimpleNamespace) -> None:
    answer = guarded.delete("/v1/users/ann/sessions", headers=sign())
    assert (answer.status_code, answer.json()) == (200, {"ended": 2})
    assert signed_in.live() == [False, False, True, True]


def test_an_administrator_signs_everybody_out(guarded: TestClient, sign: Any, signed_in: SimpleNamespace) -> None:
    assert guarded.delete("/v1/sessions", headers=sign()).json() == {"ended": 4}
    assert signed_in.live() == [False] * 4


def test_a_user_signs_only_themselves_out(guarded: TestClient, sign: Any, signed_in: SimpleNamespace) -> None:
    bob = sign("user", "bob")
    assert guarded.delete("/v1/sessions", headers=bob).status_code == 403
    assert guarded.delete("/v1/users/ann/sessions", headers=bob).status_code == 403
    assert signed_in.live() == [True] * 4
    assert guarded.delete("/v1/users/bob/sessions", headers=bob).json() == {"ended": 1}
    assert signed_in.live() == [True, True, False, True]


@pytest.mark.parametrize(
    ("options", "ended", "left"),
    [
        (["--user", "ann"], 2, [False, False, True, True]),
        (["--user", "nobody"], 0, [True] * 4),
        (["--everybody"], 4, [False] * 4),
    ],
)
def test_the_command_ends_sessions(
    signed_in: SimpleNamespace, options: list[str], ended: int, left: list[bool]
) -> None:
    done = CliRunner().invoke(app, [*COMMAND, signed_in.store, *options])
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"ended": ended})
    assert signed_in.live() == left


@pytest.mark.parametrize("options", [[], ["--user", "ann", "--everybody"]])
def test_the_command_wants_one_user_or_everybody(tmp_path: Path, options: list[str]) -> None:
    assert CliRunner().invoke(app, [*COMMAND, str(tmp_path / "store.db"), *options]).exit_code == 2
