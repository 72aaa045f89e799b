from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from rankcast.errors import CatalogError
from rankcast.store import AnswerLog, Store
from rankcast.store.answer_log import kept_answers
from rankcast.testing.clocks import SettableClock

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOW)


@pytest.fixture
def answers(tmp_path: Path, clock: SettableClock) -> AnswerLog:
    return AnswerLog(Store.create(tmp_path / "store.db", clock=clock).database)


def test_the_first_answer_is_given_again(answers: AnswerLog, clock: SettableClock) -> None:
    assert answers.reserve("t1", "k", b"request") == (NOW, None)
    clock.time += timedelta(seconds=5)
    assert answers.reserve("t1", "k", b"request") == (NOW, None)  # the first never finished: the same moment again
    answers.keep("t1", "k", b"first")
    answers.keep("t1", "k", b"second")
    assert answers.reserve("t1", "k", b"request") == (NOW, b"first")


def test_a_key_is_for_one_request(answers: AnswerLog) -> None:
    answers.reserve("t1", "k", b"request")
    with pytest.raises(CatalogError, match="'k' was used for another request"):
        answers.reserve("t1", "k", b"other")


def test_keys_of_others_are_others(answers: AnswerLog) -> None:
    answers.reserve("t1", "k", b"request")
    answers.keep("t1", "k", b"answer")
    assert answers.reserve("t2", "k", b"other").answer is None


def test_answers_are_forgotten_after_two_days(answers: AnswerLog, clock: SettableClock) -> None:
    answers.reserve("t1", "k", b"request")
    answers.keep("t1", "k", b"answer")
    clock.time += timedelta(days=2, seconds=1)
    assert answers.reserve("t1", "k", b"other") == (clock.time, None)


def test_of_one_owner_the_oldest_go_when_they_take_too_much_and_those_of_others_stay(
    tmp_path: Path, clock: SettableClock
) -> None:
    database = Store.create(tmp_path / "store.db", clock=clock).database
    log = AnswerLog(database, most=100_000)

    def keep(owner: str, number: int, size: int | None) -> None:
        clock.time += timedelta(seconds=1)
        log.reserve(owner, f"key{number}", b"request")
        if size is not None:
            log.keep(owner, f"key{number}", b"x" * size)

    keep("quiet", 0, 50_000)
    for number in range(400):
        keep("long", number, 1_000)
        keep("short", number, 1)
        keep("failing", number, None)  # a request that was refused has no answer
    with database.reading() as connection:
        rows = connection.execute(select(kept_answers.c.owner, kept_answers.c.answer)).all()
    sizes = Counter[str]()
    for owner, answer in rows:
        sizes[owner] += len(answer or b"") + 512
    assert sizes.pop("quiet") == 50_512
    assert sizes.keys() == {"long", "short", "failing"}
    assert all(80_000 < size < 110_000 for size in sizes.values()), sizes
    assert log.reserve("long", "key399", b"request").answer == b"x" * 1_000
    assert log.reserve("long", "key0", b"request").answer is None
