"""TPC-DS over partitioned fact tables, beside what Spark 4.3 printed."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import Any

from planviz.catalog import Catalog, read_catalog
from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from tests.fidelity.scoreboard import FIRST_ID, HEADINGS, SHARED, Score, comparer, section

FOLDER = SHARED / "corpus" / "tpcds-partitioned"
#: `suite` has CHAR and VARCHAR columns and the settings of Spark's own plan tests.
MODES = ("nocbo-aqeoff", "nocbo-aqeon", "cbo-aqeoff", "cbo-aqeon", "suite-aqeoff")
_COST_BASED = ("spark.sql.cbo.enabled", "spark.sql.cbo.planStats.enabled", "spark.sql.cbo.joinReorder.enabled")
_SUITE = {
    "spark.sql.shuffle.partitions": 5,
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
    "spark.sql.readSideCharPadding": False,
    "spark.sql.legacy.noCharPaddingInPredicate": True,
}


@cache
def catalog(mode: str) -> Catalog:
    """The catalogue that a mode was captured over."""
    return read_catalog(FOLDER / ("catalog_char.json" if mode.startswith("suite") else "catalog.json"))


def config(mode: str) -> OptimizerConfig:
    """The settings of a mode."""
    settings: dict[str, Any] = dict.fromkeys(_COST_BASED, not mode.startswith("nocbo"))
    suite = _SUITE if mode.startswith("suite") else {}
    return OptimizerConfig().with_settings({**settings, **suite, "spark.sql.adaptive.enabled": mode.endswith("aqeon")})


def captures(mode: str) -> list[dict[str, Any]]:
    """The captured documents of a mode, by name of the query."""
    files = sorted((FOLDER / "captures" / mode).glob("q*.json.gz"))
    return [json.loads(gzip.decompress(file.read_bytes())) for file in files]


def measure(mode: str, only: tuple[str, ...] = ()) -> dict[str, Score]:
    """The scores of the stages of a mode over all queries, or over those named."""
    scores = {stage: Score(stage) for stage in HEADINGS if stage != "parsed"}
    for document in captures(mode):
        if only and document["query"] not in only:
            continue
        with fresh_ids(FIRST_ID):
            planned = QueryExecution(document["sql"], catalog(mode), config(mode))
            for stage, score in scores.items():
                _count(score, document, stage, planned)
    return scores


def _count(score: Score, document: dict[str, Any], stage: str, planned: QueryExecution) -> None:
    score.total += 1
    try:
        text = _placeless(planned.text(stage).rstrip("\n"))
    except PlanvizError as error:
        score.differences.append((document["query"], f"error {error}"))
        return
    result = comparer().compare(text, _placeless(section(document, stage)))
    score.shape += result["shape_equal"]
    score.text += result["text_equal"]
    if not result["text_equal"]:
        score.differences.append((document["query"], str(result["first_text_diff"])))


def _placeless(text: str) -> str:
    """A plan's text without where its files lie: the tables of the `suite` mode have no partitions, so no paths."""
    return re.sub(r"InMemoryFileIndex\(\d+ paths\)\[[^\]]*\]", "InMemoryFileIndex", text)
