"""An experiment, the report it writes to, and its result."""

import csv
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from rankcast.errors import RankcastError
from rankcast.lab.reproduce.rows import WITHIN, Comparison, RowKind, Rule, agreeing, differs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")

SEEDS = 10
"""The least number of seeds over which a rule runs."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper whose experiments we repeat; a shared module of its experiments has it as `PAPER`.

    `name` is the first part of the sources of its experiments. `agrees` and `differs` are for a sceptical reader: what
    agrees, and our best explanation of what does not. `unknown` is what the paper does not say, with what we did.
    """

    name: str
    title: str
    agrees: str
    differs: str
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a module in `experiments/` reproduces, and the function that runs it.

    An experiment `is_timed` if rows of it are durations: nothing else runs beside it then.
    """

    name: str
    title: str
    source: str
    run: Callable[["ExperimentReport"], None]
    is_timed: bool = False

    @property
    def paper(self) -> str:
        """The paper: the source up to the first comma."""
        return _paper(self.source)


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
        return _paper(self.source)

    @property
    def agreeing(self) -> str:
        """How many rows of each kind agree, in words; empty if all rows are ours alone."""
        told = []
        for kind in (RowKind.PRINTED, RowKind.SHAPE):
            agree, count = agreeing(self.comparisons, kind)
            if count:
                told.append(f"{agree} of {count} {kind.counted}")
        return ", ".join(told)

    @property
    def pictures(self) -> list[str]:
        """The files that are pictures."""
        return [name for name in self.files if name.endswith(".png")]


@dataclass(slots=True)
class ExperimentReport:
    """Collects the findings of an experiment and shows its progress.

    Rules run over `seeds` seeds at least; only a test lowers the number.
    """

    folder: Path
    progress: Callable[[float], None] = lambda share: None
    seeds: int = SEEDS
    comparisons: list[Comparison] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def each_seed(self, run: Callable[[int], T], until: float = 1.0) -> list[T]:
        """The results of a function for each seed, which take this share of the experiment."""
        found = []
        for seed in range(self.seeds):
            found.append(run(seed))
            self.progress(until * (seed + 1) / self.seeds)
        return found

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

    def printed(
        self,
        what: str,
        paper: float,
        ours: float,
        unit: str = "",
        digits: int = 2,
        note: str = "",
        others: Mapping[str, float] | None = None,
    ) -> None:
        """Compare a number that the paper prints with ours; they agree if they differ by at most 10 %.

        `others` has our numbers under other choices that the paper leaves open. They are shown and do not count; make
        one choice for all rows of a paper, not the one that fits for each row.
        """
        agrees = abs(differs(paper, ours)) <= WITHIN
        told = [f"{choice}: {value:.{digits}f}{unit}" for choice, value in (others or {}).items()]
        note = "; ".join(filter(None, ["other choices: " + ", ".join(told) if told else "", note]))
        row = Comparison(RowKind.PRINTED, what, f"{paper:g}{unit}", f"{ours:.{digits}f}{unit}", agrees, note)
        self.comparisons.append(row)

    def shape(
        self,
        rule: Rule,
        cases: Iterable[Sequence[object]],
        over: Literal["seeds", "samples", "users", "cells"],
        paper: str,
        ours: str = "",
        note: str = "",
        of: str = "",
    ) -> None:
        """Check a statement of the paper on every case; it agrees only if the rule holds for all of them.

        A case has the arguments of the rule. `over` says what the cases are: at least 10 seeds or samples of the
        data, or all users, or all cells of a table. `paper` quotes the statement, `ours` has figures of ours, `of`
        names what the rule is about.
        """
        verdicts = [rule(*case) for case in cases]
        if len(verdicts) < (self.seeds if over in ("seeds", "samples") else 1):
            raise ValueError(f"{rule.statement!r} ran over {len(verdicts)} {over}; it needs {self.seeds}")
        held = f"{sum(verdicts)} of {len(verdicts)} {over}" + (f": {ours}" if ours else "")
        what = f"{of}: {rule.statement}" if of else rule.statement
        self.comparisons.append(Comparison(RowKind.SHAPE, what, paper, held, all(verdicts), note))

    def ours(self, what: str, value: object, paper_form: object = "", note: str = "") -> None:
        """Report a result that the paper does not have. `paper_form` is the result of the paper's form, if we ran it."""
        self.comparisons.append(Comparison(RowKind.OURS, what, str(paper_form), str(value), None, note))

    def remark(self, text: str) -> None:
        """Add a remark that belongs to no single comparison."""
        self.remarks.append(text)


def experiments(folder: Path | None = None) -> dict[str, Experiment]:
    """All experiments by name, in order; `folder` is `experiments/` of this checkout by default."""
    return {name: experiment for name, (experiment, _) in located(folder or checkout() / "experiments").items()}


def papers() -> dict[str, Paper]:
    """The papers by name, from the shared modules of the experiments of this checkout."""
    folder = checkout() / "experiments"
    located(folder)
    modules = (sys.modules[f"experiments.{path.stem}"] for path in sorted(folder.glob("*.py")))
    return {module.PAPER.name: module.PAPER for module in modules if isinstance(getattr(module, "PAPER", None), Paper)}


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


def _paper(source: str) -> str:
    return source.partition(", ")[0]


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
