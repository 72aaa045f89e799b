"""Writers of one process get their turns in order."""

import subprocess
import sys
from functools import partial
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


def test_others_are_held_back_for_a_moment_and_urgent_ones_are_not() -> None:
    turns = Turns()
    assert turns.hold_back(0.1)
    assert not turns.take(0.02), "it is held back"
    assert turns.take(0.0, is_urgent=True)
    turns.give_back()
    begun = monotonic()
    assert turns.take(1.0)
    assert monotonic() - begun < 0.5, "it goes on by itself at the end"
    turns.give_back()
    assert not turns.hold_back(0.1), "others have at least half of the time"


def test_those_who_are_held_back_go_on_at_once_when_let_go() -> None:
    turns, came = Turns(), list[float]()
    assert turns.take(0.0, is_urgent=True)
    assert turns.hold_back(5.0)

    def ask() -> None:
        assert turns.take(5.0)
        came.append(monotonic())
        turns.give_back()

    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    turns.give_back()
    sleep(0.05)
    assert not came
    turns.let_go()
    for thread in threads:
        thread.join(1.0)
    assert len(came) == 3


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


def test_another_process_writes_before_those_whom_an_urgent_event_holds_back(tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    with Store.create(place) as store, Store.open(place) as pipeline:
        waiting = [Thread(target=store.publish, args=[[Event(f"patient{number}", EPOCH, {})]]) for number in range(3)]
        with store.database.writing():
            for thread in waiting:
                thread.start()
            while len(store.database._turns._waiting) < 3:
                sleep(0.001)
            urgent = Thread(target=partial(store.publish, [Event("urgent", EPOCH, {})], is_urgent=True))
            urgent.start()
            while not store.database._turns._urgent:
                sleep(0.001)
        urgent.join()
        pipeline.publish([Event("reaction", EPOCH, {})])
        store.database.let_go()
        for thread in waiting:
            thread.join()
        order = [logged.event.id for logged in store.events()]
    assert order[:2] == ["urgent", "reaction"], "another store stands for another process: it has turns of its own"
    assert sorted(order[2:]) == ["patient0", "patient1", "patient2"]


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
