"""``rankcast doctor``: check the installation."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output, TableColumn, table

if TYPE_CHECKING:
    from rankcast.pipeline.doctor import Checkup


def doctor(store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Check the requirements (Java, memory, ports, packages), and say how to fix what is missing.

    The exit code is 1 if a requirement is missing.

    Example:

      rankcast doctor
    """
    from rankcast.pipeline.doctor import examine

    is_database = "://" in store
    findings = examine(None if is_database else Path(store))
    if is_database or Path(store).is_file():
        findings = [*findings, _contents(store)]
    out = Output(json)
    if json:
        for finding in findings:
            out.record(asdict(finding))
    else:
        columns = (TableColumn("", style="bold"), TableColumn("requirement"), TableColumn("found", folds=True))
        out.show(table(columns, [(_mark(finding), finding.name, finding.found) for finding in findings]))
        for finding in findings:
            if finding.advice:
                out.line(f"{finding.name}: {finding.advice}")
    missing = [finding for finding in findings if finding.ok is False]
    if missing:
        out.say(f"missing: {', '.join(finding.name for finding in missing)}")
        raise typer.Exit(NEGATIVE)
    out.say("all requirements are met")


def _contents(place: str) -> "Checkup":
    """Check whether this release can open the store at a place."""
    from rankcast.errors import StoreError
    from rankcast.pipeline.doctor import Checkup
    from rankcast.store import Store

    try:
        with Store.open(place) as opened:
            return Checkup("store", True, f"{opened.database.place} answers")
    except StoreError as error:
        return Checkup("store", False, "cannot be used", str(error))


def _mark(finding: "Checkup") -> str:
    return {True: "ok", False: "missing", None: "note"}[finding.ok]
