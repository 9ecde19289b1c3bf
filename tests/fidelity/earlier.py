"""Plans of earlier versions of Spark beside ours: TPC-H without and TPC-DS with adaptive execution."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import Any

from planviz.catalog import Catalog, read_catalog
from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.physical.formatted import formatted
from planviz.types import StructField, parse_type
from tests.fidelity.scoreboard import CORPUS, FIRST_ID, SHARED, Score, compared_formatted, comparer, section

OLD = SHARED / "corpus" / "old"
SUITES = ("tpch", "tpcds")
#: Which captures a profile is measured against, unless others are named.
VERSIONS = {"spark-3.0": "3.0.3"}
#: The profile that is nearest to a version's own defaults, and what is set beside it.
SETTINGS: dict[str, dict[str, Any]] = {
    "3.0.3": {},
    "3.5.9": {"spark.sql.ansi.enabled": False, "spark.sql.execution.replaceHashWithSortAgg": False},
}
_UNITS = {"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}


@cache
def captured(version: str, suite: str) -> tuple[dict[str, Any], ...]:
    """The captured documents of a suite, by name of the query."""
    found = []
    for path in sorted((OLD / version / suite).glob("q*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="surrogatepass") as handle:
            found.append(json.load(handle))
    return tuple(found)


@cache
def catalog(version: str, suite: str) -> Catalog:
    """The tables of a suite. Those of TPC-H are told by the captures themselves: sizes as printed, in three digits."""
    if suite == "tpcds":
        return read_catalog(CORPUS / "catalog.json")
    explains = [d["explain"] for d in captured(version, suite)]
    types: dict[str, str] = {}
    tables: dict[str, str] = {}
    for e in explains:
        for schema in re.findall(r"ReadSchema: struct<(.*)>", e["formatted"]):
            types.update(re.findall(r"(\w+):(\w+(?:\([\d,]+\))?)", schema))
        for name, column in re.findall(r"FileScan parquet [\w.]*?(\w+)\[(\w+)#", e["simple"]):
            tables[column[: column.index("_")]] = name
    found = {}
    relation = r"Relation(?: [\w.]*)?\[([^\]]*)\] parquet, Statistics\(sizeInBytes=([\d.]+) (\w+)"
    for e in explains:
        for columns, size, unit in re.findall(relation, e["cost"]):
            names = [re.sub(r"#\d+L?$", "", c) for c in columns.split(",")]
            fields = tuple(StructField(n, parse_type(types.get(n, "string")), True) for n in names)
            table = tables[names[0][: names[0].index("_")]]
            in_bytes = int(float(size) * 2 ** _UNITS[unit])
            found[f"default.{table}"] = Table(table, fields, size_in_bytes=in_bytes)
    return Catalog(suite, found)


def execution(document: dict[str, Any], version: str, profile: str) -> QueryExecution:
    """A captured query as a profile plans it, adaptive as it was captured."""
    settings = {"spark.sql.adaptive.enabled": document["aqe"] == "on", "spark.sql.session.timeZone": "UTC"}
    config = OptimizerConfig.of(profile, **settings, **SETTINGS[version])
    return QueryExecution(document["sql"], catalog(version, document["suite"]), config)


def measure(stage: str, suite: str, version: str, profile: str) -> Score:
    """The score of one stage over the captured queries of a suite."""
    score = Score(f"{stage} {suite}")
    for document in captured(version, suite):
        name = document["query"]
        score.total += 1
        try:
            with fresh_ids(FIRST_ID):
                planned = execution(document, version, profile)
                text = (
                    formatted(planned.physical, planned.config.behaviour)
                    if stage == "formatted"
                    else planned.text(stage)
                )
        except PlanvizError as e:
            score.differences.append((name, f"error {e}"))
            continue
        pair = (_comparable(text.rstrip("\n")), _comparable(section(document, stage)))
        result = compared_formatted(*pair) if stage == "formatted" else comparer().compare(*pair)
        score.shape += result["shape_equal"]
        score.text += result["text_equal"]
        if not result["shape_equal"]:
            score.differences.append((name, f"shape: {result.get('first_shape_diff', result['first_text_diff'])}"))
        elif not result["text_equal"]:
            score.differences.append((name, f"{result['first_text_diff']}"))
    return score


def _comparable(text: str) -> str:
    """Without tables' names, which 3.0 does not print in logical plans; a brand's name is no column's number."""
    return re.sub(r"\bRelation [\w.]+\[", "Relation[", text).replace("Brand#", "Brand ")
