import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import RecordError
from rankcast.language import dumps
from rankcast.language.json_text import read_object

values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
    ),
    lambda smaller: st.one_of(st.lists(smaller, max_size=3), st.dictionaries(st.text(), smaller, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=3), st.booleans())
def test_objects_are_read_as_json_reads_them(obj, escaped):
    text = json.dumps(obj, ensure_ascii=escaped)
    try:
        text.encode()
        json.dumps(obj, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        with pytest.raises(RecordError, match="not valid Unicode"):
            read_object(text)
    else:
        assert read_object(text) == obj
        assert read_object(dumps(obj)) == obj


def test_an_object_is_taken_as_it_is():
    obj = {"a": 1}
    assert read_object(obj) is obj


def test_dumps_writes_one_line():
    assert dumps({"a": ["x\ny", 1.0, None, True], "é": "名"}) == '{"a":["x\\ny",1.0,null,true],"é":"名"}'


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "an empty text, where a JSON object {…} should be"),
        ("  ", "an empty text, where a JSON object {…} should be"),
        ("[1]", "found a list, where a JSON object {…} should be"),
        ("5", "found a number, where a JSON object {…} should be"),
        ('"x"', "found a string, where a JSON object {…} should be"),
        ("null", "found null, where a JSON object {…} should be"),
        ("{'a': 1}", "not valid JSON: expecting property name enclosed in double quotes at character 2"),
        ('{"a": 1', "not valid JSON: expecting ',' delimiter at character 8"),
        ('{"a": 1} x', "not valid JSON: extra data at character 10"),
        ('{"a": NaN}', "not valid JSON: NaN is not a number that can be compared"),
        ('{"a": -Infinity}', "not valid JSON: -Infinity is not a number that can be compared"),
        ('{"a": 1e999}', "a number that is out of range"),
        ('{"a": "\\ud800"}', "text that is not valid Unicode (half of a surrogate pair)"),
        ('{"a": "\ud800"}', "text that is not valid Unicode at character 8"),
        (b'{"a": "\xff"}', "not valid UTF-8: byte 8 is 0xff"),
        (b'{"a": "\xed\xa0\x80"}', "not valid UTF-8: byte 8 is 0xed"),
        (b"\x00", "not valid JSON: expecting value at character 1"),
        ('{"a": 1, "a": 1}', "an object names 'a' twice"),
        ('{"a": 1, "\\u0061": 2}', "an object names 'a' twice"),
        ('{"b": {"a": 1, "a": {"c": 2}}}', "an object names 'a' twice"),
        ('{"b": [{"a": 1, "a": 2}]}', "an object names 'a' twice"),
        ('{"a": 1, "a": 2, "b": "\\u0022\\u0022"}', "an object names 'a' twice"),
        ("[" * 100_000, "JSON nested too deeply"),
        ('{"a":' * 100_000, "JSON nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "JSON nested too deeply"),
    ],
)
def test_what_is_wrong_is_said(raw, reason):
    with pytest.raises(RecordError) as caught:
        read_object(raw)
    assert str(caught.value) == reason


def test_escaped_quotes_are_no_repeats():
    assert read_object('{"a\\"": "\\"\\"", "b": "\\u0022", "c": "\\\\"}') == {'a"': '""', "b": '"', "c": "\\"}
