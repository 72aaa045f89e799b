"""Tables of the documentation say what the declarations say."""

from pathlib import Path

from rankcast.store.audit_log import ACTIONS
from rankcast.store.retention_rules import KINDS, show_rule

DOCS = Path(__file__).parent.parent / "docs"


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (titles, ("---",) * len(titles), *rows))


def check(page: str, wanted: str) -> None:
    assert wanted in (DOCS / page).read_text(), f"docs/{page} should have this table:\n{wanted}"


def test_retention_rules():
    rows = [
        (f"`{kind.name}`", show_rule(kind.default), "age, rows, size" if kind.is_sized else "age, rows", kind.help)
        for kind in KINDS
    ]
    check("operations.md", table(("name", "kept by default", "limits", "what is pruned"), rows))


def test_actions_of_the_audit_trail():
    rows = [(f"`{action.value}`", meaning) for action, meaning in ACTIONS.items()]
    check("operations.md", table(("action", "what was done"), rows))
