"""Counting messages."""

from rankcast.overlay import BrokerMessage, Traffic


def test_counted_by_kind_sender_and_receiver() -> None:
    traffic = Traffic()
    traffic.count("b1", "b2", BrokerMessage.SUBSCRIBE, 3)
    traffic.count("b2", "b3", BrokerMessage.SUBSCRIBE)
    traffic.count("b2", "b1", BrokerMessage.PUBLICATION, 0)
    assert traffic.total(BrokerMessage.SUBSCRIBE) == 4
    assert traffic.total(BrokerMessage.SUBSCRIBE, "b1") == 3
    assert traffic.total(BrokerMessage.SUBSCRIBE, receiver="b3") == 1
    assert traffic.total(BrokerMessage.PUBLICATION) == 0
    assert traffic.links() == {("b1", "b2"): {BrokerMessage.SUBSCRIBE: 3}, ("b2", "b3"): {BrokerMessage.SUBSCRIBE: 1}}
