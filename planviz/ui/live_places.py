"""Which Sparks, folders and settings the Live page may use: those that whoever starts the server has named.

A visitor names none: a setting can run a program or write a file, a master's address sends requests, a folder is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from planviz.settings import SETTINGS

#: Carry what `planviz serve --live-master --live-data --live-conf` said to the pages, one a line.
MASTERS, FOLDERS, CONF = "PLANVIZ_LIVE_MASTERS", "PLANVIZ_LIVE_DATA", "PLANVIZ_LIVE_CONF"
#: This machine's Spark, which is always there.
LOCAL = "local[*]"
#: How much memory a Spark of this machine may be given.
MEMORY = ("1g", "2g", "4g", "8g")
#: Settings of the session that a visitor may change beside those that planviz plans with.
_MORE = frozenset(
    {
        "spark.sql.adaptive.advisoryPartitionSizeInBytes",
        "spark.sql.adaptive.autoBroadcastJoinThreshold",
        "spark.sql.adaptive.coalescePartitions.enabled",
        "spark.sql.adaptive.coalescePartitions.initialPartitionNum",
        "spark.sql.adaptive.coalescePartitions.minPartitionSize",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst",
        "spark.sql.adaptive.forceOptimizeSkewedJoin",
        "spark.sql.adaptive.localShuffleReader.enabled",
        "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold",
        "spark.sql.adaptive.skewJoin.enabled",
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor",
        "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes",
        "spark.sql.codegen.wholeStage",
        "spark.sql.execution.sortBeforeRepartition",
        "spark.sql.files.maxPartitionBytes",
        "spark.sql.files.openCostInBytes",
        "spark.sql.orc.filterPushdown",
        "spark.sql.parquet.aggregatePushdown",
        "spark.sql.parquet.enableVectorizedReader",
        "spark.sql.parquet.filterPushdown",
        "spark.sql.statistics.histogram.enabled",
    }
)
ALLOWED = frozenset(key for key in SETTINGS if key.startswith("spark.sql.")) | _MORE


def masters() -> tuple[str, ...]:
    """The addresses of the Sparks that are offered, this machine's first."""
    return tuple(dict.fromkeys((LOCAL, *_lines(MASTERS))))


def folders() -> dict[str, str]:
    """The folders of Parquet that are offered: name and path."""
    return {Path(path).name or path: path for path in _lines(FOLDERS)}


def conf() -> dict[str, str]:
    """The settings that every Spark of this server gets: lines of `KEY=VALUE`."""
    return {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in _lines(CONF))}


def said(values: Iterable[str]) -> str:
    """What goes into one of the variables."""
    return "\n".join(values)


def _lines(variable: str) -> list[str]:
    return [line.strip() for line in os.environ.get(variable, "").splitlines() if line.strip()]
