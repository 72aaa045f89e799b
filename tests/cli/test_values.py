"""``name=value`` on the command line."""

import pytest
import typer

from rankcast.cli.inputs import attributes, named, numbers


def test_named() -> None:
    assert named(["a=b", "c=d=e", "f="], "--x") == [("a", "b"), ("c", "d=e"), ("f", "")]
    for wrong in ("a", "=b", ""):
        with pytest.raises(typer.BadParameter, match="name=value"):
            named([wrong], "--x")


def test_numbers() -> None:
    assert numbers(["genre=2", "year=.5"], "--weight") == {"genre": 2.0, "year": 0.5}
    with pytest.raises(typer.BadParameter, match="'two' is not a number"):
        numbers(["genre=two"], "--weight")


def test_attributes_take_json_or_text() -> None:
    told = ["a=1", "b=1.5", "c=true", "d=text", 'e="1"', 'f={"time": "2004-02-13"}', "g=", "h=NaN", "i=x", "i=y"]
    assert attributes(told) == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": "text",
        "e": "1",
        "f": {"time": "2004-02-13"},
        "g": "",
        "h": "NaN",
        "i": ["x", "y"],
    }
