"""Tables of the documentation say what the declarations say."""

import re
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest
from fastapi.testclient import TestClient
from typer.main import get_command

from rankcast.cli.main import app
from rankcast.engine.explain import Reason
from rankcast.errors import ModelError
from rankcast.language import parse_duration, show_duration
from rankcast.language.event_limits import EventLimits
from rankcast.language.membership_json import FORMS
from rankcast.model import Attitude, Filter, Ranking, ScorerName
from rankcast.model.declared import declared as declared_fields
from rankcast.overlay import STRATEGIES
from rankcast.pipeline import kafka_security
from rankcast.service import Limits, ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.service.brokers.messages import Message
from rankcast.service.push.webhooks.sending import RetrySchedule
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
    served = create_app(ServiceSettings(store=str(tmp_path / "store.db"), dev=True, page=False))
    with TestClient(served, base_url="http://localhost") as client:
        service = served.state.service
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


LISTED = [
    ("approximate.md", "form", list(FORMS)),
    ("producer.md", "`rank`", [one.value for one in Ranking]),
    ("producer.md", "`score`", [*(one.value for one in ScorerName), '"function": "name"']),
    ("producer.md", "`--strategy`", list(STRATEGIES)),
    ("semantics.md", "word", [one.value for one in Attitude]),
    ("webhooks.md", "reason", [one.value for one in Reason]),
    ("brokers.md", "`type`", [one.__struct_config__.tag for one in get_args(Message)]),
]


@pytest.mark.parametrize(("page", "title", "declared"), LISTED, ids=[f"{page} {title}" for page, title, _ in LISTED])
def test_every_declared_word_has_a_row_and_no_other(page, title, declared):
    told = [word for row in rows_of(page, title) for word in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(told) == sorted(declared)


def test_the_attempts_to_send_a_message():
    rows = rows_of("webhooks.md", "attempt")
    delays = RetrySchedule().delays
    assert [row[0] for row in rows] == [str(number + 1) for number in range(len(delays) + 1)]
    assert [spoken(row[1]) for row in rows[1:]] == list(delays)
    for number, row in enumerate(rows[1:], 1):
        since = sum(delays[:number], timedelta(0))
        assert spoken(row[2]) == (since if since < MINUTE else since // MINUTE * MINUTE), row


MINUTE = timedelta(minutes=1)


def spoken(text: str) -> timedelta:
    return parse_duration(text.replace(" ", "").replace("min", "m"))


def test_the_settings_of_a_file_for_kafka():
    """All names that a file may have, and the words that some of them take."""
    rows = rows_of("deploy.md", "name in the file")
    told = [name for row in rows for name in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(told) == sorted(kafka_security._NAMES)
    for row in rows:
        for word in kafka_security._CHOICES.get(row[0].strip("`"), ()):
            assert f"`{word}`" in row[1], (row[0], word)


def test_sinks():
    """The table, the option and the refusal name the same sinks."""
    from rankcast.pipeline.spark.sinks import sink_of  # here: it takes pyspark a second to load

    (option,) = (one for one in get_command(app).commands["run"].params if one.name == "sink")
    with pytest.raises(ModelError) as refused:
        sink_of("nowhere")
    form = re.compile(r"\bconsole\b|\b[a-z]+:(?:FOLDER|FORMAT|//host)")
    told = [name for row in rows_of("deploy.md", "sink") for name in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(form.findall(" ".join(told))) == sorted(form.findall(option.help))
    assert sorted(form.findall(" ".join(told))) == sorted(form.findall(str(refused.value)))


def test_rooms():
    """Each package and module at the top of rankcast is in the table, and what it names of them exists."""
    top = DOCS.parent / "src" / "rankcast"
    rows = rows_of("architecture.md", "room")
    told = [name.rstrip("/") for row in rows for name in re.findall(r"`([^`]+)`", row[0])]
    assert sorted(told) == sorted(
        path.name for path in top.iterdir() if path.suffix == ".py" or path.is_dir() if not path.name.startswith("__")
    )
    for row in rows:
        for name in re.findall(r"`([\w/]+(?:/|\.py))`", row[1]):
            assert any((place / name).exists() for place in (top / row[0].strip("`"), top, DOCS.parent)), (row[0], name)


def test_attitudes():
    told = {row[0].strip("`"): (float(row[1]), float(row[2])) for row in rows_of("semantics.md", "word")}
    assert told == {one.value: (one.thresholds.possibility, one.thresholds.necessity) for one in Attitude}


def test_roles():
    assert sorted(row[0] for row in rows_of("service.md", "role")) == sorted(role.value for role in Role)


def test_the_fields_of_a_filter_and_their_words():
    rows = rows_of("novelty.md", "field of `filter`")
    told = {name: " ".join(row) for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    known = {one.name: one.kind for one in declared_fields(Filter)}
    assert sorted(told) == sorted(known)
    for name, kind in known.items():
        missing = [word for word in getattr(kind, "names", ()) if f"`{word}`" not in told[name]]
        assert not missing, (name, missing)


@pytest.mark.parametrize(("page", "start"), [("brokers.md", ""), ("webhooks.md", "/v1/users/{}")])
def test_requests_are_routes(page, start, tmp_path):
    paths = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, pipeline=False)).openapi()["paths"]
    routes = {(verb.upper(), re.sub(r"\{\w+\}", "{}", path)) for path, verbs in paths.items() for verb in verbs}
    for row in rows_of(page, "request"):
        verb, path = row[0].strip("`").split(" ")
        assert (verb, re.sub(r"\{\w+\}", "{}", path).replace("…", start)) in routes, row[0]


def test_options_of_brokers():
    options = {name for one in get_command(app).commands["serve"].params for name in one.opts}
    told = [row[0].strip("`").split(" ")[0] for row in rows_of("brokers.md", "option of `serve`")]
    assert told
    assert set(told) <= options
