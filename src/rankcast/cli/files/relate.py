"""``rankcast relate``: the relation between two expressions."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast.cli.options import Json, input_file
from rankcast.cli.output import Output


def relate(
    first: Annotated[str, typer.Argument(metavar="EXPRESSION", help="First expression.")],
    second: Annotated[str, typer.Argument(metavar="EXPRESSION", help="Second expression.")],
    catalog: Annotated[
        Path | None,
        input_file("--catalog", "Catalog file that defines the concepts in the expressions."),
    ] = None,
    json: Json = False,
) -> None:
    """Compare two expressions: the first is EQUAL to the second, COVERS it, is COVERED by it, OVERLAPS it, or is
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
