import time

import pytest

from rankcast.language.tokens import Tokens


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        (" \n\t ", []),
        ("a<=5", ["a", "<=", "5"]),
        ("a<>b==c!=d", ["a", "<>", "b", "==", "c", "!=", "d"]),
        ("title='it''s'", ["title", "=", "'it''s'"]),
        ("''''", ["''''"]),
        ("'a''b", ["'", "a", "''", "b"]),
        ('"re lease" "a""b"', ['"re lease"', '"a""b"']),
        ("-1.5e-3,+7", [["-1.5e-3", "+7"][0], ",", "+7"]),
        ("x.y_z día 名前", ["x.y_z", "día", "名前"]),
        ("in(1,2)[1,0]", ["in", "(", "1", ",", "2", ")", "[", "1", ",", "0", "]"]),
        ("a & b", ["a", "&", "b"]),
    ],
)
def test_pieces(text, pieces):
    assert Tokens(text).pieces == [*pieces, ""]


def test_positions_point_at_the_pieces():
    tokens = Tokens("  a = 'x y'  ")
    assert [tokens.position(at) for at in range(4)] == [2, 4, 6, 13]


@pytest.mark.parametrize(
    "hostile", ["'" * 99_999, '"' * 99_999, "''" * 49_999 + "'x", "-" * 99_999, " " * 99_999 + "x"]
)
def test_hostile_text_takes_linear_time(hostile):
    start = time.perf_counter()
    Tokens(hostile)
    assert time.perf_counter() - start < 5


def test_what_cannot_be_printed_does_not_reach_the_terminal():
    tokens = Tokens("'\x1b[31m'")
    assert tokens.found() == "found '�[31m'"
