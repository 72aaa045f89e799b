"""Data on stdout, words on stderr; tables for terminals, lines for pipes."""

import io
import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rankcast.cli.output import Output, TableColumn, amount, table, write_lines


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


COLUMNS = (TableColumn("name"), TableColumn("n", align="right"))
RECORDS = [{"name": "[red]a[/]\x1b[31m", "n": 1}, {"name": "b", "n": 20}]


def streams(monkeypatch: pytest.MonkeyPatch, stdout: io.StringIO, stderr: io.StringIO) -> None:
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setattr(sys, "stderr", stderr)


def test_records_are_lines_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    streams(monkeypatch, out := io.StringIO(), err := io.StringIO())
    Output().records(RECORDS[1:], COLUMNS)
    assert (out.getvalue(), err.getvalue()) == ('{"name":"b","n":20}\n', "")


def test_records_are_a_table_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    streams(monkeypatch, out := Terminal(), err := Terminal())
    Output().records(RECORDS, COLUMNS)
    assert "[red]a[/]\\x1b[31m" in out.getvalue()
    assert "─" in out.getvalue()
    assert err.getvalue() == ""
    streams(monkeypatch, out := Terminal(), Terminal())
    Output(json=True).records(RECORDS[1:], COLUMNS)
    assert out.getvalue() == '{"name":"b","n":20}\n'


def test_a_column_shows_a_field_in_its_form() -> None:
    record = {"n": 1234.5, "inner": {"n": 7}, "none": None}
    columns = (amount("n"), amount("N", "n", ".0f"), amount("inner", lambda one: one["inner"]["n"]), amount("none"))
    assert [column.cell(record) for column in (*columns, TableColumn("missing"))] == ["1,234.5", "1234", "7", "", ""]


@pytest.mark.parametrize("stdout", [io.StringIO, Terminal])
def test_no_records_are_said_to_people_only(monkeypatch: pytest.MonkeyPatch, stdout: type[io.StringIO]) -> None:
    streams(monkeypatch, out := stdout(), err := io.StringIO())
    Output().records([], COLUMNS, "there are none")
    assert (out.getvalue(), err.getvalue()) == ("", "there are none\n")
    streams(monkeypatch, out := stdout(), err := io.StringIO())
    Output(json=True).records([], COLUMNS, "there are none")
    assert (out.getvalue(), err.getvalue()) == ("", "")


def test_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def done(json: bool, stdout: io.StringIO) -> tuple[str, str]:
        streams(monkeypatch, stdout, err := io.StringIO())
        Output(json).done("made s1", {"id": "s1"}, "s1")
        return stdout.getvalue(), err.getvalue()

    assert done(False, io.StringIO()) == ("s1\n", "made s1\n")
    assert done(False, Terminal()) == ("", "made s1\n")
    assert done(True, io.StringIO()) == ('{"id":"s1"}\n', "")


@pytest.mark.parametrize("json", [False, True])
def test_progress_never_touches_stdout(monkeypatch: pytest.MonkeyPatch, json: bool) -> None:
    streams(monkeypatch, out := io.StringIO(), err := Terminal())
    with Output(json).progress("counting", 3) as advance:
        advance(1)
        print("data")
        advance(2)
    assert out.getvalue() == "data\n"
    assert "counting" in err.getvalue()


@pytest.mark.parametrize("work", [lambda out: out.progress("x", 3), lambda out: out.bars(["x"])])
def test_no_bars_without_a_terminal(monkeypatch: pytest.MonkeyPatch, work: Callable) -> None:
    streams(monkeypatch, io.StringIO(), err := io.StringIO())
    with work(Output()) as advance:
        advance(*(("x", 0.5) if work(Output()).func.__name__ == "bars" else (1,)))
    assert err.getvalue() == ""


def test_json_on_a_terminal_is_not_disturbed_by_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    streams(monkeypatch, Terminal(), err := Terminal())
    with Output(json=True).progress("counting", 3) as advance:
        advance(3)
    assert err.getvalue() == ""


def test_stages_are_lines_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    streams(monkeypatch, io.StringIO(), err := io.StringIO())
    with Output().working("first") as stage:
        stage("second")
    assert err.getvalue() == "first …\nsecond …\n"
    streams(monkeypatch, io.StringIO(), err := Terminal())
    with Output().working("first") as stage:
        stage("second")
    assert "second" in err.getvalue()


def test_tables_keep_what_must_not_be_cut() -> None:
    made = table((TableColumn("a"), TableColumn("b", folds=True)), [("x", "y")])
    assert [column.no_wrap for column in made.columns] == [True, False]


def test_lines_into_a_file(tmp_path: Path) -> None:
    assert write_lines(tmp_path / "x.jsonl", [{"é": "ü"}]) == 1
    assert (tmp_path / "x.jsonl").read_bytes() == '{"é":"ü"}\n'.encode()


@pytest.mark.slow
def test_a_real_terminal_gets_a_table(process: Callable) -> None:
    """Through a pseudo-terminal, so that nobody has to pretend."""
    process("init")
    process("subscribe", "--user", "ann", "genre = 'drama'")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", "from rankcast.cli.main import main; main()", "subscriptions"])
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert "───".encode() in shown
    assert b"genre = 'drama'" in shown
