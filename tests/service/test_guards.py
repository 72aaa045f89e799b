import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from rankcast.errors import ModelError
from rankcast.service import Limits, ServiceSettings, create_app, guards
from rankcast.service.access import Access, Role
from rankcast.service.guards import OwnMachineOnly, SlowRefusals


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_may_not_be_too_large(tmp_path: Path, chunked: bool) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), dev=True, page=False, limits=Limits(body=1000)))

    def parts() -> Iterator[bytes]:
        for _ in range(3):
            yield b" " * 400

    with TestClient(app, base_url="http://localhost") as client:
        answer = client.post("/v1/events", content=parts() if chunked else b" " * 1200)
    assert answer.status_code == 413
    assert answer.json()["type"] == "urn:rankcast:problem:limit"


SITES = [
    ({"Host": "localhost:8765"}, 200),
    ({"Host": "[::1]:8765"}, 200),
    ({"Host": "127.0.0.1:8765", "Origin": "http://127.0.0.1:8765"}, 200),
    ({"Host": "localhost:8765", "Origin": "http://localhost:8765"}, 200),
    ({"Host": "[::1]:8765", "Origin": "http://[::1]:8765"}, 200),
    ({"Host": "localhost:8765", "Origin": "http://localhost:3000"}, 403),  # another program of this machine
    ({"Host": "localhost:3000", "Origin": "http://localhost:3000"}, 403),
    ({"Host": "localhost:8765", "Origin": "http://localhost"}, 403),
    ({"Host": "localhost:8765", "Origin": "https://localhost:8765"}, 403),
    ({"Host": "localhost:8765", "Origin": "http://localhost:99999"}, 403),
    ({"Host": "evil.example"}, 403),  # a name that was made to mean this machine
    ({"Host": "localhost", "Origin": "https://evil.example"}, 403),  # another site's page
    ({"Host": "localhost", "Origin": "null"}, 403),
    ({"Host": "localhost.evil.example"}, 403),
]


@pytest.mark.parametrize(("headers", "status"), SITES)
def test_without_tokens_other_sites_are_kept_out(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.get("/v1/me", headers=headers).status_code == status


@pytest.mark.parametrize(("headers", "status"), SITES)
def test_without_tokens_no_socket_of_another_site_is_accepted(headers: dict[str, str], status: int) -> None:
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        await socket.close()

    client = TestClient(OwnMachineOnly(echo, ServiceSettings(dev=True)))
    accepted = nullcontext() if status == 200 else pytest.raises(WebSocketDisconnect)
    with accepted, client.websocket_connect("/", headers=headers):
        pass


def test_the_public_address_of_a_service_without_tokens_is_its_own(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    app = create_app(ServiceSettings(store, dev=True, page=False, public_url="http://localhost:9000"))
    with TestClient(app, base_url="http://localhost:9000") as client:
        assert client.get("/v1/me", headers={"Origin": "http://localhost:9000"}).status_code == 200
        assert client.get("/v1/me", headers={"Origin": "http://localhost:9001"}).status_code == 403


def test_no_service_without_tokens_on_an_address_that_others_reach() -> None:
    with pytest.raises(ModelError, match="only on this machine"):
        ServiceSettings(host="0.0.0.0", dev=True)


def test_one_who_asks_too_often_has_to_wait(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, limits=Limits(rate=0.5, burst=3)))
    with TestClient(app) as client:
        headers = [
            {"Authorization": f"Bearer {app.state.service.access.create(Role.USER, name)[0]}"}
            for name in ("ann", "bob")
        ]
        assert [client.get("/v1/me", headers=headers[0]).status_code for _ in range(5)] == [200] * 3 + [429] * 2
        refused = client.get("/v1/me", headers=headers[0])
        assert int(refused.headers["Retry-After"]) >= 1
        assert client.get("/v1/me", headers=headers[1]).status_code == 200
        assert [client.get("/v1/me").status_code for _ in range(4)] == [401] * 3 + [429]  # guessing, by address


def test_whoever_guesses_tokens_is_refused_before_the_store_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, limits=Limits(rate=0.01, burst=3)))
    access: Access = app.state.service.access
    checked, check = list[str](), access.check
    monkeypatch.setattr(access, "check", lambda token: checked.append(token) or check(token))
    guesses = [f"rc_{number:012x}_{'x' * 43}" for number in range(6)]
    with TestClient(app) as client:
        ann = {"Authorization": f"Bearer {access.create(Role.USER, 'ann')[0]}"}
        assert client.get("/v1/me", headers=ann).status_code == 200
        codes = [client.get("/v1/me", headers={"Authorization": f"Bearer {one}"}).status_code for one in guesses]
        assert codes == [401] * 3 + [429] * 3
        assert checked[1:] == guesses[:3]
        assert client.get("/v1/me", headers=ann).status_code == 200  # from the same address


def test_nothing_secret_is_logged(
    guarded: TestClient, sign: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    headers = sign()
    secret = headers["Authorization"].split("_", 2)[2]
    guarded.app.state.service.trials.run_for = lambda *given: 1 / 0
    guarded.post("/v1/events", json={"id": "e1", "attributes": {}}, headers=headers)
    guarded.put("/v1/users/ann/subscriptions/s", json={"where": "true"}, headers=headers)
    guarded.post("/v1/events", json={"id": "e2", "attributes": {}}, headers=headers)
    failed = guarded.get("/v1/users/ann/explanations/e2", headers=headers)
    assert failed.status_code == 500
    assert "ZeroDivisionError" in caplog.text  # so the log does say what went wrong
    out, err = capfd.readouterr()
    for text in (caplog.text, out, err, failed.text):
        assert secret not in text


def guarded_body(limits: Limits, *messages: dict[str, Any], held: int = 0) -> tuple[int, str]:
    """What is answered to a body that arrives in these parts, and then no further, while others hold so many bytes."""
    from rankcast.service.guards import BodyLimit
    from rankcast.service.problems import answer_of, problem_of

    async def reading(scope: Any, receive: Any, send: Any) -> None:
        try:
            while (await receive())["more_body"]:
                pass
            await send({"type": "http.response.start", "status": 200, "headers": []})
        except Exception as error:
            await answer_of(problem_of(error))(scope, receive, send)

    async def run() -> tuple[int, str]:
        parts = list(messages)
        sent: list[Any] = []

        async def receive() -> Any:
            return parts.pop(0) if parts else await asyncio.sleep(60)

        async def send(message: Any) -> None:
            sent.append(message)

        guard = BodyLimit(reading, limits)
        assert await guard._in_flight.take("another", held)
        scope = {"type": "http", "path": "/v1/events", "headers": [], "client": ("10.0.0.1", 1)}
        await guard(scope, receive, send)
        assert guard._in_flight.taken == held
        return sent[0]["status"], b"".join(one.get("body", b"") for one in sent).decode()

    return asyncio.run(run())


def test_a_body_that_comes_too_slowly_is_given_up() -> None:
    part = {"type": "http.request", "body": b"x", "more_body": True}
    status, said = guarded_body(Limits(arrival=0.05), part, part)
    assert (status, "within 0.05 seconds" in said) == (408, True)


def test_all_bodies_together_are_bounded() -> None:
    last = {"type": "http.request", "body": b"x" * 60, "more_body": False}
    limits = Limits(body=100, in_flight=100)
    assert guarded_body(limits, last, held=40)[0] == 200
    status, said = guarded_body(limits, last, held=41)
    assert (status, "all the memory there is" in said) == (503, True)


def test_refusals_are_held_so_that_nobody_keeps_a_service_busy_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "_MOST_HELD", 2)
    monkeypatch.setattr(guards, "_HELD", 30.0)
    sent: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("", scope["status"], scope["more"])(scope, receive, send)

    held = SlowRefusals(app)

    async def ask(status: int, more: dict[str, str]) -> None:
        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent.append(message["status"])

        await held({"type": "http", "status": status, "more": more}, nothing, send)

    async def nothing() -> Message:
        return {"type": "http.request"}

    async def ask_all() -> None:
        early = {"Retry-After": "1"}
        waiting = [asyncio.create_task(ask(status, early)) for status in (429, 503)]
        await asyncio.sleep(0)
        assert sent == []
        await ask(200, {})
        await ask(503, {})  # not ready, which a balancer wants to know at once
        await ask(429, early)  # enough are held
        assert sent == [200, 503, 429]
        for one in waiting:
            one.cancel()

    asyncio.run(ask_all())


@pytest.mark.parametrize(("path", "code"), [("/v1/openapi.json", 200), ("/v1/docs", 200), ("/v1/nowhere", 404)])
def test_what_needs_no_token_is_limited_by_address(tmp_path: Path, path: str, code: int) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, limits=Limits(rate=0.01, burst=2)))
    with TestClient(app) as client:
        assert [client.get(path).status_code for _ in range(3)] == [code] * 2 + [429]
        assert client.get("/v1/health/live").status_code == 200  # probes are counted apart


def test_a_stranger_cannot_ask_for_health_without_end(tmp_path: Path) -> None:
    limits = Limits(probes=0.01, probe_burst=3)
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, limits=limits))
    with TestClient(app, client=("192.0.2.1", 1)) as stranger, TestClient(app, client=("192.0.2.2", 1)) as balancer:
        paths = ("/v1/health/live", "/v1/health/ready") * 2
        assert [stranger.get(path).status_code for path in paths][-1] == 429
        assert stranger.get("/v1/health/live").headers["Retry-After"]
        assert balancer.get("/v1/health/live").status_code == 200
        signed = {"Authorization": f"Bearer {app.state.service.access.create(Role.USER, 'ann')[0]}"}
        assert stranger.get("/v1/me", headers=signed).status_code == 200
