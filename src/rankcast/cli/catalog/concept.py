"""``rankcast concept``: define and list the meanings of vague words."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.inputs import numbers
from rankcast.cli.options import DEFAULT_STORE, Json, OneUser, StorePath
from rankcast.cli.output import Output, TableColumn

if TYPE_CHECKING:
    from rankcast.model import Concept

_COLUMNS = (
    TableColumn("concept", "name", style="bold"),
    TableColumn("on", "attribute"),
    TableColumn("for", lambda record: record.get("user", "all users")),
    TableColumn("means", lambda record: _meaning(record), folds=True),
)
_NAMES = ("kind", "name", "attribute", "user")

_Two: TypeAlias = tuple[float, float]


def concept(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of the concept, such as cheap.")] = None,
    attribute: Annotated[str | None, typer.Option(metavar="NAME", help="Attribute that the concept describes.")] = None,
    user: OneUser = None,
    trapezoid: Annotated[
        tuple[float, float, float, float] | None,
        typer.Option(metavar="A B C D", help="Degree 0 up to A, 1 from B to C, 0 from D on."),
    ] = None,
    triangle: Annotated[
        tuple[float, float, float] | None, typer.Option(metavar="A B C", help="Degree 0 up to A, 1 at B, 0 from C on.")
    ] = None,
    between: Annotated[
        _Two | None, typer.Option(metavar="LOW HIGH", help="Degree 1 from LOW to HIGH, 0 elsewhere.")
    ] = None,
    left_shoulder: Annotated[_Two | None, typer.Option(metavar="A B", help="Degree 1 up to A, 0 from B on.")] = None,
    right_shoulder: Annotated[_Two | None, typer.Option(metavar="A B", help="Degree 0 up to A, 1 from B on.")] = None,
    gaussian: Annotated[_Two | None, typer.Option(metavar="MEAN SIGMA", help="Bell curve around MEAN.")] = None,
    point: Annotated[
        list[str] | None,
        typer.Option(metavar="X=DEGREE", help="Point of a piecewise linear function. Repeat with ascending X."),
    ] = None,
    value: Annotated[
        list[str] | None, typer.Option(metavar="TEXT=DEGREE", help="Degree of one string. May be repeated.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the concept, unless something uses it.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Define what a vague word means for an attribute, for all users or for one; without a shape, show the concepts.

    Example:

      rankcast concept cheap --attribute price --trapezoid 0 0 500 900
      rankcast concept                  (lists all)
    """
    from rankcast.errors import CatalogError
    from rankcast.language import decode_record, encode_record
    from rankcast.store import Store

    forms = {
        "trapezoid": trapezoid,
        "triangle": triangle,
        "between": between,
        "left_shoulder": left_shoulder,
        "right_shoulder": right_shoulder,
        "gaussian": gaussian,
        "piecewise": _corners(point) if point else None,
        "table": numbers(value, "--value") if value else None,
    }
    given = {form: list(told) if isinstance(told, tuple) else told for form, told in forms.items() if told is not None}
    out = Output(json)
    with Store.open(store) as opened:
        if given:
            if name is None or attribute is None:
                raise typer.BadParameter("a concept needs a NAME and --attribute")
            owner = {} if user is None else {"user": user}
            form = {"kind": "concept", "name": name, "attribute": attribute, **owner, **given}
            new = decode_record(form)
            opened.change(put=[new])
            out.done(f"{name} on {attribute}: {_meaning(encode_record(new))}", encode_record(new))
            return
        found = [one for one in opened.catalog().concepts.values() if _is_meant(one, name, attribute, user)]
        if remove:
            if not found and name and attribute and opened.remove_unreadable("concept", attribute, name, user):
                out.done(f"removed {name} on {attribute}", {"kind": "concept", "name": name, "attribute": attribute})
                return
            if len(found) != 1:
                raise CatalogError(f"{len(found)} concepts match; select one with NAME, --attribute and --user")
            opened.change(remove=found)
            out.done(f"removed {found[0].name} on {found[0].attribute}", encode_record(found[0]))
            return
    out.records(map(encode_record, found), _COLUMNS, "no concepts")
    if name is not None and not found:
        raise typer.Exit(NEGATIVE)


def _is_meant(one: "Concept", name: str | None, attribute: str | None, user: str | None) -> bool:
    return name in (None, one.name) and attribute in (None, one.attribute) and user in (None, one.user)


def _corners(texts: Sequence[str]) -> list[list[float]]:
    corners = []
    for text in texts:
        ((x, degree),) = numbers([text], "--point").items()
        try:
            corners.append([float(x), degree])
        except ValueError:
            raise typer.BadParameter(f"{x!r} is not a number", param_hint="'--point'") from None
    return corners


def _meaning(record: Mapping[str, object]) -> str:
    return "; ".join(f"{form} {_numbers(told)}" for form, told in record.items() if form not in _NAMES)


def _numbers(told: object) -> str:
    match told:
        case dict():
            return ", ".join(f"{value} {degree:g}" for value, degree in told.items())
        case list() if told and isinstance(told[0], list):
            return ", ".join(_numbers(corner) for corner in told)
        case list():
            return " ".join(f"{one:g}" if isinstance(one, int | float) else str(one) for one in told)
    return str(told)
