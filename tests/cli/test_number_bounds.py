"""Every number on the command line has bounds. What lies outside is a usage error that names the option or field."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.edges import outside
from typer.main import get_command

from rankcast.cli.catalog.policy import _SETTINGS
from rankcast.cli.main import app
from rankcast.model import Subscription
from rankcast.model.declared import Duration, FieldKind, Nested, Numbers, Real, Whole, declared

HUGE = "1" + "0" * 30
ENDLESS = "999999999d"
RECORDS = {("subscribe",), ("policy",), ("concept",)}
"""The commands that set the fields of a record, which the model bounds."""


def parameters(group: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The parameters of all commands, each with the words of its command."""
    for name, command in getattr(group, "commands", {}).items():
        yield from parameters(command, *path, name)
    yield from ((path, one) for one in group.params)


def beyond(parameter: Any) -> list[str]:
    """Values outside the bounds of a number or duration; none for other parameters."""
    kind = parameter.type
    match kind.name:
        case "int range":
            return [str(kind.min - 1), str(kind.max + 1), HUGE, "nan"]
        case "int":
            return [HUGE, f"-{HUGE}"]
        case "float" | "float range":
            return ["nan", "inf", "-inf", HUGE, f"-{HUGE}"]
    is_duration = parameter.callback is not None and "check_duration" in str(parameter.callback)
    return [ENDLESS, "-1d"] if is_duration else []


TRIED = [
    pytest.param(path, one, id=" ".join([*path, one.opts[0]]))
    for path, one in parameters(get_command(app))
    if beyond(one) and (path not in RECORDS or one.name == "max_policy_cost")
]


@pytest.mark.parametrize(("path", "parameter"), TRIED)
def test_an_option_out_of_bounds_is_a_usage_error(rankcast: Any, path: tuple[str, ...], parameter: Any) -> None:
    name = max(parameter.opts, key=len)
    for value in beyond(parameter):
        told = rankcast(*path, *((f"{name}={value}",) if name.startswith("--") else ("--", value)), code=2).stderr
        assert name.upper() in told.upper() or repr(value) in told, told


def test_all_options_are_tried() -> None:
    assert len(TRIED) > 40


def numbers(kind: FieldKind) -> list[str]:
    """Values outside the bounds of a field with numbers, as an option takes them."""
    match kind:
        case Whole() | Real():
            return [str(value) for value in outside(kind)]
        case Duration() | Nested():
            return [str(value) for value in outside(kind) if value]
        case Numbers():
            return [f"{name}={value}" for one in outside(kind) if len(one) == 1 for name, value in one.items()]
    return []


def test_the_fields_of_a_policy_out_of_bounds_are_refused_by_name(store: Any) -> None:
    given = {
        "mode": "--mode=sliding",
        "k": "--k=3",
        "length": "--length=10",
        "filter": "--filter=random",
        "rate": "--rate=1",
    }
    tried = 0
    for setting in _SETTINGS:
        needed = [text for field, text in given.items() if field != setting.path[-1]]
        for value in numbers(setting.kind):
            told = store("policy", "--user=ann", *needed, f"{setting.names[0]}={value}", code=2).stderr
            assert setting.path[-1] in told, told
            tried += 1
    assert tried > 50


def test_the_fields_of_a_subscription_out_of_bounds_are_refused_by_name(store: Any) -> None:
    for field in declared(Subscription):
        for value in [*numbers(field.kind), *(["nan"] if isinstance(field.kind, Real) else [])]:
            told = store("subscribe", "--user=ann", "a = 1", f"--{field.name}={value}", code=2).stderr
            assert f"{field.name} is " in told, told


def test_the_numbers_of_a_concept_out_of_bounds_are_refused(store: Any) -> None:
    shapes = [one for path, one in parameters(get_command(app)) if path == ("concept",) and one.nargs > 1]
    assert len(shapes) > 5
    for shape in shapes:
        for value in ("2e15", "nan", "inf"):
            told = store("concept", "cheap", "--attribute=a", shape.opts[0], *["0"] * (shape.nargs - 1), value, code=2)
            assert shape.name in told.stderr.replace("interval", "between"), told.stderr
    for option in ("--point=0=1", "--point=1=1.5"), ("--point=0=1", "--point=2e15=0"), ("--value=x=1.5",):
        store("concept", "cheap", "--attribute=a", *option, code=2)
