"""Counting messages."""

from rankcast.overlay import Message, Traffic


def test_counted_by_kind_sender_and_receiver() -> None:
    traffic = Traffic()
    traffic.count("b1", "b2", Message.SUBSCRIBE, 3)
    traffic.count("b2", "b3", Message.SUBSCRIBE)
    traffic.count("b2", "b1", Message.PUBLICATION, 0)
    assert traffic.total(Message.SUBSCRIBE) == 4
    assert traffic.total(Message.SUBSCRIBE, "b1") == 3
    assert traffic.total(Message.SUBSCRIBE, receiver="b3") == 1
    assert traffic.total(Message.PUBLICATION) == 0
    assert traffic.links() == {("b1", "b2"): {Message.SUBSCRIBE: 3}, ("b2", "b3"): {Message.SUBSCRIBE: 1}}
