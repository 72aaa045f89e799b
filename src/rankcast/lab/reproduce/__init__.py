"""Runs the experiments. Each reproduces one table or figure of a paper and leaves numbers, a picture and a verdict.

A module in `experiments/` describes itself by `EXPERIMENT`. Its `run` receives an `ExperimentReport`. It adds tables
and figures to the report, and one comparison for each number of the paper. Results are stored under
`out/experiments/NAME` with a fingerprint of the code, so that an interrupted ``rankcast reproduce all`` continues
where it stopped.
"""

from rankcast.lab.reproduce.experiments import Comparison, Experiment, ExperimentReport, Result, experiments
from rankcast.lab.reproduce.gallery import GalleryPicture, gallery
from rankcast.lab.reproduce.page import document
from rankcast.lab.reproduce.running import reproduce

__all__ = [
    "Comparison",
    "Experiment",
    "ExperimentReport",
    "GalleryPicture",
    "Result",
    "document",
    "experiments",
    "gallery",
    "reproduce",
]
