import ast
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rankcast.pipeline import doctor
from rankcast.pipeline.doctor import Checkup, JavaRuntime, examine, find_java, java_version, javas


def fake_java(home: Path, version_line: str, says_home: bool = True) -> Path:
    """A Java home whose `java -version` prints what a real one prints, on standard error."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    settings = f"    java.home = {home}\n" if says_home else ""
    executable.write_text(f"#!/bin/sh\ncat >&2 <<'END'\nProperty settings:\n{settings}\n{version_line}\nEND\n")
    executable.chmod(executable.stat().st_mode | stat.S_IXUSR)
    return home


@pytest.mark.parametrize(
    ("line", "version", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', "17.0.15", 17),
        ('openjdk version "21" 2023-09-19', "21", 21),
        ('openjdk version "25.0.3" 2026-04-21 LTS', "25.0.3", 25),
        ('java version "1.8.0_392"', "1.8.0_392", 8),
        ('openjdk version "22-ea" 2024-03-19', "22-ea", 22),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "11.0.2" 2019-01-15', "11.0.2", 11),
    ],
)
def test_java_version(line: str, version: str, major: int) -> None:
    assert java_version(line) == version
    assert JavaRuntime(Path("home"), version, "PATH").major == major


def test_java_version_of_something_else() -> None:
    assert java_version("The operation couldn't be completed. Unable to locate a Java Runtime.") is None


class TestJavas:
    @pytest.fixture(autouse=True)
    def nowhere_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(doctor, "JAVA_PLACES", ())

    def test_java_home_comes_before_the_path(self, tmp_path: Path) -> None:
        home = fake_java(tmp_path / "a", 'openjdk version "21.0.1"')
        other = fake_java(tmp_path / "b", 'openjdk version "17.0.15"')
        found = list(javas({"JAVA_HOME": str(home), "PATH": f"{other}/bin"}))
        assert found == [JavaRuntime(home, "21.0.1", "JAVA_HOME"), JavaRuntime(other, "17.0.15", "PATH")]

    def test_one_java_is_named_once(self, tmp_path: Path) -> None:
        home = fake_java(tmp_path / "a", 'openjdk version "21.0.1"')
        assert len(list(javas({"JAVA_HOME": str(home), "PATH": f"{home}/bin"}))) == 1

    def test_home_of_a_java_that_does_not_say_it(self, tmp_path: Path) -> None:
        home = fake_java(tmp_path / "a", 'openjdk version "21.0.1"', says_home=False)
        (tmp_path / "link").symlink_to(home / "bin")
        assert [java.home for java in javas({"PATH": str(tmp_path / "link")})] == [home]

    @pytest.mark.parametrize("content", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho nonsense >&2\n", "not a program"])
    def test_java_that_does_not_start(self, tmp_path: Path, content: str) -> None:
        broken = fake_java(tmp_path / "a", "") / "bin" / "java"
        broken.write_text(content)
        assert list(javas({"JAVA_HOME": str(tmp_path / "a"), "PATH": ""})) == []

    def test_find_java_passes_over_one_that_is_too_old(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        old = fake_java(tmp_path / "old", 'java version "1.8.0_392"')
        new = fake_java(tmp_path / "new", 'openjdk version "17"')
        monkeypatch.setenv("JAVA_HOME", str(old))
        monkeypatch.setenv("PATH", f"{new}/bin:/usr/bin:/bin")
        found = find_java()
        assert found is not None
        assert found.home == new

    def test_find_java_finds_none(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        monkeypatch.setenv("PATH", str(tmp_path))
        assert find_java() is None


def test_python() -> None:
    assert doctor.check_python((3, 11, 0)) == Checkup("Python", True, "3.11.0")
    assert doctor.check_python((3, 10, 13)).ok is False


def test_java() -> None:
    java = JavaRuntime(Path("home"), "17.0.15", "JAVA_HOME")
    assert doctor.check_java(java) == Checkup("Java", True, "17.0.15 in home (by JAVA_HOME)")


def test_no_java_names_those_too_old() -> None:
    finding = doctor.check_java(None, [JavaRuntime(Path("home"), "1.8.0", "PATH")])
    assert finding.found == "only 1.8.0 in home"
    assert "Java 17" in finding.advice
    assert doctor.check_java(None).found == "none"


@pytest.mark.parametrize(("available", "ok"), [(8 * 2**30, True), (2**30, False), (None, None)])
def test_memory(available: int | None, ok: bool | None) -> None:
    assert doctor.check_memory(available).ok is ok


def test_cores() -> None:
    assert doctor.check_cores(2) == Checkup("cores", True, "2")
    alone = doctor.check_cores(1)
    assert alone.ok is None
    assert "two" in alone.advice


def test_disk(tmp_path: Path) -> None:
    assert doctor.check_disk(tmp_path, 10 * 2**30).ok is True
    assert "SPARK_LOCAL_DIRS" in doctor.check_disk(tmp_path, 1000).advice


def refuse(*_: str) -> int:
    raise OSError("refused")


def test_loopback() -> None:
    assert doctor.check_loopback(lambda: 4242).ok is True
    finding = doctor.check_loopback(refuse)
    assert finding.ok is False
    assert "refused" in finding.found


def unknown_host(_: str) -> str:
    raise socket.gaierror("unknown host")


def test_hostname() -> None:
    assert doctor.check_hostname("here", lambda name: "10.0.0.1").found == "here is 10.0.0.1"
    finding = doctor.check_hostname("here", unknown_host)
    assert finding.ok is False
    assert "SPARK_LOCAL_IP=127.0.0.1" in finding.advice
    assert doctor.check_hostname("here", unknown_host, local_ip="127.0.0.1").ok is True


@pytest.mark.parametrize(
    ("version", "ok"),
    [("2.2", True), ("2.3.3", True), ("2.10.0rc1", True), ("3.0.0", False), ("2.1.9", False), (None, False)],
)
def test_package(version: str | None, ok: bool) -> None:
    finding = doctor.check_package("pandas", version, "<3,>=2.2")
    assert finding.ok is ok
    assert bool(finding.advice) is not ok


def test_required_versions_are_those_of_the_project() -> None:
    assert all(doctor._required(name).startswith("<") for name in (*doctor.PACKAGES, *doctor.SPARK_PACKAGES))
    assert ";" not in doctor._required("pyspark")
    assert doctor._required("pand") == ""


class TestStore:
    def test_new_file(self, tmp_path: Path) -> None:
        assert doctor.check_store(tmp_path / "new.db").ok is True

    def test_folder_is_missing(self, tmp_path: Path) -> None:
        assert "mkdir -p" in doctor.check_store(tmp_path / "none" / "new.db").advice

    def test_is_a_folder(self, tmp_path: Path) -> None:
        assert doctor.check_store(tmp_path).ok is False

    def test_cannot_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "old.db").touch()
        monkeypatch.setattr(doctor.os, "access", lambda place, _: place == tmp_path)  # root may write anything
        assert doctor.check_store(tmp_path / "old.db").found == f"{tmp_path / 'old.db'} cannot be written"


def test_examine_here(tmp_path: Path) -> None:
    findings = examine(tmp_path / "rankcast.db")
    names = [finding.name for finding in findings]
    assert names[:4] == ["Python", "Java", "memory", "cores"]
    assert names[-1] == "store"
    assert len(set(names)) == len(names)
    assert all(finding.advice for finding in findings if finding.ok is False)


def test_examine_imports_none_of_the_packages() -> None:
    probe = "import sys; from rankcast.pipeline.doctor import examine; examine(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {*doctor.PACKAGES, *doctor.SPARK_PACKAGES}


def test_an_extra_may_be_missing() -> None:
    assert doctor.check_extra("kafka", True, "run me") == Checkup("extra kafka", True, "installed")
    missing = doctor.check_extra("kafka", False, "run me")
    assert missing.ok is None
    assert missing.advice == "if you need it, run: run me"


def test_java_is_asked_for_with_spark_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankcast.extras.is_installed", lambda name: name != "spark")
    names = [finding.name for finding in examine()]
    assert "Java" not in names
    assert "pyspark" not in names
    assert "extra spark" in names


def test_doctor_needs_the_standard_library_only() -> None:
    tree = ast.parse(Path(doctor.__file__).read_text())
    imported = {
        name.split(".")[0]
        for node in tree.body
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names, "scripts/setup runs doctor.py before anything is installed"
