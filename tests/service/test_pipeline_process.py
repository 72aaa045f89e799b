"""The pipeline in a child process: it serves, is replaced when it dies, and ends with its parent."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from waiting import until

from rankcast.errors import StoreError
from rankcast.language import decode_event, decode_record
from rankcast.model import Event
from rankcast.service import Service, ServiceSettings, children
from rankcast.service.pipeline_process import PipelineProcess

pytestmark = pytest.mark.slow


def event(number: int) -> Event:
    return decode_event({"id": f"e{number}", "time": "2004-01-01", "attributes": {"x": number}})


def alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists() and "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1]


@pytest.fixture
def process(settings: ServiceSettings) -> Iterator[Service]:
    """A service whose pipeline is a child, and looks by itself every ten minutes only."""
    made = Service(replace(settings, own_process=True, poll=600.0))
    made.put(decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "true"}))
    yield made
    made.stop()


def child_of(service: Service) -> int:
    assert isinstance(service.runner, PipelineProcess)
    assert service.runner._child is not None
    return service.runner._child.pid


def test_it_serves_what_is_published_as_soon_as_it_is_woken_and_one_that_dies_is_replaced(process: Service) -> None:
    process.start()
    process.publish([event(1), event(2)])
    until(lambda: process.store.last_delivery() == 2)
    until(lambda: process.runner.delivered == 2)
    assert (process.runner.is_running, process.runner.events, process.runner.error) == (True, 2, None)
    first = child_of(process)
    os.kill(first, signal.SIGTERM)  # as when all processes are told to end: this one waits for its parent
    process.publish([event(3)])
    until(lambda: process.store.last_delivery() == 3)
    until(lambda: process.runner.delivered == 3)  # one who is killed says no more
    os.kill(first, signal.SIGKILL)
    until(lambda: process.runner.error is not None)
    process.publish([event(4)])
    until(lambda: process.store.last_delivery() == 4)
    until(lambda: process.runner.delivered == 4)
    assert (process.runner.error, process.runner.is_running) == (None, True)
    last = child_of(process)
    process.runner.stop()
    assert not process.runner.is_running
    assert last != first
    assert not alive(last)


def test_what_it_sets_aside_is_logged_by_the_service(process: Service, capfd: pytest.CaptureFixture[str]) -> None:
    process.publish([event(1), event(2)])
    with process.store.database.writing() as connection:
        connection.execute(text("update events set content = '{' where event_offset = 1"))
    process.start()
    until(lambda: process.store.last_delivery() == 1)
    until(lambda: process.runner.set_aside == 1)
    assert "set aside: user None, event 'e1' at 1, catalog version 1: StoreError" in capfd.readouterr().err


def test_a_store_that_another_serves_is_refused(process: Service, settings: ServiceSettings) -> None:
    other = Service(settings)
    other.start()
    with pytest.raises(StoreError, match="served by another process already"):
        process.start()
    other.stop()


def test_a_publisher_who_waits_ends_its_pause(process: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = "import rankcast.service.runner as made; made._BEAT = 60.0; "
    monkeypatch.setattr(children, "_COMMAND", slow + children._COMMAND)
    process.start()
    process.publish([event(1)])
    until(lambda: process.runner.events == 1)
    process.store.publish([event(2)])  # by nobody whom the service knows, so it is not urgent
    process.runner.wake()
    assert process.store.last_delivery() == 1
    process.runner.hasten()
    until(lambda: process.store.last_delivery() == 2, 20)


@pytest.mark.parametrize("is_stuck", [False, True])
def test_it_ends_with_its_parent_however_that_ends_and_a_new_one_may_start(
    settings: ServiceSettings, is_stuck: bool
) -> None:
    Service(settings).stop()
    program = (
        "import sys, time\n"
        "from rankcast.service.pipeline_process import PipelineProcess\n"
        f"made = PipelineProcess({settings.store!r})\n"
        "made.start()\n"
        "print(made._child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    if is_stuck:
        os.kill(child, signal.SIGSTOP)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    try:
        until(lambda: not alive(child), 5)
        again = PipelineProcess(settings.store)
        again.start()
        again.stop()
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
