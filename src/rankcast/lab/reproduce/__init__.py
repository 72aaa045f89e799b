"""Runs the experiments. Each reproduces one table or figure of a paper and leaves numbers, a picture and a verdict.

A module in `experiments/` describes itself by `EXPERIMENT`. Its `run` receives an `ExperimentReport`. It adds tables,
figures and rows to the report. A row is a number that the paper prints (`report.printed`), a statement of the paper
with a `Rule` that can fail (`report.shape`), or ours alone (`report.ours`). Results are stored under
`out/experiments/NAME` with a fingerprint of the code, so that an interrupted ``rankcast reproduce all`` continues
where it stopped.
"""

from rankcast.lab.reproduce.experiments import Experiment, ExperimentReport, Paper, Result, experiments, papers
from rankcast.lab.reproduce.gallery import GalleryPicture, gallery
from rankcast.lab.reproduce.page import document
from rankcast.lab.reproduce.rows import Comparison, RowKind, Rule, headline
from rankcast.lab.reproduce.running import reproduce

__all__ = [
    "Comparison",
    "Experiment",
    "ExperimentReport",
    "GalleryPicture",
    "Paper",
    "Result",
    "RowKind",
    "Rule",
    "document",
    "experiments",
    "gallery",
    "headline",
    "papers",
    "reproduce",
]
