"""The page and its socket are for those who are signed in, from pages of this service, and only for as long as that holds."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from rankcast.service.access import Access, Role
from rankcast.service.page.guarding import PageGuard
from rankcast.service.service import Service
from rankcast.service.settings import Limits, ServiceSettings
from rankcast.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page")]
OTHER = {"Origin": "https://evil.example"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, serving: Callable[..., Iterator[Any]]) -> Iterator[Any]:
    yield from serving(tmp_path_factory.mktemp("guarded"))


def sign_in(site: Any, user: str) -> tuple[httpx.Client, str]:
    """A browser that is signed in, and the id of its token."""
    with Store.open(site.path) as store:
        token, kept = Access(store).create(Role.USER, user)
    client = httpx.Client(base_url=site.url, timeout=30)
    form = client.get("/sign-in").text
    nonce = re.search(r'name="nonce" value="([^"]+)"', form)
    assert nonce is not None
    answer = client.post("/sign-in", data={"token": token, "to": "/policy", "nonce": nonce[1]})
    assert (answer.status_code, answer.headers["location"]) == (303, "/policy")
    cookie = answer.headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=lax" in cookie.lower()
    assert token not in cookie
    return client, kept.id


def socket(site: Any, client: httpx.Client, page: str, cookies: bool = True, **headers: str) -> ClientConnection:
    """The socket of a page, connected as the page itself connects."""
    url = (
        site.url.replace("http", "ws", 1) + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket&implicit_handshake=true"
    )
    more = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())} if cookies else {}
    made = connect(
        f"{url}&client_id={page}&tab_id=t&document_id=d&next_message_id=0", additional_headers={**more, **headers}
    )
    assert str(made.recv(10)).startswith("0")
    made.send("40")
    return made


def page_of(client: httpx.Client) -> str:
    found = re.search(r"client_id\W+([0-9a-f-]{36})", client.get("/subscriptions").text)
    assert found is not None
    return found[1]


def test_a_socket_needs_the_cookie_the_origin_and_its_own_page(guarded: Any) -> None:
    ann, _ = sign_in(guarded, "ann")
    bob, _ = sign_in(guarded, "bob")
    page = page_of(ann)
    for given in ({"cookies": False}, OTHER, {"cookies": False, **OTHER}):
        with pytest.raises(InvalidStatus) as refused:
            socket(guarded, ann, page, **given)
        assert refused.value.response.status_code == 403
    polling = f"/_nicegui_ws/socket.io/?EIO=4&transport=polling&client_id={page}"
    assert httpx.get(guarded.url + polling).status_code == 403
    assert ann.get(polling, headers=OTHER).status_code == 403
    assert ann.get(polling).status_code == 200
    with socket(guarded, bob, page) as made:
        assert str(made.recv(10)).startswith("44")  # refused: it is another's page
    with socket(guarded, ann, page) as made:
        assert str(made.recv(10)).startswith("40")


def test_an_open_page_is_of_no_use_within_two_seconds_after_its_token_was_revoked(guarded: Any) -> None:
    cid, token = sign_in(guarded, "cid")
    page = page_of(cid)
    with socket(guarded, cid, page) as made:
        assert str(made.recv(10)).startswith("40")
        with Store.open(guarded.path) as store:
            Access(store).revoke(token)
        time.sleep(2.0)
        event = {"id": 4, "client_id": page, "listener_id": "x", "args": []}
        said = []
        try:
            made.send("42" + json.dumps(["event", event]))
            said.extend(str(made.recv(5))[:300] for _ in range(100))
        except (ConnectionClosed, TimeoutError):
            pass
        assert any("/sign-in" in one for one in said)
        assert any(one.startswith("41") for one in said)  # disconnected by the service
    assert cid.get("/subscriptions").headers["location"] == "/sign-in?to=/subscriptions"


def ended(made: ClientConnection, *messages: object) -> bool:
    """Whether the service ends a socket that sends some messages."""
    try:
        for message in messages:
            made.send("42" + json.dumps(message))
        return any(str(made.recv(3)).startswith("41") for _ in range(20))
    except ConnectionClosed:
        return True
    except TimeoutError:
        return False


def test_a_socket_that_sends_too_much_or_no_messages_of_a_page_is_ended(guarded: Any) -> None:
    eve, _ = sign_in(guarded, "eve")
    page = page_of(eve)
    event = ["event", {"id": 4, "client_id": page, "listener_id": "x", "args": []}]
    for message in (["event", [page]], ["event"], ["log", "x"], ["ack", None]):
        with socket(guarded, eve, page) as made:
            assert str(made.recv(10)).startswith("40")
            assert ended(made, message)
    with socket(guarded, eve, page) as made:
        assert str(made.recv(10)).startswith("40")
        assert not ended(made, event)
    with socket(guarded, eve, page) as made:
        assert str(made.recv(10)).startswith("40")
        assert ended(made, *[event] * 3_000)
    fay, _ = sign_in(guarded, "fay")
    with socket(guarded, fay, page_of(fay)) as made:
        assert str(made.recv(10)).startswith("40")


def test_no_other_site_signs_anybody_in_or_out(guarded: Any) -> None:
    dan, _ = sign_in(guarded, "dan")
    with Store.open(guarded.path) as store:
        token, _ = Access(store).create(Role.USER, "evil")
    for headers in (OTHER, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
        assert dan.post("/sign-out", headers=headers).status_code == 403
        nonce = re.search(r'name="nonce" value="([^"]+)"', dan.get("/sign-in").text)
        assert nonce is not None
        given = {"token": token, "nonce": nonce[1]}
        assert dan.post("/sign-in", data=given, headers=headers).status_code == 403
    assert dan.post("/sign-in", data={"token": token}).status_code == 403
    assert dan.post("/sign-in", data={"token": token, "nonce": "guessed"}).status_code == 403
    assert dan.get("/policy").status_code == 200
    again, _ = sign_in(guarded, "dan")
    assert dan.post("/sign-out", data={"everywhere": "yes"}).status_code == 303
    assert again.get("/policy").status_code == 303


def test_a_stranger_costs_nothing_and_does_not_ask_for_ever(guarded: Any) -> None:
    with httpx.Client(base_url=guarded.url) as client:
        codes = [client.get("/").status_code for _ in range(130)]
    assert set(codes) == {303, 429}
    assert codes[0] == 303


def test_whoever_asks_too_often_is_refused_before_the_page_does_anything(tmp_path: Path) -> None:
    settings = ServiceSettings(str(tmp_path / "store.db"), limits=Limits(rate=0.01, burst=3, pages=0.01, page_burst=3))
    service, reached = Service(settings), list[str]()

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["path"])
        await Response("here")(scope, receive, send)

    try:
        client = TestClient(PageGuard(page, service))
        for path in ("/sign-in", "/assets/theme.css"):
            assert [client.get(path).status_code for _ in range(5)] == [200] * 3 + [429] * 2
        assert client.get("/no/such/page").status_code == 429
        assert client.post("/sign-in").status_code == 429
        assert client.get("/", follow_redirects=False).status_code == 429
        assert reached == ["/sign-in"] * 3 + ["/assets/theme.css"] * 3
        assert client.get("/v1/me").status_code == 200  # the API counts for itself
    finally:
        service.stop()
