"""Where the output of commands goes.

Data goes to stdout: a table on a terminal, JSON Lines in a pipe or with ``--json``. Messages, errors and progress go
to stderr, so that a pipe carries only data.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

_PIECE = 1 << 15

PIPE_WIDTH = 100
"""The width of reports without a terminal."""

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x0A}


def printable(text: str) -> str:
    r"""The text with control characters escaped, so that it cannot move a terminal's cursor or change its colours.

    >>> printable("a\x1b[31mb\tc")
    'a\\x1b[31mb\\x09c'
    """
    return text.encode("utf-8", "backslashreplace").decode().translate(_CONTROLS)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table for people. Only a column with `folds` may be wrapped.

    It shows the field `of` of a record (by default, the field with its name) in a format, such as `.3f`. `of` can also
    be a function of the record. None is an empty cell.
    """

    name: str
    of: "str | Callable[[Any], object]" = ""
    form: str = ""
    align: Literal["left", "right", "center"] = "left"
    style: str = ""
    folds: bool = False

    def cell(self, record: Mapping[str, Any]) -> str:
        """The text of the column for a record."""
        value = self.of(record) if callable(self.of) else record.get(self.of or self.name)
        return "" if value is None else format(value, self.form)


def amount(name: str, of: "str | Callable[[Any], object]" = "", form: str = ",", style: str = "") -> TableColumn:
    """A column of numbers, which are aligned to the right."""
    return TableColumn(name, of, form, "right", style)


def amounts(*names: str) -> tuple[TableColumn, ...]:
    """Columns of whole numbers."""
    return tuple(map(amount, names))


def at_second(record: Mapping[str, Any]) -> str:
    """When something was, to the second: of a column with the field `when`."""
    return str(record["when"]).replace("T", " ")[:19]


class Output:
    """The output of one command. `json` is the option ``--json``."""

    def __init__(self, json: bool = False) -> None:
        self.json = json
        self.terminal = sys.stdout.isatty()

    @property
    def as_lines(self) -> bool:
        """Whether records are written as JSON Lines instead of a table."""
        return self.json or not self.terminal

    # data, on stdout

    def record(self, record: Mapping[str, object]) -> None:
        """Write a record as one JSON line."""
        from rankcast.language import dumps

        sys.stdout.write(dumps(record) + "\n")

    def flush(self) -> None:
        """Flush stdout."""
        sys.stdout.flush()

    def line(self, text: str) -> None:
        """Write one line of plain text."""
        sys.stdout.write(printable(text) + "\n")

    def records(
        self,
        records: Iterable[Mapping[str, object]],
        columns: Sequence[TableColumn],
        empty: str = "nothing",
        file: Path | None = None,
    ) -> None:
        """Write records as JSON Lines, or as a table.

        `empty` is the message if there are no records. With `file`, the records always go there, as JSON Lines.
        """
        count = 0
        if file is not None:
            count = write_lines(file, records)
        elif self.as_lines:
            for count, record in enumerate(records, 1):  # noqa: B007  the last value is the count
                self.record(record)
        elif rows := [[column.cell(record) for column in columns] for record in records]:
            count = len(rows)
            self.show(table(columns, rows))
        if not count and not self.json:
            self.say(empty)

    def texts(self, texts: Iterable[str], empty: str, file: Path | None = None) -> None:
        """Write records that are already lines of JSON, many in one text, to stdout or to a file.

        `empty` is the message if there are none.
        """
        is_empty = True
        with file.open("w", encoding="utf-8") if file is not None else nullcontext(sys.stdout) as target:
            for text in texts:
                # In pieces, because a single long write does not tell that the reader of a pipe has left.
                for start in range(0, len(text), _PIECE):
                    target.write(text[start : start + _PIECE])
                is_empty = False
        if is_empty and not self.json:
            self.say(empty)

    def show(self, *things: "RenderableType") -> None:
        """Print rich output on stdout; as plain text if stdout is not a terminal."""
        console = _console(stderr=False)
        with console.capture() as shown:
            console.print(*things, sep="\n")
        text = shown.get()
        if not self.terminal:
            text = "".join(line.rstrip() + "\n" for line in text.splitlines())
        sys.stdout.write(text)

    # messages, on stderr

    def say(self, message: str) -> None:
        """Print a message on stderr."""
        sys.stderr.write(printable(message) + "\n")
        sys.stderr.flush()

    def error(self, message: str) -> None:
        """Print an error message on stderr."""
        from rich.text import Text

        text = Text.assemble(("error: ", "bold red"), printable(message))
        _console(stderr=True).print(text, soft_wrap=True)

    def done(self, message: str, record: Mapping[str, object], data: str = "") -> None:
        """Report a change: the record with ``--json``, else the message; a pipe also gets `data`."""
        if self.json:
            self.record(record)
            return
        if data and not self.terminal:
            self.line(data)
        self.say(message)

    # progress, on stderr

    @contextmanager
    def progress(self, title: str, total: float | None = None) -> Iterator[Callable[[float], None]]:
        """Show a progress bar on a terminal; yields a function that takes the additional amount done."""
        if not self._has_room():
            yield lambda amount: None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with self._moving(*columns) as bars:
            task = bars.add_task(title, total=total)
            yield lambda amount: bars.advance(task, amount)

    @contextmanager
    def bars(self, names: Sequence[str]) -> Iterator[Callable[[str, float], None]]:
        """Show a progress bar for each name; yields a function that takes a name and the share done."""
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with self._moving(*columns) as bars:
            tasks = {name: bars.add_task(name, total=1.0, start=False) for name in names}

            def update(name: str, share: float) -> None:
                bars.start_task(tasks[name])
                bars.update(tasks[name], completed=share)

            yield update

    @contextmanager
    def working(self, stage: str) -> Iterator[Callable[[str], None]]:
        """Show a spinner with the current stage and the time; yields a function that takes the next stage.

        Without a terminal, each stage is printed as a line.
        """
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        if not self._has_room():
            self.say(f"{stage} …")
        with self._moving(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bars:
            task = bars.add_task(stage)

            def following(stage: str) -> None:
                bars.update(task, description=stage)
                if not self._has_room():
                    self.say(f"{stage} …")

            yield following

    def _moving(self, *columns: "ProgressColumn") -> "Progress":
        """Live progress lines on stderr that disappear at the end. They do not touch stdout."""
        from rich.progress import Progress

        return Progress(
            *columns,
            console=_console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            disable=not self._has_room(),
        )

    def _has_room(self) -> bool:
        """Whether stderr can show live progress lines."""
        return sys.stderr.isatty() and not (self.json and self.terminal)


def write_lines(file: Path, records: Iterable[Mapping[str, object]]) -> int:
    """Write records to a file as JSON Lines; return their number."""
    from rankcast.language import dumps

    count = 0
    with file.open("w", encoding="utf-8") as lines:
        for record in records:
            lines.write(dumps(record) + "\n")
            count += 1
    return count


def table(columns: Sequence[TableColumn], rows: Iterable[Sequence[str]], title: str | None = None) -> "Table":
    """A table in the common style."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        made.add_column(
            column.name, justify=column.align, style=column.style, no_wrap=not column.folds, overflow="fold"
        )
    for row in rows:
        made.add_row(*(Text(printable(cell)) for cell in row))
    return made


def _console(stderr: bool) -> "Console":
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False)
