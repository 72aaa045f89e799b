"""Writers of one process get their turns in order."""

import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

from rankcast.errors import StoreError
from rankcast.model import EPOCH, Event
from rankcast.store import Store
from rankcast.store.turns import Turns, Turnstile


def test_turns_come_in_the_order_of_asking() -> None:
    turns, order = Turns(), list[int]()
    assert turns.take(1)

    def ask(number: int) -> None:
        assert turns.take(5)
        order.append(number)
        turns.give_back()

    threads = [Thread(target=ask, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
        sleep(0.01)
    turns.give_back()
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    assert turns.take(0)


def test_urgent_ones_come_first_and_in_their_order() -> None:
    turns, order = Turns(), list[str]()
    assert turns.take(1)

    def ask(name: str, is_urgent: bool) -> None:
        assert turns.take(5, is_urgent)
        order.append(name)
        turns.give_back()

    threads = [Thread(target=ask, args=[name, name.startswith("urgent")]) for name in ("a", "b", "urgent1", "urgent2")]
    for number, thread in enumerate(threads, 1):
        thread.start()
        while len(turns._waiting) + len(turns._urgent) < number:
            sleep(0.001)
    assert not turns.take(0.0, is_urgent=True), "one who gives up is passed over"
    turns.give_back()
    for thread in threads:
        thread.join()
    assert order == ["urgent1", "urgent2", "a", "b"]
    assert turns.take(0)


def test_one_who_gave_up_is_passed_over() -> None:
    turns = Turns()
    assert turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)


def test_a_writer_that_waits_too_long_is_told(tmp_path: Path) -> None:
    place = str(tmp_path / "store.db")
    Store.create(place).close()
    with (
        Store.open(place, wait=0.05) as store,
        store.database.writing(),
        pytest.raises(StoreError, match="busy"),
        store.database.writing(),
    ):
        pass
    with Store.open(place) as store, store.database.writing():
        pass


def test_urgent_events_are_logged_before_what_others_wait_to_write(tmp_path: Path) -> None:
    with Store.create(tmp_path / "store.db") as store:
        turns = store.database._turns

        def publish(name: str, is_urgent: bool) -> None:
            store.publish([Event(name, EPOCH, {})], is_urgent=is_urgent)

        threads = [Thread(target=publish, args=["patient", False]), Thread(target=publish, args=["urgent", True])]
        with store.database.writing():
            for number, thread in enumerate(threads, 1):
                thread.start()
                while len(turns._waiting) + len(turns._urgent) < number:
                    sleep(0.001)
        for thread in threads:
            thread.join()
        assert [logged.event.id for logged in store.events()] == ["urgent", "patient"]


BUSY = """\
import sys
from threading import Thread
from time import sleep
from rankcast.store import Store

store = Store.open(sys.argv[1])

def write():
    while True:
        with store.database.writing():
            sleep(0.01)

for _ in range(3):
    Thread(target=write, daemon=True).start()
print("begun", flush=True)
sys.stdin.read()
"""


def test_a_process_that_writes_all_the_time_lets_others_write(tmp_path: Path) -> None:
    place = str(tmp_path / "store.db")
    Store.create(place).close()
    command = [sys.executable, "-c", BUSY, place]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as busy, Store.open(place) as store:
        assert busy.stdout is not None
        busy.stdout.readline()
        waits = list[float]()
        for _ in range(40):
            begun = monotonic()
            with store.database.writing():
                waits.append(monotonic() - begun)
            sleep(0.001)
        busy.kill()
    assert sorted(waits)[-3] < 0.1, f"it waits for one transaction of 10 ms, not for many: {waits}"


def test_a_turnstile_is_passed_one_by_one_and_leaves_nothing(tmp_path: Path) -> None:
    first, second = (Turnstile(tmp_path / "turns") for _ in range(2))
    with first.passing(0) as came, second.passing(0.01) as came_too:
        assert (came, came_too) == (True, False)
    with second.passing(0) as came:
        assert came
        first.close()
        assert (tmp_path / "turns").exists(), "the second one needs it"
    second.close()
    assert list(tmp_path.iterdir()) == []


def test_a_turnstile_whose_file_another_removed_is_made_anew(tmp_path: Path) -> None:
    first, second = (Turnstile(tmp_path / "turns") for _ in range(2))
    with first.passing(0), second.passing(0):
        pass
    (tmp_path / "turns").unlink()
    with first.passing(0) as came, second.passing(0) as came_too:
        assert (came, came_too) == (True, False)


def test_without_a_folder_for_its_file_everybody_passes(tmp_path: Path) -> None:
    with Turnstile(tmp_path / "missing" / "turns").passing(0) as came:
        assert came
