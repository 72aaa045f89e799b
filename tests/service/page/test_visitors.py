import time

from rankcast.language import decode_event, decode_record
from rankcast.service import Service
from rankcast.service.page.visitors import first_user


def test_the_first_user_has_something_on_every_page(service: Service) -> None:
    assert first_user(service) == "me"
    for user, where in (("abe", "x > 1"), ("bea", "x > 100"), ("cal", "x > 1"), ("dot", "x is big")):
        if user == "dot":
            service.put(decode_record({"kind": "concept", "name": "big", "attribute": "x", "right_shoulder": [1, 2]}))
        service.put(decode_record({"kind": "subscription", "id": f"{user}1", "user": user, "where": where}))
    assert first_user(service) == "dot"
    for user in ("bea", "cal"):
        service.put(decode_record({"kind": "subscription", "id": f"{user}2", "user": user, "where": "x > 99"}))
        service.put(decode_record({"kind": "preference", "user": user, "prefer": f"{user}1", "over": f"{user}2"}))
        service.put(decode_record({"kind": "policy", "user": user, "mode": "all"}))
    assert first_user(service) == "bea"
    service.publish([decode_event({"id": "e1", "time": "2026-01-01", "attributes": {"x": 5}})])
    service.start()
    while service.store.progress().offset < 1:
        time.sleep(0.01)
    assert first_user(service) == "cal"  # bea has got nothing
