"""While a quiet publisher's event is on its way, the service begins no other work; but not for long."""

import asyncio
from itertools import pairwise
from pathlib import Path

from fastapi.testclient import TestClient
from waiting import until

from rankcast.service import ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.service.request_shares import RequestShares
from rankcast.service.right_of_way import RightOfWay


def test_work_begins_when_the_way_is_given_back() -> None:
    async def story() -> list[str]:
        told, way = list[str](), RightOfWay(10.0)
        shares = RequestShares(1.0, 1.0, right_of_way=way)
        assert way.take()
        work = asyncio.create_task(shares.run("ann", lambda: told.append("worked")))
        await asyncio.sleep(0.05)
        told.append("given back")
        await asyncio.to_thread(way.give_back)
        await asyncio.wait_for(work, 5)
        return told

    assert asyncio.run(story()) == ["given back", "worked"]


def test_nobody_waits_longer_than_the_limit() -> None:
    async def story() -> None:
        way = RightOfWay(0.02)
        assert way.take()
        await asyncio.wait_for(way.wait(), 5)
        assert not way.is_taken

    asyncio.run(story())


def test_others_have_half_of_the_time_however_often_it_is_taken() -> None:
    now, told = [0.0], list[str]()
    way = RightOfWay(0.05, clock=lambda: now[0], begun=lambda: told.append("begun"), ended=lambda: told.append("ended"))

    async def story() -> int:
        taken = 0
        for step in range(10_000):
            now[0] = step * 0.001
            way.take()
            if step % 7 == 0:
                way.give_back()
            taken += way.is_taken
        return taken

    assert 3_000 < asyncio.run(story()) <= 5_000
    assert len(told) > 1_000
    assert all(one != next_one for one, next_one in pairwise(told)), "each begin has its end"


def test_only_a_quiet_publishers_event_has_the_right_of_way(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False))
    asked = list[str]()
    with TestClient(app) as client:
        service = app.state.service
        take, give_back = service.right_of_way.take, service.right_of_way.give_back
        service.right_of_way.take = lambda: asked.append("taken") or take()
        service.right_of_way.give_back = lambda: asked.append("given back") or give_back()
        token = service.access.create(Role.PUBLISHER, "news")[0]
        mine = {"Authorization": f"Bearer {token}"}
        events = [{"id": f"e{number}", "attributes": {"x": 1}} for number in range(20)]
        for event in events:
            assert client.post("/v1/events", json=event, headers=mine).status_code == 201
        assert asked[0] == "taken", "the publisher was quiet before its first event"
        assert asked.count("taken") < 20, "and not before its last"
        until(lambda: "given back" in asked)
