import gzip
import os

import pytest

from rankcast.errors import EnvironmentProblem
from rankcast.language import dumps, numbered_lines, read_catalog, read_events
from rankcast.language.complaints import OPERATORS
from rankcast.language.files import MAX_LINE
from rankcast.model import Catalog, Concept, Interval


def write(path, *lines):
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    return path


def subscription(name, where="genre = 'drama'", user="u"):
    return dumps({"kind": "subscription", "id": name, "user": user, "where": where})


def preference(prefer, over):
    return dumps({"kind": "preference", "user": "u", "prefer": prefer, "over": over})


def event(name, time="2004-02-13T20:05:00Z", **attributes):
    return dumps({"id": name, "time": time, "attributes": attributes})


def reasons(rejects):
    return [(reject.line, reject.reason) for reject in rejects]


def test_lines_are_numbered_and_blank_ones_skipped(tmp_path):
    path = write(tmp_path / "x", b"\xef\xbb\xbfa", "", "  ", "b\r", "c")
    assert list(numbered_lines(path)) == [(1, b"a"), (4, b"b"), (5, b"c")]
    assert list(numbered_lines(write(tmp_path / "empty"))) == []


def test_gzip(tmp_path):
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(subscription("s1").encode()))
    catalog, rejects = read_catalog(path)
    assert list(catalog.subscriptions) == ["s1"]
    assert rejects == []


def test_the_order_of_the_lines_does_not_matter(tmp_path):
    lines = [
        preference("s1", "s2"),
        subscription("s2", "price is cheap"),
        dumps({"kind": "policy", "user": "u", "k": 2}),
        subscription("s1"),
        dumps({"kind": "advertisement", "id": "a1", "publisher": "p", "where": "price is cheap", "k": 1}),
        dumps({"kind": "concept", "name": "cheap", "attribute": "price", "between": [0, 5]}),
    ]
    for order in (lines, lines[::-1]):
        catalog, rejects = read_catalog(write(tmp_path / "c.jsonl", *order))
        assert rejects == []
        assert len(list(catalog.records())) == 6


def test_bad_lines_become_rejects_in_the_order_of_the_lines(tmp_path):
    path = write(
        tmp_path / "c.jsonl",
        preference("s1", "s9"),
        subscription("s1"),
        subscription("s1", "year > 1999"),
        '{"kind": "subscription"',
        subscription("s2", "genre ==\n'drama'"),
        subscription("s3", "price is cheap"),
        b"\xff",
        preference("s1", "s4"),
        subscription("s4"),
        preference("s4", "s1"),
        preference("s1", "s4"),
    )
    catalog, rejects = read_catalog(path)
    assert list(catalog.subscriptions) == ["s1", "s4"]
    operators = ", ".join(OPERATORS)
    assert reasons(rejects) == [
        (1, "user 'u' has no subscription 's9'"),
        (3, "duplicate subscription 's1', first on line 2"),
        (4, "not valid JSON: expecting ',' delimiter at character 24"),
        (
            5,
            f"found '==' after 'genre', where an operator should be ({operators}); did you mean '='? (at character 7)",
        ),
        (6, "no concept 'cheap' on attribute 'price'; define it first"),
        (7, "not valid UTF-8: byte 1 is 0xff"),
        (10, "the preferences of 'u' go round in a circle: s4 > s1 > s4"),
        (11, "duplicate preference of 'u' for 's1' over 's4', first on line 8"),
    ]
    assert {reject.file for reject in rejects} == {str(path)}
    assert rejects[2].raw == '{"kind": "subscription"'
    assert rejects[5].raw == "�"


def test_duplicates_of_every_kind_name_the_first_line(tmp_path):
    lines = [
        dumps({"kind": "policy", "user": "u", "k": 2}),
        dumps({"kind": "concept", "name": "cheap", "attribute": "price", "between": [0, 5]}),
        dumps({"kind": "advertisement", "id": "a1", "publisher": "p", "where": "true", "k": 1}),
        dumps({"kind": "concept", "name": "cheap", "attribute": "price", "between": [0, 5], "user": "u"}),
    ]
    _, rejects = read_catalog(write(tmp_path / "c.jsonl", *lines, *lines))
    assert reasons(rejects) == [
        (5, "duplicate policy of 'u', first on line 1"),
        (6, "duplicate concept 'cheap' on 'price', first on line 2"),
        (7, "duplicate advertisement 'a1', first on line 3"),
        (8, "duplicate concept 'cheap' on 'price' of 'u', first on line 4"),
    ]


def test_a_thousand_bad_lines_among_a_thousand_good_ones(tmp_path):
    bad = [
        "{",
        "not json",
        '{"kind": "nothing"}',
        subscription("x", "a ="),
        subscription("x", "(" * 5000),
        subscription("x", "price is cheap"),
        preference("s1", "nobody"),
        '{"kind": "policy", "user": "u", "k": NaN}',
        b'{"kind": "\xff"}',
        "[" * 5000,
    ]
    lines = []
    for number in range(1000):
        lines += [subscription(f"s{number}"), bad[number % len(bad)]]
    catalog, rejects = read_catalog(write(tmp_path / "c.jsonl", *lines))
    assert len(catalog.subscriptions) == 1000
    assert [reject.line for reject in rejects] == list(range(2, 2001, 2))
    assert all(reject.reason and reject.reason.isprintable() for reject in rejects)


def test_long_lines_are_rejected_unread_and_kept_in_part(tmp_path):
    long = subscription("s1", "genre = '" + "x" * MAX_LINE + "'")
    path = write(tmp_path / "c.jsonl", long, subscription("s2"), subscription("s3", "é" * 20_000), "x" * (2 * MAX_LINE))
    catalog, rejects = read_catalog(path)
    assert list(catalog.subscriptions) == ["s2"]
    assert reasons(rejects)[0] == (1, "a line of more than 10,000,000 bytes")
    assert [reject.line for reject in rejects] == [1, 3, 4]
    for reject in rejects:
        assert reject.raw.endswith("… (cut after 10,000 characters)")
        assert len(reject.raw) < 10_050
    assert "\ufffd" not in rejects[1].raw


def test_control_characters_do_not_reach_the_reason(tmp_path):
    _, rejects = read_catalog(write(tmp_path / "c.jsonl", subscription("s1", "a = 1 '\x1b[31m\u2028x'")))
    assert rejects[0].reason.isprintable()


def test_events_come_in_publication_order(tmp_path):
    catalog = Catalog([Concept("cheap", "price", Interval(0, 5))])
    path = write(
        tmp_path / "e.jsonl",
        event("e2", "2004-02-14", price={"is": "very cheap"}),
        event("e3", "2004-02-13"),
        event("e1", "2004-02-14"),
        event("e2", "2004-02-15"),
        event("e4", price={"is": "chap"}),
        '{"id": 5, "time": "2004-02-13", "attributes": {}}',
        '{"id": "e5", "attributes": {}}',
    )
    events, rejects = read_events(path, catalog)
    assert [(event.id, event.seq) for event in events] == [("e3", 1), ("e1", 2), ("e2", 3)]
    assert reasons(rejects) == [
        (4, "duplicate event 'e2', first on line 1"),
        (5, "no concept 'chap' on attribute 'price'; did you mean 'cheap'?"),
        (6, "field 'id' of an event must be a string, not the number 5; write \"5\" in quotes"),
        (7, "an event needs the field 'time'"),
    ]


def test_progress(tmp_path):
    path = write(tmp_path / "e.jsonl", event("e1"), "", "bad")
    seen = []
    read_events(path, Catalog(), on_line=seen.append)
    assert seen == [1, 3]
    seen.clear()
    read_catalog(path, on_line=seen.append)
    assert seen == [1, 3]


def test_a_file_that_cannot_be_read_is_said_plainly(tmp_path):
    with pytest.raises(EnvironmentProblem, match=r"there is no file '.*missing\.jsonl'"):
        read_catalog(tmp_path / "missing.jsonl")
    with pytest.raises(EnvironmentProblem, match="is a directory; name a file in it"):
        read_events(tmp_path, Catalog())
    with pytest.raises(EnvironmentProblem, match="cannot read"):
        read_catalog("\0")
    broken = write(tmp_path / "x.gz", "not gzip")
    with pytest.raises(EnvironmentProblem, match="is not a whole compressed file"):
        read_catalog(broken)
    cut = write(tmp_path / "y.gz", gzip.compress(os.urandom(5000))[:1000])
    with pytest.raises(EnvironmentProblem, match="is not a whole compressed file"):
        read_catalog(cut)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = write(tmp_path / "c.jsonl", subscription("s1"))
    path.chmod(0)
    with pytest.raises(EnvironmentProblem, match="no permission to read"):
        read_catalog(path)
