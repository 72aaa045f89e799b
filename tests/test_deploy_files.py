"""The files in `deploy`: their metrics exist, and the tools that read them accept them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MONITORING = ROOT / "deploy" / "monitoring"
PROMTOOL = shutil.which("promtool") or str(ROOT / ".services" / "promtool")

# tests/test_doc_tables.py compares this table with what the service exports.
ROWS = re.findall(r"^\| (`rankcast_[^|]+)\|", (ROOT / "docs" / "deploy.md").read_text(), re.MULTILINE)
METRICS = {name for row in ROWS for name in re.findall(r"`(rankcast_\w+)`", row)}


def metrics_in(text: str) -> set[str]:
    return {re.sub(r"_bucket$", "", name) for name in re.findall(r"\brankcast_[a-z_]+", text)}


def test_alerts_name_metrics_that_exist() -> None:
    found = metrics_in((MONITORING / "alerts.yaml").read_text())
    assert found
    assert found <= METRICS, f"no such metrics: {sorted(found - METRICS)}"


def test_the_dashboard_shows_metrics_that_exist() -> None:
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    targets = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    found = metrics_in(" ".join(targets))
    assert found <= METRICS, f"no such metrics: {sorted(found - METRICS)}"
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_each_alert_has_a_case() -> None:
    alerts = re.findall(r"- alert: (\w+)", (MONITORING / "alerts.yaml").read_text())
    cases = re.findall(r'alertname="(\w+)"', (MONITORING / "alerts_test.yaml").read_text())
    assert sorted(alerts) == sorted(cases)


@pytest.mark.skipif(not Path(PROMTOOL).exists(), reason="no promtool; scripts/services fetches it")
@pytest.mark.parametrize("arguments", [["check", "rules", "alerts.yaml"], ["test", "rules", "alerts_test.yaml"]])
def test_promtool_accepts_the_alerts(arguments: list[str]) -> None:
    done = subprocess.run([PROMTOOL, *arguments], cwd=MONITORING, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = (ROOT / "deploy" / "systemd" / "rankcast.service").read_text()
    (tmp_path / "rankcast.service").write_text(unit.replace("/opt/rankcast/bin/rankcast", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / "rankcast.service")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "rankcast.service" not in done.stderr, done.stderr
