"""Trials run in processes that are killed: after a time, when nobody waits for them, when the service stops."""

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from waiting import until

from rankcast.errors import CatalogError, RankcastError
from rankcast.language import parse
from rankcast.model import Catalog, Term
from rankcast.service.problems import Problem
from rankcast.service.trial_pool import TrialPool


@pytest.fixture
def pool() -> Iterator[TrialPool]:
    made = TrialPool(slots=2, waiting=2, seconds=5.0)
    yield made
    made.stop()


def _problem(work: Thread | None, found: list[BaseException]) -> Problem:
    if work is not None:
        work.join(10)
        assert not work.is_alive()
    assert isinstance(found[0], Problem)
    return found[0]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _in_thread(pool: TrialPool, user: str, seconds: float) -> tuple[Thread, list[BaseException]]:
    found: list[BaseException] = []

    def work() -> None:
        try:
            pool.run(user, time.sleep, seconds)
        except Problem as problem:
            found.append(problem)

    thread = Thread(target=work)
    thread.start()
    return thread, found


def test_it_runs_elsewhere_and_a_child_is_used_again(pool: TrialPool) -> None:
    first = pool.run("ann", os.getpid)
    assert first != os.getpid()
    assert pool.run("bob", os.getpid) == first
    assert pool.run("ann", sum, range(10)) == 45


def test_it_runs_in_the_folder_of_the_service(pool: TrialPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.run("ann", os.getcwd)  # starts a child, which is used again
    monkeypatch.chdir(tmp_path)
    assert pool.run("ann", os.getcwd) == str(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert pool.run("ann", os.getcwd) == "/"


def test_what_is_wrong_comes_back(pool: TrialPool) -> None:
    with pytest.raises(CatalogError, match="no concept 'cheap'"):
        pool.run("ann", Catalog().membership, "price", Term("cheap"))
    with pytest.raises(RankcastError):
        pool.run("ann", parse, "x >")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        pool.run("ann", divmod, 1, 0)
    assert pool.killed == 0


def test_one_that_takes_too_long_is_ended() -> None:
    pool = TrialPool(slots=1, waiting=2, seconds=0.3)
    child = pool.run("ann", os.getpid)  # which is used again
    start = time.monotonic()
    with pytest.raises(Problem) as refused:
        pool.run("ann", time.sleep, 60)
    assert time.monotonic() - start < 5
    assert (refused.value.status, refused.value.kind) == (504, "trial-time")
    assert "fewer events" in refused.value.detail
    assert pool.killed == 1
    assert not _is_alive(child)
    pool.stop()


def test_one_user_cannot_fill_the_queue_nor_take_all_slots(pool: TrialPool) -> None:
    pool.run("ann", os.getpid)
    threads = [_in_thread(pool, "ann", 3) for _ in range(2)]
    time.sleep(0.2)
    with pytest.raises(Problem) as refused:
        pool.run("ann", os.getpid)
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "2")
    pool.stop()
    for thread, found in threads:
        assert _problem(thread, found).status == 503


def test_who_runs_least_comes_next() -> None:
    pool = TrialPool(slots=1, waiting=4, seconds=5.0)
    pool.run("ann", os.getpid)
    order: list[str] = []

    def work(user: str) -> None:
        pool.run(user, time.sleep, 0.2)
        order.append(user)

    threads = []
    for user in ("ann", "ann", "ann", "bob"):
        threads.append(Thread(target=work, args=[user]))
        threads[-1].start()
        time.sleep(0.05)
    for thread in threads:
        thread.join(10)
    assert order[0] == "ann"
    assert set(order) == {"ann", "bob"}
    pool.stop()


def test_it_ends_when_whoever_asked_is_gone(pool: TrialPool) -> None:
    child = pool.run("ann", os.getpid)

    async def gone() -> bool:
        return True

    start = time.monotonic()
    with pytest.raises(Problem) as refused:
        asyncio.run(pool.run_for("ann", gone, time.sleep, 60))
    assert refused.value.status == 499
    assert time.monotonic() - start < 3
    until(lambda: pool.killed == 1, 3)
    until(lambda: not _is_alive(child), 3)


def test_it_stands_back_behind_the_service(pool: TrialPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANKCAST_TRIAL_NICE")
    monkeypatch.setattr("rankcast.service.trial_pool._idle", [])
    assert pool.run("ann", os.nice, 0) == min(19, os.nice(0) + 15)
    if hasattr(os, "SCHED_IDLE"):
        assert pool.run("ann", os.sched_getscheduler, 0) == os.SCHED_IDLE


def test_a_busy_machine_is_not_the_trials_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = TrialPool(slots=1, waiting=1, seconds=1.0)
    started = time.monotonic()
    pool.run("ann", time.sleep, 1.5)
    assert time.monotonic() - started >= 1.5, "it took no processor time"
    pool.stop()


def test_the_end_of_the_service_ends_it(pool: TrialPool) -> None:
    child = pool.run("ann", os.getpid)
    thread, found = _in_thread(pool, "ann", 60)
    time.sleep(0.2)
    start = time.monotonic()
    pool.stop()
    assert _problem(thread, found).status == 503
    assert time.monotonic() - start < 3
    assert not _is_alive(child)


def test_paused_trials_wait_until_they_are_resumed_or_the_service_ends(pool: TrialPool) -> None:
    pool.run("ann", os.getpid)  # starts a child, which is used again
    work, found = _in_thread(pool, "ann", 0.2)
    until(lambda: bool(pool._children))
    pool.pause()
    pool.pause()
    work.join(0.6)
    assert work.is_alive()
    pool.resume()
    work.join(10)
    assert (work.is_alive(), found) == (False, [])
    assert pool.run("ann", sum, range(10)) == 45, "a child that was paused is used again"
    work, found = _in_thread(pool, "ann", 60.0)
    until(lambda: bool(pool._children))
    pool.pause()
    pool.stop()
    assert _problem(work, found).status == 503
