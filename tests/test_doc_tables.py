"""Tables of the documentation say what the declarations say."""

import re
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

from fastapi.testclient import TestClient

from rankcast.language import show_duration
from rankcast.language.event_limits import EventLimits
from rankcast.service import Limits, ServiceSettings, create_app
from rankcast.store.audit_log import ACTIONS
from rankcast.store.retention.rules import KINDS, show_rule

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


def rows_of(page: str, title: str) -> list[list[str]]:
    """The cells of the table whose first title that is."""
    lines = iter((DOCS / page).read_text().splitlines())
    next(line for line in lines if line.startswith(f"| {title} |"))
    found = []
    for line in lines:
        if not line.startswith("|"):
            return found[1:]
        found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found[1:]


def test_metrics(tmp_path):
    app = create_app(ServiceSettings(store=str(tmp_path / "store.db"), dev=True, page=False))
    with TestClient(app, base_url="http://localhost") as client:
        service = app.state.service
        service.store.claim("p", "a checkpoint", 1)
        with service.store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE pipeline SET committed = 1")
        service.metrics.progress({"sources": [{"metrics": {"maxOffsetsBehindLatest": "1"}}]})
        text = client.get("/metrics").text
    exported = {name for name in re.findall(r"^# HELP (rankcast_\w+)", text, re.M) if not name.endswith("_created")}
    documented = [name for row in rows_of("deploy.md", "metric") for name in re.findall(r"`(rankcast_\w+)`", row[0])]
    assert sorted(documented) == sorted(exported)


def test_the_settings_of_spark_that_rankcast_sets_itself():
    folder = DOCS.parent / "src" / "rankcast" / "pipeline" / "spark"
    source = (folder / "stream.py").read_text()
    wanted = source[source.index("    wanted = {") : source.index("    before = {name: spark.conf.get")]
    names = {*re.findall(r'"(spark\.[\w.]+)":', wanted), *re.findall(r'_PROVIDER = "([\w.]+)"', source)}
    told = {row[0].strip("`") for row in rows_of("deploy.md", "setting") if "set by Rankcast" in row[1]}
    assert len(names) == len(told) == 3
    assert all(any(name.endswith(one.lstrip("…")) for one in told) for name in names), (names, told)


def shown(value: object) -> str:
    match value:
        case timedelta():
            return show_duration(value)
        case int() if value >= 2**18 and value % 2**10 == 0:
            return f"{value // 2**20} MiB" if value % 2**20 == 0 else f"{value // 2**10} KiB"
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}"


def test_limits_of_the_service():
    """Whoever adds a limit adds its row to the section "Limits" of docs/service.md."""
    limits = Limits()
    declared = {one.name: getattr(limits, one.name) for one in fields(Limits) if one.name != "event"}
    declared |= {f"event.{one.name}": getattr(limits.event, one.name) for one in fields(EventLimits)}
    told = {row[0].strip("`"): row[1] for row in rows_of("service.md", "setting")}
    assert told == {name: shown(value) for name, value in declared.items()}
