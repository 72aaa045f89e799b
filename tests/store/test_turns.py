"""Writers of one process get their turns in order."""

import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

from rankcast.errors import StoreError
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
