"""``rankcast prune``: delete old rows and shrink the store."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, RetentionRules, StorePath
from rankcast.cli.output import Output, TableColumn, amounts, table
from rankcast.wording import counted

_COLUMNS = (
    TableColumn("what", style="bold"),
    TableColumn("rule"),
    *amounts("rows", "before"),
)


def prune(
    keep: RetentionRules = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be deleted, and delete nothing.")] = False,
    shrink: Annotated[
        bool,
        typer.Option(
            "--shrink", help="Rewrite the store so that its file shrinks at once. Nobody can write meanwhile."
        ),
    ] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Delete rows by age, number or size, a few at a time, while the store is in use.

    Rows that a pipeline, window, webhook, digest or resuming feed still needs are kept, and so is everything from the
    last ten minutes. Event numbers, delivery numbers and catalog versions do not restart. Without --keep, only the
    defaults apply: rejects, set-aside, digests, dead-letters and sessions are kept for 90 days, the audit trail for a
    year.

    Example:

      rankcast prune --keep events=30d --keep deliveries=90d --dry-run
      rankcast prune --keep events=20GB --keep catalog=30d --shrink
    """
    from rankcast.store import Store
    from rankcast.store.retention.pruning import prune as forget
    from rankcast.store.retention.pruning import shrink as give_back
    from rankcast.store.retention.rules import DEFAULTS, rules_of, show_rule

    out = Output(json)
    rules = rules_of(keep or (), DEFAULTS)
    with Store.open(store) as opened:
        database = opened.database
        total = sum(one.rows for one in forget(database, rules, dry_run=True))
        if dry_run:
            done = forget(database, rules, dry_run=True)
        else:
            with out.progress("pruning", total) as advance:
                done = forget(database, rules, advance=advance)
            with out.working("shrinking the store"):
                if shrink:
                    database.rewrite()
                else:
                    give_back(database)
    for one in done if out.as_lines else ():
        out.record({"kind": one.kind, "rule": show_rule(rules[one.kind]), "rows": one.rows, "before": one.before})
    if not out.as_lines:
        cells = [(one.kind, show_rule(rules[one.kind]), f"{one.rows:,}", f"{one.before:,}") for one in done]
        out.show(table(_COLUMNS, cells))
    rows = counted(sum(one.rows for one in done), "row")
    out.say(f"{rows} would be deleted" if dry_run else f"deleted {rows}")
