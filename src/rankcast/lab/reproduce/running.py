"""Runs experiments one after the other; skips those that have results of the same code."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

import msgspec

from rankcast.errors import RankcastError, did_you_mean
from rankcast.lab.reproduce.experiments import Experiment, ExperimentReport, Result, checkout, located
from rankcast.lab.reproduce.fingerprint import fingerprint

__all__ = ["reproduce"]


def reproduce(
    names: Sequence[str],
    out: Path,
    on_progress: Callable[[str, float], None] = lambda name, share: None,
    again: bool = False,
    folder: Path | None = None,
) -> Iterator[Result]:
    """Run experiments by name (`["all"]` for all); skip those that have a result of the same code under `out`."""
    folder = folder or checkout() / "experiments"
    known = located(folder)
    chosen = list(known) if list(names) == ["all"] else list(names)
    for name in chosen:
        if name not in known:
            raise RankcastError(
                f"there is no experiment {name!r}{did_you_mean(name, known)} (see: rankcast reproduce --list)"
            )
    roots = (folder, Path(__file__).parents[2])
    for name in chosen:
        experiment, module = known[name]
        yield _run(experiment, out / name, fingerprint(module, roots), on_progress, again)


def _run(
    experiment: Experiment, folder: Path, code: str, on_progress: Callable[[str, float], None], again: bool
) -> Result:
    summary = folder / "result.json"
    kept = None if again else _kept(summary)
    if kept is not None and kept.fingerprint == code:
        on_progress(experiment.name, 1.0)
        return kept
    folder.mkdir(parents=True, exist_ok=True)
    report = ExperimentReport(folder, lambda share: on_progress(experiment.name, share))
    start = perf_counter()
    experiment.run(report)
    result = Result(
        name=experiment.name,
        title=experiment.title,
        source=experiment.source,
        seconds=round(perf_counter() - start, 2),
        fingerprint=code,
        comparisons=report.comparisons,
        files=report.files,
        remarks=report.remarks,
    )
    summary.write_bytes(msgspec.json.format(msgspec.json.encode(result)))
    on_progress(experiment.name, 1.0)
    return result


def _kept(summary: Path) -> Result | None:
    """The result of an earlier run; None if there is none, or if a former version wrote it in another form."""
    try:
        return msgspec.json.decode(summary.read_bytes(), type=Result)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
