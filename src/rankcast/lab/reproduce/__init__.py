"""Running the experiments: one file per table or figure of a paper, each leaving numbers, a picture and a verdict.

A module in `experiments/` describes itself by `EXPERIMENT`. Its `run` gets a `ExperimentReport`, to which it hands tables,
figures, and one line for each figure of the paper that it meets or misses. What a run leaves is kept under
`out/experiments/NAME` with a fingerprint of the code, so that an interrupted ``rankcast reproduce all`` goes on
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
