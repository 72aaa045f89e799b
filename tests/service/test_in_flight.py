import asyncio

import pytest

from rankcast.errors import ModelError
from rankcast.service.in_flight import BytesInFlight


def test_one_sender_has_a_share_and_all_together_the_budget() -> None:
    async def run() -> None:
        budget = BytesInFlight(most=100, share=40)
        assert await budget.take("ann", 40)
        assert not await budget.take("ann", 1)
        assert await budget.take("bob", 40)
        assert not await budget.take("cem", 21)
        budget.give_back("ann", 40)
        assert await budget.take("cem", 40)
        assert budget.taken == 80

    asyncio.run(run())


def test_one_who_waits_gets_what_is_given_back_and_nobody_waits_for_ever() -> None:
    async def run() -> None:
        budget = BytesInFlight(most=100, share=100)
        assert await budget.take("ann", 100)
        waiting = asyncio.create_task(budget.take("bob", 60, patience=5))
        given_up = asyncio.create_task(budget.take("cem", 60, patience=5))
        await asyncio.sleep(0)
        given_up.cancel()
        assert not await budget.take("dan", 60, patience=0.01)
        budget.give_back("ann", 100)
        assert await waiting
        assert budget.taken == 60
        assert not await budget.take("eve", 101, patience=60)  # never: so at once
        budget.give_back("bob", 60)
        assert budget.taken == 0

    asyncio.run(run())


def test_a_share_is_a_part_of_the_budget() -> None:
    with pytest.raises(ModelError, match="must be 1 to 10"):
        BytesInFlight(most=10, share=11)
