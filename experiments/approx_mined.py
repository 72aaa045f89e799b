"""Mined concepts: their number, coverage and stability, and a comparison with Spark ML's k-means."""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from experiments.approx_common import uniform
from matplotlib.figure import Figure

from rankcast.fuzzy import MiningResult, NumberSummary, batch_degree, mine
from rankcast.fuzzy.picture import draw_concepts
from rankcast.lab.datasets import auction_items_table, auctions_table, listings_table, rentals_table
from rankcast.lab.reproduce import Experiment, ExperimentReport

SETS: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
    "apartments for sale": (listings_table, ("price", "size")),
    "apartments for rent": (rentals_table, ("price", "size")),
    "eBay items": (auction_items_table, ("first_bid", "seller_rating")),
    "eBay bids": (auctions_table, ("bid", "price")),
}
SAMPLES = 5


def run(report: ExperimentReport, samples: int = SAMPLES, on_spark: bool = True) -> None:
    """Mine concepts from Spark's summaries, then again from random samples with replacement."""
    summarise = _by_spark() if on_spark else _here
    figure = Figure(figsize=(12, 3.1 * len(SETS)), layout="constrained")
    grid = figure.subplots(len(SETS), 2)
    rows, concepts, seconds = [], [], 0.0
    for number, (name, (table, attributes)) in enumerate(SETS.items()):
        data = table()
        for place, attribute in enumerate(attributes):
            begin = perf_counter()
            found = mine(summarise(data, attribute))
            took = perf_counter() - begin
            seconds += took if number == 0 else 0.0
            values = np.array([x for x in data.column(attribute).to_pylist() if x is not None], dtype=float)
            lowest = _coverage(found, values)
            same, worst = _stability(found, values, samples)
            rows.append(
                (
                    name,
                    attribute,
                    len(values),
                    len(found.summary.buckets),
                    len(found.concepts),
                    round(1 - found.unexplained[len(found.concepts) - 1], 3),
                    round(lowest, 4),
                    same,
                    round(worst, 4),
                    round(_kmeans(found), 4) if on_spark and number == 0 else "",
                )
            )
            concepts += [(name, attribute, c.name, c.membership.points()) for c in found.concepts]
            draw_concepts(grid[number][place], found, f"{name}, {len(values):,}")
            report.progress((number + (place + 1) / len(attributes)) / len(SETS))
    report.table(
        "mined",
        [
            "data",
            "attribute",
            "values",
            "buckets",
            "concepts",
            "explained",
            "least highest degree",
            f"same count in {samples} samples",
            "worst shift of a border",
            "k-means: spread over the best",
        ],
        rows,
    )
    report.table("concepts", ["data", "attribute", "concept", "corners"], concepts)
    report.figure("mined", figure)
    price = [row for row in concepts if row[0] == "apartments for sale" and row[1] == "price"]
    names = ", ".join(row[2] for row in price)
    report.ours(
        "concepts of a price", names, note="the paper's example: cheap, fair, expensive, or four with luxurious"
    )
    report.ours("least degree of any value in its best concept", f"{min(row[6] for row in rows):g}")
    flats = [row for row in rows if row[0] == "apartments for sale"]
    report.ours(
        "price and size of the apartments, resampled: the same number of concepts",
        f"{min(row[7] for row in flats)} of {samples} samples, borders move by at most {max(row[8] for row in flats):.1%}",
    )
    if on_spark:
        report.ours("seconds for price and size of 50,000 apartments, Spark's start apart", f"{seconds:.1f}")
        report.remark(
            "Mining finds the optimal division directly. For the apartments for sale, the last column of mined.csv "
            "compares it with Spark ML's k-means (k-means||, one seed, same weighted buckets, same number of "
            "clusters): the variance within k-means' clusters, as a multiple of the optimum."
        )


def _coverage(found: MiningResult, values: np.ndarray) -> float:
    return float(np.max([batch_degree(concept.membership, (), values) for concept in found.concepts], axis=0).min())


def _stability(found: MiningResult, values: np.ndarray, samples: int) -> tuple[int, float]:
    """The number of samples with the same number of concepts, and the largest relative shift of a border."""
    same, worst = 0, 0.0
    for sample in range(samples):
        random = np.random.default_rng(int(uniform("sample", found.summary.attribute, sample) * 2**32))
        again = mine(NumberSummary.of(found.summary.attribute, random.choice(values, len(values)).tolist()))
        if len(again.concepts) == len(found.concepts):
            same += 1
            pairs = zip(found.clusters[:-1], again.clusters[:-1], strict=True)
            worst = max(worst, *(abs(new.high - old.high) / abs(old.high) for old, new in pairs))
    return same, worst


def _here(data: object, attribute: str) -> NumberSummary:
    return NumberSummary.of(attribute, data.column(attribute).to_pylist())


def _by_spark() -> Callable[[object, str], NumberSummary]:
    from rankcast.pipeline.spark import local_session, summarise

    session = local_session()
    return lambda data, attribute: summarise(session.createDataFrame(data.select(["id", "time", attribute])), attribute)


def _kmeans(found: MiningResult) -> float:
    """The variance within the clusters of Spark ML's k-means, divided by that of the optimal division."""
    from pyspark.ml.clustering import KMeans
    from pyspark.ml.linalg import Vectors

    from rankcast.pipeline.spark import local_session

    assert found.scale is not None
    points = [(found.scale.place(x), float(weight)) for x, weight in found.summary.points()]
    frame = local_session().createDataFrame(
        [(Vectors.dense(x), weight) for x, weight in points], ["features", "weight"]
    )
    count = len(found.concepts)
    model = KMeans(k=count, seed=1, maxIter=100, tol=1e-6, weightCol="weight").fit(frame.coalesce(1))
    centres = [float(centre[0]) for centre in model.clusterCenters()]
    left = sum(weight * min((x - centre) ** 2 for centre in centres) for x, weight in points)
    mean = sum(x * weight for x, weight in points) / sum(weight for _, weight in points)
    whole = sum(weight * (x - mean) ** 2 for x, weight in points)
    return left / whole / found.unexplained[count - 1]


EXPERIMENT = Experiment("approx_mined", "Mined concepts, drawn", "A-ToPSS (VLDB 2004), section 3", run, is_timed=True)
