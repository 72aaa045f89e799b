"""A process that makes few choices does not load the compiled loops."""

import subprocess
import sys

import pytest

from rankcast.choose import DivRank, Greedy, Improved, loading

PROBE = """
import sys
from rankcast.choose import Candidate, DivRank, Greedy, Improved
from rankcast.model import EPOCH, Event

window = [
    Candidate(Event(f"e{seq}", EPOCH, {"x": (seq % 7,), "y": (seq % 5,)}, seq=seq), seq % 4 / 4)
    for seq in range(1, 200)
]
optimizer = {"greedy": Greedy, "improved": Improved}[sys.argv[1]]()
for _ in range(int(sys.argv[2])):
    optimizer.select(window, 3, DivRank(0.5))
print("numba" in sys.modules)
"""


@pytest.mark.parametrize("optimizer", ["greedy", "improved"])
@pytest.mark.parametrize(("choices", "loads"), [(1, "False"), (200, "True")])
def test_one_choice_loads_nothing_and_many_do(optimizer: str, choices: int, loads: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROBE, optimizer, str(choices)], capture_output=True, text=True, check=True, timeout=300
    )
    assert run.stdout.split() == [loads]


@pytest.fixture
def _nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_LOOPS", "a module that nobody loads")
    monkeypatch.setattr(loading, "_compared", 0)


@pytest.mark.usefixtures("_nothing_loaded")
def test_pairs_that_were_compared_count() -> None:
    half = loading._WORTH // 2
    assert not loading.is_worth_loading(loading._WORTH)
    assert loading.is_worth_loading(loading._WORTH + 1)
    loading.note_compared(half)
    assert not loading.is_worth_loading(half)
    assert loading.is_worth_loading(half + 1)


@pytest.mark.usefixtures("_nothing_loaded")
def test_every_plain_choice_is_counted(candidate) -> None:
    window = [candidate(seq, 0.5, x=seq % 2) for seq in range(1, 41)]
    counts = [loading._compared]
    for choose in (Greedy().select, Improved().select):
        choose(window, 3, DivRank(0.5))
        counts.append(loading._compared)
    Greedy.fill_up(window[:1], window[1:], 3, DivRank(0.5))
    counts.append(loading._compared)
    assert counts == sorted(set(counts))


def test_loaded_loops_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_LOOPS", "sys")
    assert loading.is_worth_loading(1)
