from rankcast.service.page.monitor.pulse import EVERY, KEPT, Pulse
from rankcast.store.status import Status


class Clock:
    """A clock that is set, and a store that grows by ten events and one delivery a second."""

    now = 100.0

    def __call__(self) -> float:
        return self.now

    def look(self) -> Status:
        published = int((self.now - 100) * 10)
        return Status(1, published, published - 4, 1, None, int(self.now - 100), 0, 0, None)


def test_rates_are_per_second_between_looks() -> None:
    clock = Clock()
    pulse = Pulse(clock.look, clock)
    for _ in range(4):
        pulse.now()
        clock.now += EVERY
    rates = pulse.rates()
    assert [rate.ago for rate in rates] == [4.0, 2.0, 0.0]
    assert {(rate.published, rate.delivered, rate.waiting) for rate in rates} == {(10.0, 1.0, 4)}


def test_many_watchers_do_not_make_more_looks() -> None:
    clock = Clock()
    pulse = Pulse(clock.look, clock)
    for _ in range(8):
        pulse.now()
        clock.now += EVERY / 10
    assert len(pulse.rates()) == 0
    clock.now = 103.0
    assert pulse.now().published == 30
    assert len(pulse.rates()) == 1


def test_only_the_last_minutes_are_kept() -> None:
    clock = Clock()
    pulse = Pulse(clock.look, clock)
    for _ in range(KEPT + 50):
        pulse.now()
        clock.now += EVERY
    assert len(pulse.rates()) == KEPT - 1
