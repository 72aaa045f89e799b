"""``rankcast relate``: how two expressions stand to each other."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast.cli.options import Json
from rankcast.cli.output import Output

__all__ = ["relate"]


def relate(
    first: Annotated[str, typer.Argument(metavar="EXPRESSION", help="The one.")],
    second: Annotated[str, typer.Argument(metavar="EXPRESSION", help="The other.")],
    catalog: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Where the concepts they name are defined."),
    ] = None,
    json: Json = False,
) -> None:
    """Say whether the first expression is EQUAL to the second, COVERS it, is COVERED by it, OVERLAPS it, or is
    DISJOINT from it.

    COVERS means that every event that matches the second also matches the first.

    Example:

      rankcast relate "year >= 1990" "year between 1995 and 2000"
    """
    from rankcast.cover import relate as relation_of
    from rankcast.language import parse, read_catalog

    meaning = read_catalog(catalog)[0].membership if catalog else None
    relation = relation_of(parse(first), parse(second), meaning)
    out = Output(json)
    if json:
        out.record({"relation": relation.name})
    else:
        out.line(relation.name)
