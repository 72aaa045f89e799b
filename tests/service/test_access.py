import asyncio
from pathlib import Path
from threading import Event as Flag

import pytest

from rankcast.errors import CatalogError, ModelError
from rankcast.service import Service
from rankcast.service import access as module
from rankcast.service.access import Access, Principal, Role
from rankcast.service.sessions import Session
from rankcast.store import AccessLog


@pytest.fixture
def access(service: Service) -> Access:
    return service.access


def test_a_token_says_who_it_is(access: Access) -> None:
    token, kept = access.create(Role.USER, "ann", "her phone")
    assert access.check(token) == Principal(Role.USER, "ann", kept.id)
    assert access.tokens() == [kept]
    assert not access.is_empty()


@pytest.mark.parametrize("spoil", [str.upper, lambda t: t[:-1] + ("A" if t[-1] != "A" else "B"), lambda t: t + "x"])
def test_what_is_not_a_token_is_nobody(access: Access, spoil: object) -> None:
    token, _ = access.create(Role.USER, "ann")
    assert access.check(spoil(token)) is None
    assert access.check("") is None
    assert access.check("rc_") is None


def test_one_token_does_not_open_another(access: Access) -> None:
    first, kept = access.create(Role.USER, "ann")
    second, _ = access.create(Role.USER, "bob")
    assert access.check(f"rc_{kept.id}_{second.split('_', 2)[2]}") is None
    assert access.check(first) is not None


def test_a_revoked_token_is_nobody(access: Access, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    token, kept = access.create(Role.ADMINISTRATOR)
    assert access.check(token) is not None
    elsewhere = Access(service.store)
    assert elsewhere.check(token) is not None
    access.revoke(kept.id)
    assert access.check(token) is None
    now = module.monotonic()
    monkeypatch.setattr(module, "monotonic", lambda: now + 1.5)
    assert elsewhere.check(token) is None  # in another process, within a second
    with pytest.raises(CatalogError, match="no token 'x'"):
        access.revoke("x")


def test_many_tokens_in_use_cost_one_look_a_second(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [service.access.create(Role.USER, f"user{number}") for number in range(5)]
    access, now, looks = Access(service.store), module.monotonic(), list[str]()
    monkeypatch.setattr(module, "monotonic", lambda: now)
    for name in ("token", "revocations"):
        read = getattr(AccessLog, name)
        monkeypatch.setattr(AccessLog, name, lambda *given, read=read, name=name: looks.append(name) or read(*given))
    for _ in range(3):
        assert all(access.check(token) for token, _ in tokens)
        now += 1.5
    assert looks == ["revocations", *["token"] * 5, "revocations", "revocations"]
    Access(service.store).revoke(tokens[0][1].id)
    now += 1.5
    assert [access.check(token) is None for token, _ in tokens] == [True, False, False, False, False]


def test_the_store_does_not_hold_the_token(service: Service) -> None:
    token, _ = service.access.create(Role.PUBLISHER, "shop")
    folder = Path(service.settings.store).parent
    service.store.database.close()
    for file in folder.iterdir():
        assert token.split("_", 2)[2].encode() not in file.read_bytes()


@pytest.mark.parametrize(("role", "name"), [(Role.USER, None), (Role.ADMINISTRATOR, "ann"), (Role.PUBLISHER, "")])
def test_a_token_needs_the_right_name(access: Access, role: Role, name: str | None) -> None:
    with pytest.raises(ModelError):
        access.create(role, name)


def test_who_may_act_for_whom() -> None:
    ann = Principal(Role.USER, "ann", "1")
    shop = Principal(Role.PUBLISHER, "ann", "2")
    root = Principal(Role.ADMINISTRATOR, None, "3")
    assert (ann.is_user("ann"), ann.is_user("bob"), ann.is_publisher("ann")) == (True, False, False)
    assert (shop.is_user("ann"), shop.is_publisher("ann"), shop.is_publisher("bob")) == (False, True, False)
    assert (root.is_user("ann"), root.is_publisher("shop")) == (True, True)


def test_whoever_keeps_all_threads_busy_does_not_delay_the_admission_of_others(service: Service) -> None:
    token, _ = service.access.create(Role.USER, "ann")
    secret = service.sessions.open(token)
    assert secret is not None
    access, ended = Access(service.store), Flag()

    async def admitted() -> tuple[Principal | None, Session | None]:
        busy = [asyncio.create_task(asyncio.to_thread(ended.wait, 20)) for _ in range(64)]
        await asyncio.sleep(0.1)
        try:
            return await asyncio.wait_for(access.admit(token), 10), await asyncio.wait_for(
                service.sessions.admit(secret), 10
            )
        finally:
            ended.set()
            await asyncio.gather(*busy)

    principal, session = asyncio.run(admitted())
    assert principal is not None
    assert session is not None
    assert principal.name == session.principal.name == "ann"
