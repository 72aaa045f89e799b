"""Explanations of a store agree with its log, on the command line, over HTTP and in the page's process."""

import importlib.util
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from rankcast.cli.main import app
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.engine.trace import UserReplay
from rankcast.errors import CatalogError, RankcastError
from rankcast.language import parse
from rankcast.model import (
    Advertisement,
    Catalog,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Policy,
    Ranking,
    SetAside,
    Subscription,
    Unit,
)
from rankcast.pipeline.explaining import explain_logged, forget_states
from rankcast.pipeline.local import LocalPipeline, serve_pending
from rankcast.pipeline.replay_states import ReplayState, ReplayStates
from rankcast.service import ServiceSettings, create_app
from rankcast.service.trial_tasks import explain_event
from rankcast.store import StateChanges, Store
from rankcast.store.state_pages import forget_past_pages
from rankcast.testing.clocks import SettableClock

FILE = Path(__file__).parents[2] / "benchmarks" / "explanations.py"
START = datetime(2026, 1, 1, tzinfo=UTC)
GENRES = ("drama", "comedy", "noir")


@pytest.fixture(scope="module")
def mixed() -> Any:
    spec = importlib.util.spec_from_file_location("explanations", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def events(count: int, first: int = 1, apart: timedelta = timedelta(minutes=1)) -> list[Event]:
    return [
        Event(f"e{number}", START + number * apart, {"genre": (GENRES[number % 3],), "stars": (number % 7,)})
        for number in range(first, first + count)
    ]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.create(tmp_path / "s.db") as made:
        subscribed = [Subscription(genre, "ann", parse(f"genre = '{genre}'"), 0.5) for genre in GENRES]
        made.change([*subscribed, Subscription("best", "ann", parse("stars > 4"), 0.9)])
        yield made


def serve(store: Store, close: bool = False) -> None:
    for _ in serve_pending(store, close=close):
        pass


def test_no_explanation_contradicts_the_log(mixed: Any, tmp_path: Path) -> None:
    """Every delivery of a mixed run, and some non-deliveries; a few of them also by page, API and command."""
    store, _ = mixed.mixed_store(tmp_path / "store.db", events=100, size=12, batch=20)
    asked = [(delivery.user, delivery.event, True) for _, delivery in store.deliveries()]
    assert {user for user, _, _ in asked} == {policy.user for policy in mixed.policies(12)}
    asked += [pair for pair in mixed.pairs(store, each=100) if not pair[2]]
    told = {(user, name): explain_logged(store, user, name) for user, name, _ in asked}
    store.close()
    for user, name, delivered in asked:
        found = told[user, name]
        assert not mixed.contradicts(found, delivered), (user, name, delivered, found.verdict)
        assert not found.remark, (user, name, delivered, found.remark)
    place = str(tmp_path / "store.db")
    some = asked[::97]
    for user, name, delivered in some:
        assert explain_event(place, 100_000, user, name).verdict == told[user, name].verdict  # what the page shows
        said = CliRunner().invoke(app, ["explain", user, name, "--store", place, "--json"])
        assert json.loads(said.stdout)["sent"] is delivered
        assert json.loads(said.stdout)["verdict"] == told[user, name].verdict
    settings = ServiceSettings(store=place, dev=True, page=False, pipeline=False)
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        for user, name, delivered in some:
            answer = client.get(f"/v1/users/{user}/explanations/{name}").json()
            assert (answer["sent"], answer["verdict"]) == (delivered, told[user, name].verdict)


def test_the_benchmark_passes_and_can_fail(mixed: Any, tmp_path: Path) -> None:
    """`benchmarks/explanations.py` in small; the limit of time is that of a busy machine."""
    store, _ = mixed.mixed_store(tmp_path / "store.db", events=60, size=12, batch=20)
    asked, place = mixed.pairs(store, each=30), str(tmp_path / "store.db")
    store.close()
    assert {delivered for _, _, delivered in asked} == {True, False}
    assert mixed.measure(place, "library", asked, limit=3.0, cold=True)
    assert not mixed.measure(place, "library", asked[:3], limit=0.0)
    assert not mixed.measure(place, "library", [(user, name, not sent) for user, name, sent in asked[:3]], limit=3.0)


@pytest.mark.parametrize(
    "policy",
    [
        Policy("ann", Mode.SLIDING, 5, Length(50), sigma=0.5),
        Policy("ann", Mode.SLIDING, 5, Length(timedelta(minutes=50), Unit.TIME), sigma=0.5),
        Policy("ann", Mode.SLIDING, 5, Length(20, Unit.MATCHED), sigma=0.5),
        Policy("ann", Mode.PERIODIC, 5, Length(50), sigma=0.5),
        Policy("ann", Mode.PERIODIC, 5, Length(timedelta(minutes=50), Unit.TIME)),
        Policy("ann"),
    ],
    ids=lambda policy: f"{policy.mode.value}-{policy.length and policy.length.unit.value}",
)
@pytest.mark.parametrize("name", ["e2", "e1500"])
def test_only_the_window_of_an_event_is_replayed(store: Store, policy: Policy, name: str) -> None:
    store.change([policy])
    store.publish(events(1_600))
    serve(store)
    read: list[int] = []
    found = explain_logged(store, "ann", name, tell=read.append)
    assert not found.remark
    assert sum(read) <= 160


def test_an_early_event_of_a_long_log_needs_no_later_ones(store: Store) -> None:
    store.change([Policy("ann", Mode.HISTORY, 3, Length(10), filter=Filter(FilterKind.SAMPLING, 0.5, 10))])
    store.publish(events(1_000))
    serve(store)
    read: list[int] = []
    explain_logged(store, "ann", "e2", tell=read.append)
    assert sum(read) <= 2


def test_a_state_that_was_passed_is_remembered(store: Store) -> None:
    forget_states()
    store.change([Policy("ann", Mode.HISTORY, 3, Length(10), sigma=0.5)])
    store.publish(events(1_300))
    serve(store)
    delivered = {delivery.event for _, delivery in store.deliveries("ann")}
    first: list[int] = []
    explain_logged(store, "ann", "e1290", tell=first.append)
    again: list[int] = []
    for name in ("e1280", "e1100", "e900"):
        found = explain_logged(store, "ann", name, tell=again.append)
        assert found.sent is (name in delivered)
        assert not found.remark
    assert sum(first) >= 1_289
    assert sum(again) <= 3 * 51


def test_what_an_engine_sets_aside_is_set_aside_in_a_replay(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that fails to be served costs no decision, and the events around it are retraced."""
    forget_states()
    store.change([Policy("ann", Mode.HISTORY, 3, Length(10), sigma=0.5)])
    candidate = Subscriber.candidate

    def fail(subscriber: Subscriber, event: Event, matched: Any) -> Any:
        if event.id == "e20":
            raise ZeroDivisionError
        return candidate(subscriber, event, matched)

    monkeypatch.setattr(Subscriber, "candidate", fail)
    store.publish(events(40))
    serve(store)
    delivered = {delivery.event for _, delivery in store.deliveries("ann")}
    for name in ("e19", "e25", "e40"):
        found = explain_logged(store, "ann", name)
        assert found.sent is (name in delivered)
        assert not found.remark


def test_a_competition_is_decided_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gets an event under an advertisement is remembered for all users, and by version of the catalog."""
    forget_states()
    store.change(
        [
            Policy("ann", Mode.SLIDING, 2, Length(5)),
            Policy("bob", Mode.SLIDING, 2, Length(5)),
            Subscription("other", "bob", parse("true"), 0.1),
            Advertisement("few", "studio", parse("true"), 1, Ranking.FAIR),
        ]
    )
    store.publish([replace(one, advertisement="few") for one in events(6)])
    store.change([Subscription("other", "bob", parse("true"), 1.0)])
    store.publish([replace(one, advertisement="few") for one in events(6, first=7)])
    serve(store)
    delivered = {(delivery.user, delivery.event) for _, delivery in store.deliveries()}
    assert {user for user, _ in delivered} == {"ann", "bob"}
    decided: list[str] = []
    recipients = UserReplay.recipients

    def note(replay: UserReplay, event: Event) -> frozenset[str]:
        decided.append(event.id)
        return recipients(replay, event)

    monkeypatch.setattr(UserReplay, "recipients", note)
    for user in ("ann", "bob"):
        for number in range(1, 13):
            found = explain_logged(store, user, f"e{number}")
            assert found.sent is ((user, f"e{number}") in delivered)
            assert not found.remark
    assert sorted(decided) == sorted(f"e{number}" for number in range(1, 13))


def test_everybody_who_competes_is_read_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page opens the store for each question, and asks about other events of the same version."""
    forget_states()
    store.change([Advertisement("few", "studio", parse("true"), 1, Ranking.FAIR)])
    store.publish([replace(one, advertisement="few") for one in events(6)])
    serve(store)
    read: list[int | None] = []
    catalog = Store.catalog

    def note(opened: Store, version: int | None = None) -> Catalog:
        read.append(version)
        return catalog(opened, version)

    monkeypatch.setattr(Store, "catalog", note)
    for number in range(1, 7):
        assert not explain_event(store.database.place, 100, "ann", f"e{number}").remark
    assert read == [store.version()]


@pytest.mark.parametrize(
    "policy",
    [
        Policy("ann", Mode.HISTORY, 3, Length(10), sigma=0.5),
        Policy("ann", Mode.PERIODIC, 3, Length(10, Unit.MATCHED)),
        Policy("ann", filter=Filter(FilterKind.THRESHOLD, 0.3, 10)),
        Policy("ann", Mode.SLIDING, 3, Length(timedelta(minutes=20), Unit.TIME)),
    ],
    ids=["history", "matched", "filter", "window"],
)
def test_a_new_process_starts_from_a_state_that_the_store_kept(store: Store, policy: Policy) -> None:
    """The events that are asked for come from a clock that is a year behind, so that their windows begin far back."""
    store.change([policy])
    for first in range(1, 3_500, 500):
        made = events(500, first)
        made[8::9] = [replace(one, time=one.time - timedelta(days=365)) for one in made[8::9]]
        store.publish(made)
        serve(store)
        store.change([Subscription("more", "ann", parse(f"stars = 1 and year > {first}"))])
    delivered = {delivery.event for _, delivery in store.deliveries("ann")}
    for number in range(2_500 + 9, 3_500, 99):
        forget_states()
        read: list[int] = []
        found = explain_logged(store, "ann", f"e{number}", tell=read.append)
        assert found.sent is (f"e{number}" in delivered)
        assert not found.remark, (number, found.verdict, found.remark)
        assert sum(read) <= 1_500, number
    with store.database.writing() as connection:
        forget_past_pages(connection, 10_000)
    forget_states()
    assert explain_logged(store, "ann", "e3400").sent is ("e3400" in delivered)


def test_remembered_states_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankcast.pipeline.replay_states._MOST_BYTES", 6)
    states = ReplayStates()
    for offset in (1, 2, 2, 3):
        states.put(("s", 0), "ann", ReplayState(offset, 0, {}))  # three bytes each
    assert states.nearest(("s", 0), "ann", 1) is None
    assert states.nearest(("s", 0), "ann", 9) == ReplayState(3, 0, {})
    assert states.nearest(("other", 0), "ann", 9) is None


def test_a_log_longer_than_the_limit_is_said_to_be_cut(store: Store) -> None:
    forget_states()
    store.change([Policy("ann", filter=Filter(FilterKind.THRESHOLD, 0.2, 10))])
    store.publish(events(200))
    serve(store)
    delivered = {delivery.event for _, delivery in store.deliveries("ann")}
    remarks = set()
    for number in range(150, 200):
        found = explain_logged(store, "ann", f"e{number}", most=7)
        assert found.sent is (f"e{number}" in delivered)
        assert found.verdict.startswith("sent" if found.sent else "not sent")
        remarks.add(found.remark)
    assert any("events were not replayed" in remark for remark in remarks)


@pytest.mark.parametrize("length", [Length(10), Length(timedelta(minutes=10), Unit.TIME)])
def test_a_period_that_was_ended_by_hand(store: Store, length: Length) -> None:
    """`run --close` in the middle of a period, twice; then the period ends by itself."""
    store.change([Policy("ann", Mode.PERIODIC, 2, length)])
    for first, count, close in ((1, 3, True), (4, 3, True), (7, 9, False), (16, 1, True)):
        store.publish(events(count, first))
        serve(store, close)
    delivered = {delivery.event for _, delivery in store.deliveries("ann")}
    assert len(delivered) >= 6
    for number in range(1, 17):
        found = explain_logged(store, "ann", f"e{number}")
        assert found.sent is (f"e{number}" in delivered)
        assert "waits" not in found.verdict
        assert not found.remark, found.verdict
        if found.sent:
            rivals = {rival.event for rival in found.decision.rivals} if found.decision else set()
            assert rivals <= delivered


def test_what_is_remembered_may_have_missed_an_end_by_hand(store: Store) -> None:
    """The replay continues from a remembered state before the end, and does not notice it. A saved state does."""
    forget_states()
    store.change([Policy("ann", Mode.PERIODIC, 2, Length(10, Unit.MATCHED))])
    for first, count in ((1, 504), (505, 4)):
        store.publish(events(count, first))
        serve(store, close=True)
    delivered = {delivery.event for _, delivery in store.deliveries("ann")}
    assert {"e502", "e503"} < delivered
    assert len({f"e{number}" for number in range(505, 509)} & delivered) == 2
    for number in (460, *range(505, 509)):
        found = explain_logged(store, "ann", f"e{number}")
        assert found.sent is (f"e{number}" in delivered)
        assert not found.remark, (number, found.verdict)


def test_what_waits_and_what_is_not_served_yet(store: Store) -> None:
    store.change([Policy("ann", Mode.PERIODIC, 2, Length(10))])
    store.publish(events(3))
    assert explain_logged(store, "ann", "e1").verdict.startswith(
        "not served yet; by what is published so far: not sent"
    )
    serve(store)
    assert explain_logged(store, "ann", "e1").verdict.startswith("not sent yet: it waits for the end of its period")
    with pytest.raises(CatalogError, match="no event 'e9'"):
        explain_logged(store, "ann", "e9")
    with pytest.raises(RankcastError, match="did you mean 'ann'"):
        explain_logged(store, "anne", "e1")


def test_a_period_that_the_clock_has_ended(tmp_path: Path) -> None:
    clock = SettableClock(START)
    with Store.create(tmp_path / "c.db", clock=clock) as store:
        length = Length(timedelta(hours=1), Unit.TIME)
        store.change([Subscription("s", "ann", parse("true"), 0.5), Policy("ann", Mode.PERIODIC, 1, length)])
        store.publish(events(3, first=0))
        serve(store)
        clock.go_on(timedelta(hours=2))
        assert "waits for the end of its period" in explain_logged(store, "ann", "e0").verdict
        pipeline = LocalPipeline(store)
        pipeline.load()
        assert pipeline.advance()
        assert explain_logged(store, "ann", "e0").verdict.startswith("not sent: rank 0.5 was never in the top 1")
        assert explain_logged(store, "ann", "e2").verdict.startswith("sent at the end of period")


def test_what_was_set_aside_says_so(store: Store) -> None:
    store.publish(events(2))
    aside = [SetAside("ann", "e1", 1, store.version(), "division by zero")]
    store.commit([], 2, store.version(), StateChanges(), 0, set_aside=aside)
    found = explain_logged(store, "ann", "e1")
    assert not found.sent
    assert "could not be served (division by zero)" in found.verdict


def test_an_event_from_a_clock_ahead_of_its_period(store: Store) -> None:
    """An event that counts in the current period may be dated after its end."""
    store.change([Policy("ann", Mode.PERIODIC, 3, Length(3))])
    store.publish([replace(one, time=one.time + timedelta(days=1)) if one.id == "e1" else one for one in events(3)])
    serve(store)
    found = explain_logged(store, "ann", "e1")
    assert found.sent
    assert not found.remark


def test_the_records_of_others_are_not_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 100,000 subscriptions of others, reading them would take five seconds."""
    store.change([Policy("ann", Mode.SLIDING, 2, Length(5)), Subscription("other", "bob", parse("true"))])
    store.publish(events(12))
    serve(store)

    def refuse(version: int | None = None) -> None:
        raise AssertionError("the whole catalog is read")

    monkeypatch.setattr(store, "catalog", refuse)
    assert explain_logged(store, "ann", "e12").verdict.startswith("sent in the window at event 12")
