"""Codes that are found in the bytes of events are those of the decoded events (semantics: Files)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index import IndexMatcher, text_codes
from rankcast.engine.index.events import Encoder
from rankcast.language import decode_event, dumps, encode_event, parse
from rankcast.language.events import WrittenAttributes
from rankcast.matching.outcomes import NO_CONCEPTS, Meaning
from rankcast.model import Event, Membership, Subscription, Term
from rankcast.testing import strategies, wild

WHERE = (
    "a = 1", "a > 2.5 and b = 'x'", "a in (1, true, 'x')", "b contains 'x' or b startswith 'ab'", "b = 'é'",
    "c < 9007199254740993", "c between -1e300 and 3", "d = true", "e = 'x' and e != 'y'", "a contains 'o'", "g exists",
    "h = 0.1 or h > 1e22", "h < -5 and f > time '2004-02-13T20:05:00Z'",
)  # fmt: skip
NUMBERS = ("1", "-0", "1.0", "2.5", "0.1", "1e-1", "10e-2", "1E22", "1e23", "-5", "-5.000000000000001", "9007199254740993",
           "9007199254740992.0", "3e0", "123456789012345678", "1234567890123456.75", "0.30000000000000004", "5e-324")  # fmt: skip
numbers = st.one_of(
    st.sampled_from(NUMBERS), st.floats(allow_nan=False, allow_infinity=False).map(repr), st.integers(-9, 9).map(str)
)
texts = st.one_of(st.sampled_from(["x", "y", "ab", "foo", "é", 'a"b', ""]), st.text(max_size=3)).map(json.dumps)
raws = st.one_of(
    texts,
    texts.map(lambda text: json.dumps(json.loads(text), ensure_ascii=False)).filter(lambda text: text.isprintable()),
)
values = st.one_of(
    numbers, raws, st.sampled_from(["true", "false", "null", "[]", '["x", "y"]', '["y","x"]', "[1,2]", '["x"]']),
    st.sampled_from(['{"time":"2004-02-13T20:05:00Z"}', '{"time": "2005-01-01"}', '{"interval":[1,3]}', '{"x":1}']),
)  # fmt: skip
names = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", "unused"])


def line(**given: object) -> str:
    attributes = ", ".join(f"{json.dumps(name)} : {value}" for name, value in given.items())
    return f'{{"id": "e", "time": "2004-02-13T20:05:00Z", "attributes": {{{attributes}}}}}'


lines = st.dictionaries(names, values, max_size=9).map(lambda given: line(**given))


def meaning(attribute: str, term: Term) -> Membership:
    return strategies.CONCEPTS[attribute, term.concept]


def encoder() -> Encoder:
    return IndexMatcher([Subscription(f"s{n}", "u", parse(where)) for n, where in enumerate(WHERE)]).index.encoder


def unread(text: str) -> Event:
    event = decode_event(text)
    return Event.kept(event.id, event.time, WrittenAttributes(text.encode()), None, None, None, 0)


def agree(encoder: Encoder, given: list[str], shared: Meaning = NO_CONCEPTS) -> None:
    expected = vars(encoder.encode([decode_event(text) for text in given], shared))
    found = vars(encoder.encode([unread(text) for text in given], shared))
    for name in expected:
        assert found[name].dtype == expected[name].dtype
        assert found[name].tolist() == expected[name].tolist(), name


KEPT = encoder()


@given(st.lists(lines, min_size=1, max_size=6))
def test_codes_are_those_of_the_decoded_events(given: list[str]) -> None:
    agree(encoder(), given)
    agree(KEPT, given)  # which has seen other events before


@given(st.lists(wild.events().map(lambda event: dumps(encode_event(event))), min_size=1, max_size=3))
def test_any_events(given: list[str]) -> None:
    agree(KEPT, given)


def test_values_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_codes, "_REMEMBERED", 40)
    used = encoder()
    for start in range(0, 400, 20):
        given = [line(a=f'"{n}"', b=f'"x{n}"', h=n) for n in range(start, start + 20)]
        agree(used, given)
    assert len(used._texts._known) <= 80


def test_the_table_grows() -> None:
    used = encoder()
    given = [line(b=f'"{n}"', **{f"a{n}": 1}) for n in range(5_000)]
    agree(used, given)
    agree(used, given[::-1])


def test_attributes_stay_unread() -> None:
    events = [unread(line(a=1, b='"x"')) for _ in range(3)]
    assert len(encoder().encode(events).low) == 3 * 3  # of a, of b, and of a pattern of b
    assert all(event.attributes.unread for event in events)


@given(strategies.subscriptions(fuzzy=True), st.lists(strategies.events(fuzzy=True), min_size=1, max_size=5))
def test_random_catalogs(subscriptions: list[Subscription], events: list[Event]) -> None:
    index = IndexMatcher(subscriptions, lambda user: meaning).index
    agree(index.encoder, [dumps(encode_event(event)) for event in events], meaning)
