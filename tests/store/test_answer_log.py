from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rankcast.errors import CatalogError
from rankcast.store import AnswerLog, Store

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def answers(tmp_path: Path, clock: Clock) -> AnswerLog:
    return AnswerLog(Store.create(tmp_path / "store.db", clock=clock).database)


def test_the_first_answer_is_given_again(answers: AnswerLog, clock: Clock) -> None:
    assert answers.reserve("t1", "k", b"request") == (NOW, None)
    clock.now += timedelta(seconds=5)
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


def test_answers_are_forgotten_after_two_days(answers: AnswerLog, clock: Clock) -> None:
    answers.reserve("t1", "k", b"request")
    answers.keep("t1", "k", b"answer")
    clock.now += timedelta(days=2, seconds=1)
    assert answers.reserve("t1", "k", b"other") == (clock.now, None)
