"""The store as a whole: what survives when its process is killed."""

import signal
import subprocess
import sys
from random import Random

import pytest

import rankcast.store
from rankcast.language import decode_event
from rankcast.store import Store

EVENTS = 20_000

PUBLISHER = """
import sys
from rankcast.language import decode_event
from rankcast.store import Store
events = (decode_event({"id": f"e{n}", "time": "2026-05-01", "attributes": {"n": n}}) for n in range(int(sys.argv[2])))
with Store.open(sys.argv[1]) as store:
    for published in store.publishing(events, batch=100):
        print(published.id, published.offset, flush=True)
"""

WORKER = """
import sys
from datetime import UTC, datetime
from rankcast.model import Delivery
from rankcast.store import PageMark, StateChanges, StatePage, Store
time = datetime(2026, 5, 1, tzinfo=UTC)
with Store.open(sys.argv[1]) as store:
    for n in range(1, store.last_offset() + 1):
        sent = [Delivery(f"u{user}", f"e{n}", n, 0.5, ("s1",), time, time, n) for user in range(30)]
        page = StatePage(PageMark(0, 0, 1, n, 0, 0, n + 1), str(n).encode() * 1000)
        store.commit(sent, n, 0, StateChanges([page]), expected_offset=n - 1)
        print(n, flush=True)
"""


def events(count: int):
    return (decode_event({"id": f"e{n}", "time": "2026-05-01", "attributes": {"n": n}}) for n in range(count))


def lines_before_kill(code: str, arguments: list[str], count: int) -> list[str]:
    """What a process printed until it was killed, some time after that many lines."""
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True)
    lines = [child.stdout.readline() for _ in range(count)]
    child.send_signal(signal.SIGKILL)
    lines += child.stdout.read().splitlines(keepends=True)
    child.stdout.close()
    assert child.wait(60) == -signal.SIGKILL
    return [line for line in lines if line.endswith("\n")]


@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_acknowledged_survives_a_kill_and_publishing_again_completes_the_log(store, place, seed):
    moment = Random(seed).randrange(1, EVENTS // 2)
    lines = lines_before_kill(PUBLISHER, [place, str(EVENTS)], moment)
    acknowledged = {name: int(offset) for name, offset in map(str.split, lines)}
    assert moment <= len(acknowledged) < EVENTS

    offsets = {published.id: published.offset for published in store.publish(events(store.last_offset()))}
    assert acknowledged.items() <= offsets.items()
    assert len(offsets) % 100 == 0, "a batch is in the log as a whole or not at all"

    published = store.publish(events(EVENTS))
    assert [each.offset for each in published] == list(range(1, EVENTS + 1))
    assert [each.duplicate for each in published] == [True] * len(offsets) + [False] * (EVENTS - len(offsets))
    assert store.last_offset() == store.stats().events == EVENTS


def test_progress_deliveries_and_state_never_part_when_the_worker_is_killed(store, place):
    store.publish(events(400))
    for moment in (17, 40):
        lines = lines_before_kill(WORKER.replace("range(1,", f"range({store.progress().offset + 1},"), [place], moment)
        progress = store.progress()
        assert progress.offset >= int(lines[-1])
        assert [page.content for page in store.saved_state().pages] == [str(progress.offset).encode() * 1000]
        assert [delivery.seq for _, delivery in store.deliveries()] == [
            number for number in range(1, progress.offset + 1) for _ in range(30)
        ]


def test_a_store_is_there_again_after_it_was_closed(place):
    with Store.create(place) as store:
        store.publish(events(3))
    with Store.open(place) as store:
        assert [logged.event.id for logged in store.events()] == ["e0", "e1", "e2"]


def test_the_public_names_are_those():
    assert sorted(rankcast.store.__all__) == [
        "AccessLog",
        "ActivityLog",
        "ActivitySample",
        "AnswerLog",
        "AuditEntry",
        "AuditLog",
        "BatchCounts",
        "BrokerLog",
        "BrokerSelf",
        "Change",
        "ClockAdvance",
        "DigestLog",
        "EventRoute",
        "IN_PROCESS",
        "Instants",
        "KeptReject",
        "KeptSetAside",
        "Lease",
        "LogRow",
        "LoggedEvent",
        "LoggedText",
        "MessageLog",
        "MiningEffect",
        "MiningLog",
        "MiningRun",
        "NeighbourRow",
        "PageMark",
        "Pipeline",
        "Progress",
        "PublishReceipt",
        "QuietLog",
        "Reaction",
        "ReactionLog",
        "ReceivedEvent",
        "RoutedText",
        "SPARK",
        "SavedState",
        "SessionLog",
        "StateChanges",
        "StatePage",
        "Stats",
        "Store",
        "TokenRecord",
        "WebhookLog",
    ]
    assert all(hasattr(rankcast.store, name) for name in rankcast.store.__all__)
