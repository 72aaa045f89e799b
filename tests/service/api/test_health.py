"""A process that is alive says so, whatever its database does."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from rankcast.service import ServiceSettings
from rankcast.service.access import Role
from rankcast.service.running import listening


@pytest.mark.slow
def test_a_database_that_hangs_does_not_hold_up_what_does_not_need_it(postgresql) -> None:
    with postgresql.place() as url:
        short = f"{url}&statement_timeout=4&connect_timeout=2"
        with listening(ServiceSettings(store=short, port=0, page=False, poll=0.2)) as (address, service):
            token, _ = service.access.create(Role.ADMINISTRATOR)
            signed = {"Authorization": f"Bearer {token}"}
            with httpx.Client(base_url=address, timeout=30) as client, ThreadPoolExecutor(9) as others:
                assert client.get("/v1/health/ready").status_code == 200
                with postgresql.paused():
                    asked = [others.submit(client.get, path, headers=signed) for path in ("/v1/users", "/v1/me") * 4]
                    asked.append(others.submit(client.get, "/v1/health/ready"))
                    slowest = 0.0
                    until = time.monotonic() + 3
                    while time.monotonic() < until:
                        begun = time.monotonic()
                        assert client.get("/v1/health/live").json() == {"status": "live"}
                        slowest = max(slowest, time.monotonic() - begun)
                        time.sleep(0.05)
                    begun = time.monotonic()
                    answer = client.get("/v1/health/ready")
                    assert answer.status_code == 503
                    assert answer.json()["pending"] is None
                    assert time.monotonic() - begun < 4
                assert slowest < 1
                assert {one.result().status_code for one in asked} <= {200, 503}
                assert client.get("/v1/users", headers=signed).status_code == 200
