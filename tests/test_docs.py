"""The examples of README.md and docs/**/*.md are run, each file as one session from top to bottom.

- ```` ```python ```` blocks run in one namespace; with ``>>>`` they are doctests, and their output is compared.
- ```` ```console ```` blocks: lines that begin with ``$`` are run by bash in one temporary folder, and what they
  print must be what stands beneath. White space is normalised and blank lines do not count; ``...`` stands for any
  text in a line, alone for any lines. Nothing beneath means that nothing is printed. A command may fail only if the
  next one is ``$ echo $?``. ``\\`` continues a line, ``<<END`` takes the lines up to END.
- A fence like ```` ```json file=events.jsonl ```` writes that file.
- ``<!-- no-test: reason -->`` before a block leaves it out.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = ("reference/",)
"""Where pages of the site are that are no files; tests/test_site.py checks the links to them."""
SECONDS_PER_COMMAND = 300


@dataclass
class Block:
    language: str
    file: str | None
    text: str
    line: int
    left_out: bool


@dataclass
class Command:
    text: str
    expected: list[str]
    line: int


def blocks(markdown: str) -> Iterator[Block]:
    """The fenced blocks; `line` is that of their first line of content, from 1."""
    fence, info, indent, start = "", "", "", 0
    content: list[str] = []
    before = ""
    for number, line in enumerate(markdown.splitlines(), 1):
        if not fence:
            if found := re.match(r"(\s*)(`{3,}|~{3,})\s*([^`]*)$", line):
                indent, fence, info = found.groups()
                content, start = [], number + 1
            elif line.strip():
                before = line.strip()
        elif re.fullmatch(rf"\s*{re.escape(fence[0])}{{{len(fence)},}}\s*", line):
            language, *options = info.split() or [""]
            file = next((option.removeprefix("file=") for option in options if option.startswith("file=")), None)
            left_out = re.fullmatch(r"<!--\s*no-test:\s*\S.*-->", before) is not None
            yield Block(language, file, "".join(f"{text.removeprefix(indent)}\n" for text in content), start, left_out)
            fence, before = "", ""
        else:
            content.append(line)
    assert not fence, f"the fence before line {start} is not closed"


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block, each with the output that is shown beneath it."""
    lines = list(enumerate(block.text.splitlines(), block.line))
    current: Command | None = None
    while lines:
        number, line = lines.pop(0)
        if not line.startswith("$ "):
            assert current or not line.strip(), f"line {number}: output without a command; a command begins with '$ '"
            if current:
                current.expected.append(line)
            continue
        if current:
            yield current
        text = line.removeprefix("$ ")
        while text.endswith("\\") and lines:
            text += "\n" + lines.pop(0)[1].removeprefix("> ")
        if heredoc := re.search(r"<<-?\s*(['\"]?)(\w+)\1", text):
            while lines:
                text += "\n" + lines.pop(0)[1]
                if text.endswith(f"\n{heredoc[2]}"):
                    break
        current = Command(text, [], number)
    if current:
        yield current


def agrees(expected: list[str], printed: str) -> bool:
    """Whether the output is what was expected, up to white space and ``...``."""
    pattern = ""
    for line in filter(None, map(normal, expected)):
        pattern += r"(.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in map(normal, printed.splitlines()) if line)) is not None


def normal(line: str) -> str:
    return " ".join(line.split())


class Session:
    """One document being run: a folder, a Python namespace, and the exit code of the last command."""

    def __init__(self, document: str, folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.status = 0

    def run(self, block: Block) -> None:
        if block.file:
            (self.folder / block.file).write_text(block.text)
        elif block.language == "console":
            self._console(list(commands(block)))
        elif block.language == "python" and re.search(r"^>>> ", block.text, re.MULTILINE):
            self._doctest(block)
        elif block.language == "python":
            # Line numbers in a traceback are then those of the document.
            exec(compile("\n" * (block.line - 1) + block.text, self.document, "exec"), self.namespace)

    def _doctest(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.text, self.namespace, self.document, self.document, block.line - 1
        )
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=report.append, clear_globs=False)
        self.namespace.update(test.globs)
        assert not runner.failures, "".join(report)

    def _console(self, steps: list[Command]) -> None:
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            place = f"{self.document}:{step.line}: $ {step.text}"
            ran = subprocess.run(
                ["bash", "-c", f"(exit {self.status})\n{step.text}"],
                cwd=self.folder,
                env={
                    **os.environ,
                    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                    "COLUMNS": "100",
                    "NO_COLOR": "1",
                    "TERM": "dumb",
                    "PYTHONUTF8": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS_PER_COMMAND,
            )
            self.status = ran.returncode
            shown = "\n".join(step.expected)
            assert agrees(step.expected, ran.stdout), f"{place}\nprinted\n{ran.stdout}\nbut the document says\n{shown}"
            may_fail = following is not None and following.text == "echo $?"
            assert self.status == 0 or may_fail, f"{place}\nfailed with {self.status}\n{ran.stdout}"


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = Session(str(path.relative_to(ROOT)), tmp_path)
    for block in blocks(path.read_text()):
        if not block.left_out:
            session.run(block)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(), flags=re.DOTALL)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in target]
    targets = [
        target for target in targets if target and not any(part in f"{path.parent.name}/{target}" for part in GENERATED)
    ]
    missing = [target for target in targets if not (path.parent / target).exists()]
    assert not missing, f"{path.name} links to {missing}, which are not there"


# the runner itself


def test_blocks_know_their_place_and_options() -> None:
    text = "# T\n\n```python\nx = 1\n```\n\n- item\n\n  ````json file=a.json\n  {}\n  ```\n  ````\n"
    assert list(blocks(text)) == [
        Block("python", None, "x = 1\n", 4, False),
        Block("json", "a.json", "{}\n```\n", 10, False),
    ]


def test_block_left_out_needs_a_reason() -> None:
    text = "<!-- no-test: needs a network -->\n\n```python\n```\n<!-- no-test: -->\n```python\n```\n"
    assert [block.left_out for block in blocks(text)] == [True, False]


def test_commands_with_continuation_and_heredoc() -> None:
    block = Block("console", None, "$ cat <<'END' > f\na\nEND\n$ echo 1 \\\n>   2\n1 2\n\n", 1, False)
    assert list(commands(block)) == [
        Command("cat <<'END' > f\na\nEND", [], 1),
        Command("echo 1 \\\n  2", ["1 2", ""], 4),
    ]


@pytest.mark.parametrize(
    ("expected", "printed", "agree"),
    [
        (["a   b"], "a b\n\n", True),
        (["a"], "a\nb\n", False),
        ([], "a\n", False),
        ([], "", True),
        (["a", "...", "z"], "a\nb\nc\nz\n", True),
        (["a", "...", "z"], "a\nz\n", True),
        (["took ... s"], "took 1.5 s\n", True),
        (["took ... s"], "took 1.5 min\n", False),
        (["(a|b)"], "a\n", False),
    ],
)
def test_output_agrees(expected: list[str], printed: str, agree: bool) -> None:
    assert agrees(expected, printed) is agree


def run_text(text: str, folder: Path) -> Session:
    session = Session("example.md", folder)
    for block in blocks(text):
        session.run(block)
    return session


def test_session_is_shared_by_all_blocks(tmp_path: Path) -> None:
    text = "```json file=a.json\n{}\n```\n```python\nx = 20\n```\n```python\n>>> x + 1\n21\n>>> y = 2\n```\n"
    text += "```console\n$ cat a.json\n{}\n$ false\n$ echo $?\n1\n```\n"
    assert run_text(text, tmp_path).namespace["y"] == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```console\n$ echo a\nb\n```", r"example.md:2: \$ echo a\s+printed\s+a"),
        ("```console\n$ exit 3\n```", "failed with 3"),
        ("```python\n>>> 1 + 1\n3\n```", "Expected:"),
        ("```console\nout\n```", "output without a command"),
        ("```python\n", "not closed"),
    ],
)
def test_session_says_what_is_wrong(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=reason):
        run_text(text, tmp_path)


def test_commands_find_the_python_that_runs_the_tests(tmp_path: Path) -> None:
    wanted = shlex.quote(str(Path(sys.executable).parent))
    run_text(f"```console\n$ dirname $(command -v python)\n{wanted}\n```\n", tmp_path)
