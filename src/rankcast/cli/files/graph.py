"""``rankcast relate`` and ``rankcast graph``: how two expressions relate, and which subscriptions cover which."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.options import CatalogFile, Json, input_file, user_option
from rankcast.cli.output import Output
from rankcast.wording import counted


def graph(
    catalog_file: CatalogFile,
    user: Annotated[str | None, user_option("Show only the subscriptions of this user.")] = None,
    out_file: Annotated[Path, typer.Option("--out", metavar="FILE", help="SVG file to write.")] = Path("graph.svg"),
    json: Json = False,
) -> None:
    """Draw which subscriptions cover which, for one user or a small catalog.

    Equal subscriptions of all users share one box, with the score of each user. A filled dot means that the same user
    has a more specific subscription below. A line leads from a subscription to those that it covers directly. The
    picture is an SVG file, which browsers can show.

    Example:

      rankcast graph --catalog catalog.jsonl --user addison --out addison.svg
    """
    from rankcast.cover import draw
    from rankcast.frames import graph as graph_of_users
    from rankcast.language import read_catalog

    out = Output(json)
    catalog, rejects = read_catalog(catalog_file)
    tell(out, rejects)
    made = graph_of_users(catalog, user).graph
    chosen = sum(len(node.interests) for node in made.nodes)
    title = f"Subscriptions of {user}" if user else f"{chosen} subscriptions of {len(catalog.users())} users"
    out_file.write_text(draw(made, title), encoding="utf-8")
    record = {"file": str(out_file), "subscriptions": chosen, "nodes": len(made.nodes), "roots": len(made.roots)}
    out.done(
        f"{counted(chosen, 'subscription')} in {len(made.nodes)} {'box' if len(made.nodes) == 1 else 'boxes'}, "
        f"{len(made.roots)} on top: {out_file}",
        record,
        str(out_file),
    )
    exit_if_any(len(rejects))


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
