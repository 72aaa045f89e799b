"""The files in `deploy/container` and `deploy/kubernetes`: options exist, references resolve, versions agree."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

import rankcast
from rankcast.cli.main import app

ROOT = Path(__file__).parents[1]
CONTAINER = ROOT / "deploy" / "container"
KUBERNETES = ROOT / "deploy" / "kubernetes"
DOCKERFILE = (CONTAINER / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((CONTAINER / "compose.yaml").read_text())
MANIFESTS = [one for file in sorted(KUBERNETES.glob("*.yaml")) for one in yaml.safe_load_all(file.read_text())]
IMAGE = f"rankcast:{rankcast.__version__}"


def check_command(words: list[str]) -> None:
    """The words are a command of rankcast, and every option of it exists."""
    command: Any = typer.main.get_command(app)
    words = list(words)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
    assert not hasattr(command, "commands"), f"{words} names no command"
    for word in words:
        if word.startswith("-"):
            assert word.partition("=")[0] in known, f"{command.name} has no option {word}"


def ours() -> Iterator[tuple[str, list[str]]]:
    """The commands of rankcast in all files."""
    yield "Dockerfile", json.loads(re.search(r"^CMD (.*)", DOCKERFILE, re.MULTILINE)[1])
    for name, service in COMPOSE["services"].items():
        if service["image"] == IMAGE and "entrypoint" not in service:
            yield f"compose: {name}", service["command"]
    for one in MANIFESTS:
        spec = one.get("spec", {}).get("template", {}).get("spec", {})
        for container in (*spec.get("initContainers", ()), *spec.get("containers", ())):
            if container["image"] == IMAGE:
                yield f"{one['kind']}: {container['name']}", container["args"]


@pytest.mark.parametrize(("place", "words"), list(ours()), ids=lambda value: value if isinstance(value, str) else "")
def test_commands_and_options_exist(place: str, words: list[str]) -> None:
    check_command(words)


def test_the_check_can_fail() -> None:
    with pytest.raises(AssertionError, match="no option --no-such"):
        check_command(["serve", "--no-such"])
    with pytest.raises(AssertionError, match="names no command"):
        check_command(["server"])


def test_versions_agree() -> None:
    assert f"image.version={rankcast.__version__} " in DOCKERFILE
    assert f"--tag {IMAGE} " in DOCKERFILE
    kafka = re.search(
        r"<artifactId>kafka_2.13</artifactId>\s*<version>([\d.]+)<", (ROOT / "scripts/kafka/pom.xml").read_text()
    )
    images = {service["image"] for service in COMPOSE["services"].values()}
    assert kafka
    assert images == {IMAGE, f"apache/kafka:{kafka[1]}", "postgres:17"}
    used = {container["image"] for one in MANIFESTS for container in containers(one)}
    assert used == {IMAGE, "postgres:17"}
    assert IMAGE in (ROOT / "docs/how-to/containers.md").read_text()


def containers(manifest: Any) -> list[Any]:
    spec = manifest.get("spec", {}).get("template", {}).get("spec", {})
    return [*spec.get("initContainers", ()), *spec.get("containers", ())]


def test_the_image_has_known_extras_and_is_not_root() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.search(r"^ARG EXTRAS=(.*)", DOCKERFILE, re.MULTILINE)[1].split(",")
    assert set(extras) <= set(project["optional-dependencies"])
    assert re.findall(r"^USER (.*)", DOCKERFILE, re.MULTILINE) == ["rankcast"]
    assert "HEALTHCHECK" in DOCKERFILE


def test_only_what_is_copied_is_sent_to_the_builder() -> None:
    copied = {
        name for line in re.findall(r"^COPY (?!--from)(.*)", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]
    }
    sent = re.findall(r"^!(.*)", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert copied == set(sent)
    assert all((ROOT / name).exists() for name in copied)


def test_compose_names_what_it_has() -> None:
    services = COMPOSE["services"]
    for name, service in services.items():
        for other in service.get("depends_on", ()):
            assert other in services, f"{name} depends on {other}, which is not there"
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or source.startswith("."), f"{name} mounts {source}"
        text = json.dumps(service.get("command", "")) + json.dumps(service.get("environment", {}))
        hosts = re.findall(r"(?:kafka|spark|postgresql)://(?:\w+:\w+@)?([\w-]+):", text)
        assert set(hosts) <= {*services, "PLAINTEXT"}, f"{name} looks for {hosts}"
    assert services["spark-worker"]["deploy"]["replicas"] == 2


def test_manifests_fit_together() -> None:
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in MANIFESTS}
    for (kind, name), one in by_name.items():
        spec = one["spec"]
        if kind == "Service":
            labels = [
                other["spec"]["template"]["metadata"]["labels"] for other in MANIFESTS if other["kind"] != "Service"
            ]
            assert any(spec["selector"].items() <= some.items() for some in labels), f"{name} selects nothing"
            continue
        template = spec["template"]
        assert spec["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
        volumes = {volume["name"] for volume in template["spec"].get("volumes", ())}
        volumes |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", ())}
        for container in containers(one):
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
            ports = {port["name"] for port in container.get("ports", ())}
            probes = [
                container[probe]["httpGet"]["port"]
                for probe in container
                if probe.endswith("Probe") and "httpGet" in container[probe]
            ]
            assert set(probes) <= ports


def test_probes_ask_for_routes_that_exist() -> None:
    routes = (ROOT / "src/rankcast/service/api/health.py").read_text()
    text = DOCKERFILE + (KUBERNETES / "rankcast.yaml").read_text()
    paths = set(re.findall(r"/v1(/health/\w+)", text))
    assert paths == {"/health/live", "/health/ready"}
    assert all(f'"{path.removeprefix("/health")}"' in routes for path in paths)
