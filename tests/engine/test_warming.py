"""Loading the compiled loops serves every policy over arrays."""

from rankcast.engine.reference.subscriber import Subscriber
from rankcast.engine.warming import warm_up


def test_arrays_serve_it_all(monkeypatch):
    def never(*given):
        raise AssertionError("the oracle serves a user who should be served over arrays")

    monkeypatch.setattr(Subscriber, "publish", never)
    assert warm_up() > 100
