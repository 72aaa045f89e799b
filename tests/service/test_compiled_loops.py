"""A service whose loops are not compiled yet serves, and compiles them beside."""

from threading import Event as Flag
from typing import Any

import pytest
from waiting import until

from rankcast.engine import warming
from rankcast.service import compiled_loops
from rankcast.service.compiled_loops import CompiledLoops


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, in order; nothing is really compiled."""
    made: list[str] = []
    monkeypatch.setattr(warming, "warm_up", lambda: made.append("loaded"))
    return made


def test_what_is_compiled_is_waited_for(steps: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "are_compiled", lambda: True)
    assert CompiledLoops().are_ready(10)
    assert steps == ["loaded"]


def test_what_is_not_compiled_is_compiled_by_a_child_and_nobody_waits(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Flag()

    class Compiling:
        def __init__(self, module: str, niceness: int) -> None:
            assert (module, niceness > 0) == (compiled_loops.__name__, True)

        def end(self, patience: float) -> int:
            go_on.wait(10)
            steps.append("compiled")
            return 0

    monkeypatch.setattr(warming, "are_compiled", lambda: False)
    monkeypatch.setattr(compiled_loops, "Child", Compiling)
    loops = CompiledLoops()
    assert not loops.are_ready(10)
    assert not loops.are_ready()
    assert steps == []
    go_on.set()
    until(loops.are_ready)
    assert steps == ["compiled", "loaded"]


def test_without_a_cache_they_are_compiled_here(steps: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "are_compiled", lambda: None)
    monkeypatch.setattr(compiled_loops, "Child", None)  # it would fail
    loops = CompiledLoops()
    loops.are_ready(10)
    until(loops.are_ready)
    assert steps == ["loaded"]


def test_loops_that_cannot_be_loaded_are_left_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any) -> bool:
        raise MemoryError

    monkeypatch.setattr(warming, "are_compiled", fail)
    assert CompiledLoops().are_ready(10)
