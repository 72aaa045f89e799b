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
    study = service.trials.run("ann", study_cover, service.history(10), part, chosen)
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


def test_everybodys_graph_takes_each_users_own_concepts(service: Service) -> None:
    records = [
        {"kind": "concept", "name": "odd", "attribute": "x", "user": "ann", "between": [1, 3]},
        {"kind": "concept", "name": "odd", "attribute": "x", "user": "bob", "between": [1, 9]},
        {"kind": "subscription", "id": "a", "user": "ann", "where": "x is odd"},
        {"kind": "subscription", "id": "b", "user": "bob", "where": "x is odd"},
    ]
    service.put(*map(decode_record, records))
    service.publish([decode_event({"id": f"e{x}", "time": "2026-01-01", "attributes": {"x": x}}) for x in (2, 7)])
    catalog = service.catalog()
    study = service.trials.run("ann", study_cover, service.history(10), catalog, list(catalog.subscriptions.values()))
    matched = {node.interests[0].subscription: study.events_of(node.number) for node in study.graph.nodes}
    assert {name: [event.id for event in events] for name, events in matched.items()} == {
        "a": ["e2"],
        "b": ["e7", "e2"],
    }
    assert study.walk(1)[0].specific == {"ann": ("a",), "bob": ("b",)}


def test_everybodys_graph_takes_an_override_for_its_user_alone(service: Service) -> None:
    """Two users say the same and mean different things: two nodes, each covered and matched as its user means it."""
    low = {"kind": "concept", "name": "low", "attribute": "x"}
    records = [
        {**low, "left_shoulder": [1, 3]},
        {**low, "user": "ann", "left_shoulder": [7, 9]},
        {"kind": "subscription", "id": "a", "user": "ann", "where": "x is low"},
        {"kind": "subscription", "id": "b", "user": "bob", "where": "x is low"},
        {"kind": "subscription", "id": "wide", "user": "bob", "where": "x < 5"},
    ]
    service.put(*map(decode_record, records))
    service.publish([decode_event({"id": f"e{x}", "time": "2026-01-01", "attributes": {"x": x}}) for x in (1, 6)])
    catalog = service.catalog()
    study = service.trials.run("ann", study_cover, service.history(10), catalog, list(catalog.subscriptions.values()))
    names = {node.interests[0].subscription: node for node in study.graph.nodes}
    assert {name: [event.id for event in study.events_of(node.number)] for name, node in names.items()} == {
        "a": ["e6", "e1"],
        "b": ["e1"],
        "wide": ["e1"],
    }
    below = {
        name: {study.graph.nodes[at].interests[0].subscription for at in node.children} for name, node in names.items()
    }
    assert below == {"a": {"wide"}, "wide": {"b"}, "b": set()}
    assert study.walk(0)[0].specific == {"ann": ("a",)}
