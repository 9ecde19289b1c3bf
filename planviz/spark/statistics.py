"""Statistics of real tables as planviz-catalog/1 entries: the numbers of Spark's ANALYZE, by one aggregate or by it.

The aggregate only reads, and takes views and folders of Parquet, too; its functions and their accuracy are those of
ANALYZE, so the numbers are the same. It takes so many columns at once that memory stays small however wide a table is;
column formats read each column once all the same. Histograms take a pass of their own for the ends of their bins, as
in Spark. ANALYZE itself (`exact`) writes to the table's catalogue, and takes tables alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, cast

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.plantext.estimates import parse_size
from planviz.spark.columns import ORDERED, TEXTS, Column
from planviz.spark.exact import analyze_exactly
from planviz.spark.histograms import ends_of, histogram_of, selected
from planviz.spark.jobs import counting_tasks
from planviz.spark.jvm import JavaObject, class_name, estimate, jvm_of, module
from planviz.spark.sampling import Sample, distinct_in_sample, fraction_of
from planviz.types import quote
from planviz.types.values import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame

_ONE_PASS, _ONE_PASS_WITH_HISTOGRAMS = 100, 25
_STATISTICS = re.compile(r"Statistics\(sizeInBytes=([\d.E+]+) (\w+)")


@dataclass(frozen=True)
class Way:
    """How to count: `exact` with ANALYZE, `histograms` too, `sample` a share (0.01) or a number of rows (100000)."""

    exact: bool = False
    histograms: bool = False
    sample: str = ""


def table_names(session: SparkSession, patterns: list[str]) -> list[str]:
    """The tables and views that patterns name: `orders`, `sales.*`, `*`. Raises InputError for one that names none."""
    found: dict[str, None] = {}
    for pattern in patterns:
        database, _, name = pattern.rpartition(".")
        listed = session.catalog.listTables(database) if database else session.catalog.listTables()
        # Spark lists temporary views with every database.
        names = [
            t.name for t in listed if fnmatchcase(t.name.lower(), name.lower()) and not (database and t.isTemporary)
        ]
        if not names:
            raise InputError(f"No table is called {pattern}. Give names or patterns such as sales.* or *.")
        found |= dict.fromkeys(f"{database}.{n}" if database else n for n in names)
    return list(found)


def analyze_table(
    session: SparkSession, name: str, way: Way | None = None, progress: Callable[[str], None] = lambda at: None
) -> dict[str, object]:
    """One table's entry: columns with types, provider, partition columns, rows, bytes, and its columns' statistics.

    The session's time zone must be UTC. `progress` is told tasks done and known. Raises InputError for a way that the
    table does not allow.
    """
    way = way or Way()
    quoted = ".".join(map(quote, name.split(".")))
    frame = session.table(quoted)
    fields = [(f.name, f.dataType.simpleString(), f.nullable) for f in frame.schema.fields]
    known = [Column(n, quote(n), kind, kind.split("(")[0]) for n, kind, _ in fields]
    known = [c for c in known if c.kind in ORDERED + TEXTS]
    told = f"counting {name}"
    if way.exact:
        if way.sample:
            raise InputError("ANALYZE counts every row: give either --exact or --sample.")
        with counting_tasks(session, told, progress):
            stats = analyze_exactly(session, quoted, known, way.histograms)
    else:
        with counting_tasks(session, told, progress):
            stats = _counted(session, frame, known, way)
        size = _size(session, frame)
        stats |= {} if size is None else {"sizeInBytes": size}
    return {
        "provider": _provider(session, quoted),
        "columns": [{"name": n, "type": kind, "nullable": nullable} for n, kind, nullable in fields],
        "partition_columns": _partition_columns(session, frame, quoted),
        "stats": {**stats, "analyzedAt": datetime.now(UTC).isoformat(timespec="seconds")},
    }


def _counted(session: SparkSession, frame: DataFrame, columns: list[Column], way: Way) -> dict[str, object]:
    """Rows and the columns' statistics by aggregates, over all rows or over a sample."""
    if way.histograms and not hasattr(frame, "_jdf"):
        raise InputError("Over Spark Connect histograms need --exact: the function behind them is not in SQL.")
    sample = None
    if way.sample:
        rows = frame.count()
        sample = Sample(rows, fraction_of(way.sample, rows))
        frame = frame.sample(fraction=sample.fraction, seed=1)
    at_once = _ONE_PASS_WITH_HISTOGRAMS if way.histograms else _ONE_PASS
    found: dict[str, object] = {}
    counted = 0
    for start in range(0, max(len(columns), 1), at_once):
        some = columns[start : start + at_once]
        counted, entries = _pass(session, frame, some, way.histograms)
        if sample is not None:
            distinct = distinct_in_sample(frame, [c.quoted for c in some])
            entries = {n: sample.scaled(e, counted, d) for (n, e), d in zip(entries.items(), distinct, strict=True)}
        found |= entries
    if sample is not None:
        return {"rowCount": sample.rows, "sampledRows": counted, "columns": found}
    return {"rowCount": counted, "columns": found}


def _pass(session: SparkSession, frame: DataFrame, columns: list[Column], histograms: bool) -> tuple[int, JsonObject]:
    """Rows and entries of some columns."""
    ends = ends_of(session, frame, columns) if histograms else {}
    error = str(session.conf.get("spark.sql.statistics.ndv.maxError"))
    parts = ["count(1)", *(part for c in columns for part in _parts(c, error))]
    asked = [f"{part} AS c{at}" for at, part in enumerate(parts)]
    values: Iterator[Value] = iter(selected(frame, asked, columns, ends, float(error)).collect()[0])
    rows: int = next(values)
    entries = {c.name: _entry(c, rows, [next(values) for _ in range(6)]) for c in columns}
    for c in columns:
        if c.name in ends:
            there = rows - entries[c.name]["nullCount"]
            entries[c.name]["histogram"] = histogram_of(ends[c.name], next(values), there)
    return rows, entries


def _parts(column: Column, error: str) -> list[str]:
    """The six aggregates of a column: distinct values, those that are not null, smallest, largest, lengths."""
    c = column.quoted
    ends = (f"cast(min({c}) AS string)", f"cast(max({c}) AS string)") if column.ordered else ("null", "null")
    lengths = ("null", "null") if column.ordered else (f"avg(length({c}))", f"max(length({c}))")
    return [f"approx_count_distinct({c}, {error}D)", f"count({c})", *ends, *lengths]


def _entry(column: Column, rows: int, values: list[Value]) -> JsonObject:
    distinct, there, low, high, average, longest = values
    lengths = (column.width,) * 2 if average is None else (-int(-average // 1), longest)
    found = {"distinctCount": min(distinct, there), "nullCount": rows - there}
    if low is not None:
        found |= {"min": low, "max": high}
    return found | {"avgLen": lengths[0], "maxLen": lengths[1]}


def _files(session: SparkSession, frame: DataFrame) -> JavaObject:
    """Spark's HadoopFsRelation of a table or view that is nothing but files; None for others and over Connect."""
    if not hasattr(frame, "_jdf"):
        return None
    plan = frame._jdf.queryExecution().optimizedPlan()
    relation = plan.relation() if class_name(jvm_of(session), plan) == "LogicalRelation" else None
    return relation if relation is not None and class_name(jvm_of(session), relation) == "HadoopFsRelation" else None


def _partition_columns(session: SparkSession, frame: DataFrame, quoted: str) -> list[str]:
    """What a table's files lie in folders by; a view of files knows it, too, though Spark's catalogue does not."""
    files = _files(session, frame)
    if files is not None:
        return list(files.partitionSchema().fieldNames())
    return [column.name for column in session.catalog.listColumns(quoted) if column.isPartition]


def _size(session: SparkSession, frame: DataFrame) -> int | None:
    """Bytes of the files, as the planner counts them (over Spark Connect to two digits or more, as it prints them).

    Partitions in Spark's catalogue are listed, for until they were analyzed the planner does not know. None: unknown.
    """
    if not hasattr(frame, "_jdf"):
        found = _STATISTICS.search(str(cast("ConnectFrame", frame)._explain_string(mode="cost")))
        return parse_size(found[1], found[2]) if found and found[2] != "EiB" else None
    files = _files(session, frame)
    if files is not None:
        location = files.location()
        if class_name(jvm_of(session), location) == "CatalogFileIndex":
            location = location.filterPartitions(module(jvm_of(session).scala.collection.immutable, "Nil"))
        return int(str(location.sizeInBytes()))
    return estimate(frame._jdf.queryExecution().optimizedPlan())[1]


def _provider(session: SparkSession, quoted: str) -> str:
    rows = session.sql(f"DESCRIBE EXTENDED {quoted}").where("col_name = 'Provider'").collect()
    return str(rows[0]["data_type"]).lower() if rows else "parquet"
