import httpx
import pytest

from rankcast.client import ServiceError
from rankcast.client.sending import SentEvents, checked, is_passing


def test_an_event_that_was_cut_does_not_count() -> None:
    lines = SentEvents()
    whole = [event for line in ["id: 6", "event: delivery", "data: 1", ""] for event in lines.take(line)]
    assert [(event.kind, event.id, event.data) for event in whole] == [("delivery", "6", 1)]
    for line in ("id: 7", "event: delivery", "data: 2"):
        assert not list(lines.take(line))
    assert lines.last_id == "6"


def test_an_id_alone_counts_and_comments_do_not() -> None:
    lines = SentEvents()
    assert not [event for line in [": heartbeat", "", "retry: 1000", "", "id: 9", ""] for event in lines.take(line)]
    assert lines.last_id == "9"


def test_data_of_several_lines_is_one() -> None:
    lines = SentEvents()
    (event,) = [event for line in ["data: [1,", "data: 2]", ""] for event in lines.take(line)]
    assert (event.kind, event.data) == ("message", [1, 2])


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"detail": "no"}'])
def test_whatever_a_proxy_answers_is_a_service_error(body: bytes) -> None:
    with pytest.raises(ServiceError) as raised:
        checked(httpx.Response(502, content=body))
    assert raised.value.status == 502
    assert str(raised.value)


@pytest.mark.parametrize(("status", "passing"), [(429, True), (503, True), (422, False), (500, False)])
def test_what_may_be_better_in_a_while(status: int, passing: bool) -> None:
    assert is_passing(ServiceError(status, {})) is passing
    assert is_passing(httpx.ConnectError("refused"))
