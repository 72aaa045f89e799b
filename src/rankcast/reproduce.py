"""Running the experiments: one file per table or figure of a paper, each leaving numbers, a picture and a verdict.

A module in `experiments/` describes itself by `EXPERIMENT`. Its `run` gets a `Report`, to which it hands tables,
figures, and one line for each figure of the paper that it meets or misses. What a run leaves is kept under
`out/experiments/NAME` with a fingerprint of the code, so that an interrupted ``rankcast reproduce all`` goes on
where it stopped.
"""

import csv
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from rankcast.errors import RankcastError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "Experiment", "Report", "Result", "document", "experiments", "reproduce"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a module in `experiments/` reproduces, and the function that does it."""

    name: str
    title: str
    source: str
    run: Callable[["Report"], None]


class Comparison(msgspec.Struct, frozen=True):
    """A figure of the paper beside ours; `note` says why they differ, if they do."""

    what: str
    paper: str
    ours: str
    agrees: bool
    note: str = ""


class Result(msgspec.Struct, frozen=True):
    """What a run left: its comparisons, its files, and how long it took."""

    name: str
    title: str
    source: str
    seconds: float
    fingerprint: str
    comparisons: list[Comparison]
    files: list[str]
    remarks: list[str]


@dataclass(slots=True)
class Report:
    """Where an experiment puts what it finds, and how it tells how far it is."""

    folder: Path
    progress: Callable[[float], None] = lambda share: None
    comparisons: list[Comparison] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Keep numbers as NAME.csv."""
        with (self.folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        self.files.append(f"{name}.csv")

    def figure(self, name: str, figure: "Figure") -> None:
        """Keep a picture as NAME.png."""
        figure.savefig(self.folder / f"{name}.png", dpi=120, bbox_inches="tight")
        self.files.append(f"{name}.png")

    def compare(self, what: str, paper: object, ours: object, agrees: bool, note: str = "") -> None:
        """State a figure of the paper beside ours."""
        self.comparisons.append(Comparison(what, str(paper), str(ours), agrees, note))

    def remark(self, text: str) -> None:
        """Say something that no single figure says."""
        self.remarks.append(text)


def experiments(folder: Path | None = None) -> dict[str, Experiment]:
    """All experiments by name, in order; `folder` is `experiments/` of this checkout by default."""
    folder = folder or _folder()
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    found = [_load(path) for path in sorted(folder.glob("*.py"), key=lambda path: _natural(path.stem))]
    return {experiment.name: experiment for experiment in found if experiment is not None}


def reproduce(
    names: Sequence[str],
    out: Path,
    on_progress: Callable[[str, float], None] = lambda name, share: None,
    again: bool = False,
    folder: Path | None = None,
) -> Iterator[Result]:
    """Run experiments by name (`["all"]` for all), skipping those whose result under `out` is of the same code."""
    known = experiments(folder)
    chosen = list(known) if list(names) == ["all"] else list(names)
    for name in chosen:
        if name not in known:
            raise RankcastError(
                f"there is no experiment {name!r}{did_you_mean(name, known)} (see: rankcast reproduce --list)"
            )
    fingerprint = _fingerprint(folder or _folder())
    for name in chosen:
        yield _run(known[name], out / name, fingerprint, on_progress, again)


def document(results: Sequence[Result], out: Path, page: Path) -> None:
    """Write what experiments found as a page of Markdown, in order of their sources; its pictures go into a folder beside it.

    `out` is where the results are kept. The page says how many figures agree, and of each that does not, why.
    """
    pictures = page.with_suffix("")
    pictures.mkdir(parents=True, exist_ok=True)
    compared = [one for result in results for one in result.comparisons if one.paper != "-"]
    agreeing = sum(one.agrees for one in compared)
    lines = [
        "# The papers' evaluations, reproduced",
        "",
        "Written by `rankcast reproduce all --docs docs/reproduction.md`; do not edit. Each section is a file in `experiments/`,"
        " run again by `rankcast reproduce NAME`, which leaves the numbers as CSV.",
        "",
        f"{len(results)} experiments, {len(compared)} figures or statements of the papers compared, {agreeing} of which agree."
        " Where one does not, the last column says why. A figure without a counterpart in the paper has a `-` there.",
    ]
    for result in sorted(results, key=lambda result: _natural(result.source)):
        lines += ["", f"## {result.source}: {result.title}", "", f"`rankcast reproduce {result.name}`", ""]
        lines += ["| what | paper | ours | agrees | |", "| --- | --- | --- | --- | --- |"]
        for one in result.comparisons:
            cells = (one.what, one.paper, one.ours, "yes" if one.agrees else "**no**", one.note)
            lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
        for remark in result.remarks:
            lines += ["", remark]
        for name in result.files:
            if name.endswith(".png"):
                picture = f"{result.name}.png" if name == f"{result.name}.png" else f"{result.name}-{name}"
                (pictures / picture).write_bytes((out / result.name / name).read_bytes())
                lines += ["", f"![{result.title}]({pictures.name}/{picture})"]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _natural(text: str) -> list[tuple[int, str]]:
    """A key by which `Figure 9` comes before `Figure 10`."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _run(
    experiment: Experiment, folder: Path, fingerprint: str, on_progress: Callable[[str, float], None], again: bool
) -> Result:
    summary = folder / "result.json"
    if summary.exists() and not again:
        kept = msgspec.json.decode(summary.read_bytes(), type=Result)
        if kept.fingerprint == fingerprint:
            on_progress(experiment.name, 1.0)
            return kept
    folder.mkdir(parents=True, exist_ok=True)
    report = Report(folder, lambda share: on_progress(experiment.name, share))
    start = perf_counter()
    experiment.run(report)
    result = Result(
        name=experiment.name,
        title=experiment.title,
        source=experiment.source,
        seconds=round(perf_counter() - start, 2),
        fingerprint=fingerprint,
        comparisons=report.comparisons,
        files=report.files,
        remarks=report.remarks,
    )
    summary.write_bytes(msgspec.json.format(msgspec.json.encode(result)))
    on_progress(experiment.name, 1.0)
    return result


def _folder() -> Path:
    for root in (Path.cwd(), Path(__file__).resolve().parents[2]):
        if (root / "experiments").is_dir():
            return root / "experiments"
    raise RankcastError("no folder 'experiments' here; run this in a checkout of Rankcast")


def _load(path: Path) -> Experiment | None:
    name = f"experiments.{path.stem}"
    if name in sys.modules:
        return getattr(sys.modules[name], "EXPERIMENT", None)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return getattr(module, "EXPERIMENT", None)


def _fingerprint(folder: Path) -> str:
    digest = blake2b(digest_size=8)
    for path in sorted([*folder.glob("*.py"), *Path(__file__).parent.rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()
