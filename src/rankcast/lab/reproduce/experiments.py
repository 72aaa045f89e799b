"""An experiment, the report it writes to, and its result."""

import csv
import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rankcast.errors import RankcastError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "Experiment", "ExperimentReport", "Result", "checkout", "experiments", "located", "natural"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a module in `experiments/` reproduces, and the function that runs it."""

    name: str
    title: str
    source: str
    run: Callable[["ExperimentReport"], None]


class Comparison(msgspec.Struct, frozen=True):
    """A number or statement of the paper and ours; `note` explains a difference."""

    what: str
    paper: str
    ours: str
    agrees: bool
    note: str = ""


class Result(msgspec.Struct, frozen=True):
    """The result of a run: its comparisons, its files, and its duration."""

    name: str
    title: str
    source: str
    seconds: float
    fingerprint: str
    comparisons: list[Comparison]
    files: list[str]
    remarks: list[str]

    @property
    def paper(self) -> str:
        """The paper: the source up to the first comma."""
        return self.source.partition(", ")[0]

    @property
    def compared(self) -> list[Comparison]:
        """The comparisons that have a counterpart in the paper; others have `-` there."""
        return [one for one in self.comparisons if one.paper != "-"]

    @property
    def agreeing(self) -> str:
        """How many comparisons agree, in words."""
        return f"{sum(one.agrees for one in self.compared)} of {len(self.compared)}"

    @property
    def pictures(self) -> list[str]:
        """The files that are pictures."""
        return [name for name in self.files if name.endswith(".png")]


@dataclass(slots=True)
class ExperimentReport:
    """Collects the findings of an experiment and shows its progress."""

    folder: Path
    progress: Callable[[float], None] = lambda share: None
    comparisons: list[Comparison] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Save numbers as NAME.csv."""
        with (self.folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        self.files.append(f"{name}.csv")

    def figure(self, name: str, figure: "Figure") -> None:
        """Save a picture as NAME.png."""
        figure.savefig(self.folder / f"{name}.png", dpi=120, bbox_inches="tight")
        self.files.append(f"{name}.png")

    def compare(self, what: str, paper: object, ours: object, agrees: bool, note: str = "") -> None:
        """Compare a number or statement of the paper with ours."""
        self.comparisons.append(Comparison(what, str(paper), str(ours), agrees, note))

    def remark(self, text: str) -> None:
        """Add a remark that belongs to no single comparison."""
        self.remarks.append(text)


def experiments(folder: Path | None = None) -> dict[str, Experiment]:
    """All experiments by name, in order; `folder` is `experiments/` of this checkout by default."""
    return {name: experiment for name, (experiment, _) in located(folder or checkout() / "experiments").items()}


def located(folder: Path) -> dict[str, tuple[Experiment, Path]]:
    """All experiments of a folder by name, in order, each with its file."""
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    found = [(_load(path), path) for path in sorted(folder.glob("*.py"), key=lambda path: natural(path.stem))]
    return {experiment.name: (experiment, path) for experiment, path in found if experiment is not None}


def checkout() -> Path:
    """The Rankcast checkout with the experiments: the current folder, or the one that contains this package."""
    for root in (Path.cwd(), Path(__file__).resolve().parents[4]):
        if (root / "experiments").is_dir():
            return root
    raise RankcastError("no folder 'experiments' here; run this in a checkout of Rankcast")


def natural(text: str) -> list[tuple[int, str]]:
    """A sort key that puts `Figure 9` before `Figure 10`."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]


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
