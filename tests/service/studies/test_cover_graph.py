"""The cover graph is made in a child process, with what each node matches."""

from rankcast.language import decode_event, decode_record
from rankcast.service import Service
from rankcast.service.studies.cover_graph import study_cover


def test_nodes_know_which_events_they_match(service: Service) -> None:
    records = [
        {"kind": "concept", "name": "low", "attribute": "x", "left_shoulder": [1, 3]},
        {"kind": "concept", "name": "low", "attribute": "x", "user": "ann", "left_shoulder": [7, 9]},
        {"kind": "subscription", "id": "s1", "user": "ann", "where": "x > 1"},
        {"kind": "subscription", "id": "s2", "user": "ann", "where": "x > 5"},
        {"kind": "subscription", "id": "s3", "user": "ann", "where": "x is low"},
    ]
    service.put(*map(decode_record, records))
    service.publish([decode_event({"id": f"e{x}", "time": "2026-01-01", "attributes": {"x": x}}) for x in (0, 4, 7)])
    part = service.part_of("ann")
    chosen = part.subscriptions_of("ann")
    study = service.trials.run("ann", study_cover, service.history(10), part, chosen, "ann")
    assert [event.id for event in study.events] == ["e7", "e4", "e0"]
    matched = {node.interests[0].subscription: study.events_of(node.number) for node in study.graph.nodes}
    assert {name: [event.id for event in events] for name, events in matched.items()} == {
        "s1": ["e7", "e4"],
        "s2": ["e7"],
        "s3": ["e7", "e4", "e0"],  # as ann means it
    }
    found, visited = study.walk(1)
    assert set(found.specific["ann"]) == {"s1", "s3"}
    assert len(visited) == 3
