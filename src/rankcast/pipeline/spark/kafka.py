"""Kafka as the source of events, through Spark's own connector.

Spark records the offsets of each micro-batch in the checkpoint, so a repeated micro-batch has the same messages.
Rankcast also records the id of the topic, so that a topic that was deleted and created again is detected.
"""

import json
import os
import re
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from rankcast.errors import EnvironmentProblem, ModelError, StoreError
from rankcast.pipeline.kafka_security import explain_refusal
from rankcast.pipeline.spark.checkpoints import is_begun, keep_line, kept_line
from rankcast.pipeline.spark.failures import names_in
from rankcast.pipeline.spark.workers import WRITTEN
from rankcast.pipeline.topics import Topic

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
JARS = "RANKCAST_KAFKA_JARS"
"""The environment variable with a folder that contains the connector's jars."""

_KEPT = "rankcast-topic"


def connector_settings() -> dict[str, str]:
    """The settings that a new session needs for Kafka.

    Spark downloads the connector from Maven Central once, unless RANKCAST_KAFKA_JARS names a folder that contains it.
    """
    import pyspark

    folder = os.environ.get(JARS)
    if folder is None:
        return {"spark.jars.packages": f"{CONNECTOR}:{pyspark.__version__}"}
    jars = sorted(Path(folder).absolute().glob("*.jar"))
    if not jars:
        raise EnvironmentProblem(f"there are no jars in {folder!r}, which {JARS} names; put the connector there")
    return {"spark.jars": ",".join(map(str, jars))}


def read_topic(spark: SparkSession, topic: Topic, start: str = "earliest", max_events: int | None = None) -> DataFrame:
    """The messages of a topic as a stream.

    The columns are `json` (bytes), `file` and `line` (the position of the message), and the time at which it was
    written to the topic (`rankcast.pipeline.spark.workers.WRITTEN`).

    Parameters
    ----------
    start
        Where a new checkpoint begins: "earliest", "latest", or a time ("2004-02-13T20:05:00Z").
    max_events
        The maximum number of messages per micro-batch; by default all available ones.

    The stream fails if messages were deleted before they were read.
    """
    reader = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", topic.servers)
        .option("subscribe", topic.name)
        .option("failOnDataLoss", "true")
        .option("kafka.isolation.level", "read_committed")
        .option("includeHeaders", "false")
    )
    for name, value in topic.security.for_spark().items():
        reader = reader.option(f"kafka.{name}", value)
    if start in ("earliest", "latest"):
        reader = reader.option("startingOffsets", start)
    else:
        reader = reader.option("startingTimestamp", _milliseconds(start)).option(
            "startingOffsetsByTimestampStrategy", "latest"
        )
    if max_events is not None:
        reader = reader.option("maxOffsetsPerTrigger", max_events)
    try:
        messages = reader.load()
    except AnalysisException as error:
        raise explain(error, topic) or error from None
    place = f.concat(f.lit(f"topic {topic.name}, partition "), f.col("partition").cast("string"))
    return messages.select(
        f.col("value").alias("json"),
        place.alias("file"),
        f.col("offset").alias("line"),
        f.col("timestamp").alias(WRITTEN),
    )


def knows_topic(spark: SparkSession, checkpoint: str | os.PathLike[str]) -> bool:
    """Whether a checkpoint has recorded a topic."""
    return kept_line(spark, checkpoint, _KEPT) is not None


def check_topic(spark: SparkSession, topic: Topic, checkpoint: str | os.PathLike[str]) -> None:
    """Check that the topic exists and is the one that the checkpoint started with. A new checkpoint records it."""
    found = topic.found()
    place = os.fspath(checkpoint)
    line = kept_line(spark, checkpoint, _KEPT)
    if line is None:
        if is_begun(spark, checkpoint):
            raise StoreError(
                f"the checkpoint {place!r} is of a pipeline that reads the store's own log, not a topic; use another"
            )
        keep_line(spark, checkpoint, _KEPT, json.dumps({"name": topic.name, "id": found.id}))
        return
    kept = json.loads(line)
    if kept["name"] != topic.name:
        raise StoreError(
            f"the checkpoint {place!r} is of the topic {kept['name']!r}, not {topic.name!r}; use another checkpoint"
        )
    if kept["id"] != found.id:
        raise StoreError(
            f"the topic {topic.name!r} was deleted and made anew since the checkpoint {place!r} began: its offsets "
            "mean other messages now. Start with a new checkpoint and a store that has not served the old topic"
        )


def explain(error: BaseException, topic: Topic) -> StoreError | EnvironmentProblem | ModelError | None:
    """The meaning of a failure of Spark's connector and what to do; None if there is nothing to add."""
    text = str(error)
    names = names_in(text)
    if {"DATA_SOURCE_NOT_FOUND", "KAFKA_DATA_SOURCE_NOT_ENABLED"} & names.keys():
        import pyspark

        return EnvironmentProblem(
            f"this Spark has no connector to Kafka; start it with --packages {CONNECTOR}:{pyspark.__version__}, or name a folder "
            f"with its jars in {JARS}"
        )
    if {"KAFKA_DATA_LOSS", "OffsetOutOfRangeException"} & names.keys():
        return StoreError(
            f"messages of the topic {topic.name!r} are gone that the pipeline has not read: they were deleted (retention?), or the "
            f"topic was made anew. Nothing was skipped. ({_gist(text)})"
        )
    if "UnknownTopicOrPartitionException" in names:
        return EnvironmentProblem(f"there is no topic {topic.name!r} at {topic.servers} any more")
    if found := names.get("SaslAuthenticationException") or names.get("SslAuthenticationException"):
        return explain_refusal(text[found.start() :].split("\n")[0], topic.servers, topic.security)
    if "org.apache.kafka.common.errors.TimeoutException" in text:
        return EnvironmentProblem(
            f"Kafka at {topic.servers} did not answer in time for the topic {topic.name!r}; is it there?"
        )
    return None


def _gist(text: str) -> str:
    """The sentence of a long error that names the offsets."""
    found = re.search(r"(?m:(?<=^Reason: ).*$)|[^.\n]*offset was changed[^\n.]*", text)
    return " ".join((found[0] if found else text.splitlines()[0]).split())[:300]


def _milliseconds(text: str) -> str:
    from rankcast.language import parse_time

    return str(int(parse_time(text).timestamp() * 1000))
