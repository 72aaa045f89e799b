"""Requests share the processor: whoever causes much work waits, and nobody else does."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import pytest
from fastapi.testclient import TestClient

from rankcast.service import Limits, ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.service.problems import Problem
from rankcast.service.request_shares import RequestShares


def burn(seconds: float) -> Callable[[], float]:
    def work() -> float:
        until = thread_time() + seconds
        while thread_time() < until:
            pass
        return seconds

    return work


def test_a_caller_who_is_alone_is_not_delayed() -> None:
    now = [0.0]
    shares = RequestShares(rate=0.01, burst=0.001, clock=lambda: now[0])
    shares.note("ann")
    for _ in range(3):
        assert asyncio.run(shares.run("ann", burn(0.01))) == 0.01
    assert shares.wait_of("ann") == 0.0
    shares.note("bob")
    assert shares.wait_of("ann") > 2.0
    assert shares.wait_of("bob") == 0.0
    now[0] = 11.0
    assert shares.wait_of("ann") == 0.0, "bob is not active any more"


def test_beside_others_a_caller_waits_and_then_is_refused() -> None:
    shares = RequestShares(rate=0.1, burst=0.001)
    shares.note("ann")
    shares.note("bob")

    async def ask() -> float:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await shares.run("ann", burn(0.02))
        await shares.run("ann", burn(0.0))
        return loop.time() - begun

    assert asyncio.run(ask()) > 0.15
    shares.charged("ann", burn(1.0))
    with pytest.raises(Problem, match="used up their processor time") as refused:
        asyncio.run(shares.run("ann", burn(0.0)))
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "10")
    asyncio.run(shares.run("bob", burn(0.0)))


def test_many_requests_of_one_caller_leave_threads_to_others() -> None:
    shares = RequestShares(rate=1.0, burst=1.0)
    running, most = [0], [0]

    async def ask() -> None:
        loop, released = asyncio.get_running_loop(), asyncio.Event()

        def hold() -> None:
            running[0] += 1
            most[0] = max(most[0], running[0])
            asyncio.run_coroutine_threadsafe(released.wait(), loop).result()
            running[0] -= 1

        requests = [asyncio.create_task(shares.run("ann", hold)) for _ in range(64)]
        await asyncio.sleep(0.1)
        with pytest.raises(Problem, match="64 requests of this token wait already"):
            await shares.run("ann", hold)
        assert await shares.run("bob", burn(0.001)) == 0.001
        released.set()
        await asyncio.gather(*requests)

    asyncio.run(ask())
    assert most[0] == 1


def test_through_the_api_only_the_token_that_causes_work_is_refused(tmp_path: Path) -> None:
    limits = Limits(processor_rate=1e-6, processor_burst=1e-6)
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, pipeline=False, limits=limits))
    with TestClient(app) as client:

        def ask(name: str) -> int:
            path = f"/v1/users/{name}/deliveries"
            return client.get(path, headers={"Authorization": f"Bearer {tokens[name]}"}).status_code

        tokens = {name: app.state.service.access.create(Role.USER, name)[0] for name in ("ann", "bob")}
        assert [ask("ann") for _ in range(5)] == [200] * 5, "nobody else is active"
        assert [ask("bob"), ask("bob")] == [200, 429]
        assert ask("ann") == 429
