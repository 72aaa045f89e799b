"""Sessions of the page: they live in the store, end by themselves, and with their token."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from rankcast.errors import ModelError
from rankcast.service.access import Access, Role
from rankcast.service.sessions import Sessions
from rankcast.store import Store


@pytest.fixture
def made(store: Store) -> SimpleNamespace:
    """Sessions that last a month, or a day without a click; `tick` is a clock that goes a second further with each look."""
    tick = iter(range(10**9))
    access = Access(store)
    sessions = Sessions(store, access, timedelta(days=1), timedelta(days=30), clock=lambda: next(tick) * 100.0)
    return SimpleNamespace(access=access, sessions=sessions)


def sign_in(made: SimpleNamespace, role: Role = Role.USER, name: str | None = "ann") -> tuple[str, str]:
    token, kept = made.access.create(role, name)
    return made.sessions.open(token), kept.id


def test_a_session_is_not_the_token_and_says_whose_it_is(made: SimpleNamespace) -> None:
    token, kept = made.access.create(Role.USER, "ann")
    secret = made.sessions.open(token)
    session = made.sessions.check(secret)
    assert (session.principal.name, session.principal.role, session.principal.token) == ("ann", Role.USER, kept.id)
    assert secret not in token
    assert made.sessions.check(token) is None
    assert made.access.check(secret) is None
    assert made.sessions.open("rc_wrong") is None
    assert made.sessions.open(made.access.create(Role.PUBLISHER, "shop")[0]) is None
    assert made.sessions.check("x" * 100_000) is None


def test_it_ends_with_its_token(made: SimpleNamespace, store: Store) -> None:
    secret, token = sign_in(made)
    Access(store).revoke(token)  # as another process would
    assert made.sessions.check(secret) is None


def test_it_ends_when_the_token_expires(made: SimpleNamespace, clock: object) -> None:
    token, _ = made.access.create(Role.USER, "ann", lasts=timedelta(hours=1))
    secret = made.sessions.open(token)
    clock.advance(minutes=59)
    assert made.sessions.check(secret) is not None
    assert made.access.check(token) is not None
    clock.advance(minutes=1)
    assert made.sessions.check(secret) is None
    assert made.access.check(token) is None
    for wrong in (timedelta(0), timedelta(days=99_999)):
        with pytest.raises(ModelError, match="must be after 1 second"):
            made.access.create(Role.USER, "ann", lasts=wrong)


def test_it_ends_after_a_day_without_use_and_after_a_month_in_any_case(made: SimpleNamespace, clock: object) -> None:
    used, _ = sign_in(made)
    idle, _ = sign_in(made)
    for hour in range(0, 30 * 24, 20):
        assert made.sessions.check(used) is not None, hour
        made.sessions.check(used)  # the next look writes that it was used
        made.sessions._writer.submit(lambda: None).result()
        clock.advance(hours=20)
        if hour == 20:
            assert made.sessions.check(idle) is None
    assert made.sessions.check(used) is None


def test_signing_out_here_everywhere_and_everybody(made: SimpleNamespace) -> None:
    (first, _), (second, _), (bob, _) = sign_in(made), sign_in(made), sign_in(made, name="bob")
    root, _ = sign_in(made, Role.ADMINISTRATOR, None)
    made.sessions.end(first)
    assert [made.sessions.check(one) is not None for one in (first, second, bob, root)] == [False, True, True, True]
    assert made.sessions.end_of(made.sessions.check(second).principal) == 1
    assert [made.sessions.check(one) is not None for one in (second, bob, root)] == [False, True, True]
    assert made.sessions.end_of(made.sessions.check(root).principal) == 1
    assert made.sessions.check(bob) is not None
    assert made.sessions.end_all() == 1
    assert made.sessions.check(bob) is None


def test_of_one_token_there_are_fifty_at_most(made: SimpleNamespace) -> None:
    token, _ = made.access.create(Role.USER, "ann")
    secrets = [made.sessions.open(token) for _ in range(60)]
    assert sum(made.sessions.check(secret) is not None for secret in secrets) == 50
    assert made.sessions.check(secrets[-1]) is not None
