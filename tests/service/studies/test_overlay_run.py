from dataclasses import replace

import pytest

from rankcast.service.studies.overlay_run import SimulationSetup, run

SMALL = SimulationSetup(subscribers=40, publications=30, k=3)


@pytest.mark.parametrize("topology", ["tree:2x2", "chain:3x2", "star:4"])
@pytest.mark.parametrize("strategy", ["regular", "rank-cover", "ancestor-cover"])
def test_top_k_strategies_deliver_to_those_that_one_broker_would_choose(topology: str, strategy: str) -> None:
    found = run(replace(SMALL, topology=topology, strategy=strategy))
    assert (found.wrong, found.is_exact) == (0, True)
    assert 0 < found.delivered <= 3 * 30


def test_strategies_save_messages_about_subscriptions_and_not_deliveries() -> None:
    everything = run(replace(SMALL, strategy="regular"))
    saving = run(replace(SMALL, strategy="ancestor-cover"))
    assert saving.subscribes < everything.subscribes
    assert saving.delivered == everything.delivered
    assert saving.known[SMALL.publisher] < everything.known[SMALL.publisher] == 40


def test_plain_publish_subscribe_delivers_to_all_that_match() -> None:
    assert run(replace(SMALL, strategy="regular-cover")).delivered > 3 * 30


def test_the_links_add_up() -> None:
    found = run(SMALL)
    assert found.publishes == sum(len(route.visited) - 1 for route in found.routes)
    assert sum(route.received.total() for route in found.routes) == found.delivered
    assert len(found.upstream) == len(found.tree.brokers) - 1
    assert sum(found.local.values()) == 40
