"""The tables that a live Spark plans with: those of a planviz catalogue, empty, with its statistics; and real data.

Tables are made once for all tasks that name the same ones (`made_by`), in a catalogue that no other task sees.
"""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from planviz.catalog.files import read_catalog
from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Catalog, Table
from planviz.errors import InputError
from planviz.spark.jvm import JavaObject, jvm_of, module
from planviz.spark.safety import check_functions, check_with_spark, queries_of
from planviz.types import TIMESTAMP, TIMESTAMP_NTZ, quote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The statistics of the tables in a folder of Parquet, where there is such a file.
STATISTICS = "catalog.json"
_lock = threading.Lock()


def made_by(catalog: str | None, folder: str | None) -> str:
    """A name for the tables that a catalogue's text and a folder make, the same for the same tables; "" for none."""
    statistics = _statistics_of(Path(folder)) if folder else None
    parts = [catalog or "", f"{folder}\0{statistics.stat().st_mtime_ns}" if statistics is not None else ""]
    return sha256("\0".join(parts).encode()).hexdigest() if any(parts) else ""


def register_catalog(session: SparkSession, text: str) -> None:
    """Make the tables and views of a planviz-catalog/1 text; statistics count as if they had been measured."""
    catalog: Catalog = read_catalog(text)
    for table in [_checked(table) for table in catalog.tables.values()]:
        _make(session, table)
    for view in catalog.views.values():
        for query in queries_of(view.sql):
            check_functions(session, query)
        check_with_spark(jvm_of(session), session._jsparkSession, view.sql)
        columns = f"({', '.join(map(quote, view.columns))})" if view.columns else ""
        session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {quote(view.name)} {columns} AS {view.sql}")


def _make(session: SparkSession, table: Table, folder: Path | None = None) -> None:
    """Make a table with its statistics, empty or of a folder's files, unless a task before has made it."""
    name = f"{quote(table.database)}.{quote(table.name)}"
    with _lock:
        if session.catalog.tableExists(name):
            return
        session.sql(f"CREATE DATABASE IF NOT EXISTS {quote(table.database)}")
        try:
            session.sql(_definition(name, table, folder))
            if folder is not None and table.partition_columns:
                session.sql(f"ALTER TABLE {name} RECOVER PARTITIONS")
            _inject(session, name, table)
        except Exception:
            session.sql(f"DROP TABLE IF EXISTS {name}")
            raise


def register_data(session: SparkSession, folder: str) -> list[str]:
    """Make every Parquet file or folder of a folder a temporary view of its name; the names.

    Those of which the folder's own catalogue has statistics become tables with these. Raises InputError when there is
    none.
    """
    root = Path(folder)
    found = sorted(p for p in (root.iterdir() if root.is_dir() else ()) if _is_parquet(p))
    if not found:
        raise InputError(f"{folder} holds no Parquet tables: files or folders named as the tables are.")
    statistics = _statistics_of(root)
    known = read_catalog(statistics).tables if statistics is not None else {}
    for path in found:
        table = known.get(f"default.{path.stem}")
        if table is not None:
            _make(session, _checked(table), path)
        else:
            session.read.parquet(str(path)).createOrReplaceTempView(quote(path.stem))
    return [path.stem for path in found]


def _statistics_of(folder: Path) -> Path | None:
    path = folder / STATISTICS
    return path if path.is_file() else None


def _is_parquet(path: Path) -> bool:
    if path.is_dir():
        return next(path.rglob("*.parquet"), None) is not None
    return path.suffix == ".parquet"


#: Formats that a table may be made of. Others can connect, start something or read what a text names (jdbc, text, ...).
PROVIDERS = frozenset({"parquet", "orc", "json", "csv", "avro", "delta", "iceberg", "hudi", "paimon"})


def _checked(table: Table) -> Table:
    """The table itself. Raises InputError for a format that is not on the list and a name that Spark does not take."""
    if table.provider.lower() not in PROVIDERS:
        raise InputError(
            f"The table {table.name[:60]} is made of {table.provider[:60]!r}; a live Spark is given only tables of "
            f"{', '.join(sorted(PROVIDERS))}."
        )
    for name in (table.database, table.name):
        if not re.fullmatch(r"\w+", name):
            raise InputError(f"{name[:60]!r} is no name of a table or database in Spark: letters, digits and _ are.")
    return table


def _definition(name: str, table: Table, folder: Path | None) -> str:
    columns = ", ".join(f"{quote(c.name)} {c.data_type.sql}{'' if c.nullable else ' NOT NULL'}" for c in table.columns)
    parts = f" PARTITIONED BY ({', '.join(map(quote, table.partition_columns))})" if table.partition_columns else ""
    place = f" LOCATION {_text(str(folder))}" if folder is not None else ""
    return f"CREATE TABLE {name} ({columns}) USING {table.provider}{parts}{place}"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


# Spark has no statement that sets statistics. Its catalogue takes them as an object, whose numbers are Scala's BigInt;
# py4j would cut those to 64 bits, so they are made on the other side, from text, by what reads stored statistics.


def _inject(session: SparkSession, name: str, table: Table) -> None:
    jvm = jvm_of(session)
    catalog = session._jsparkSession.sessionState().catalog()
    identifier = session._jsparkSession.sessionState().sqlParser().parseTableIdentifier(name)
    columns = jvm.java.util.HashMap()
    for column, stats in table.column_stats:
        if table.type_of(column) in (TIMESTAMP, TIMESTAMP_NTZ):
            stats = replace(stats, min=_microseconds(stats.min), max=_microseconds(stats.max))
        columns.put(column, _stored(jvm, table.name, column, stats))
    rows = jvm.scala.Option.empty() if table.row_count is None else _number(jvm, table.row_count)
    size = table.size_in_bytes
    if size is None:
        # An empty folder would count as 0 bytes; what Spark takes for a size that is not known is its largest number.
        size = 2**63 - 1
    arguments = jvm.java.util.ArrayList()
    arguments.addAll(jvm.scala.jdk.javaapi.CollectionConverters.asJava(_number(jvm, size).toList()))
    arguments.add(rows)
    arguments.add(jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(columns))
    kind = jvm.java.lang.Class.forName("org.apache.spark.sql.catalyst.catalog.CatalogStatistics")
    catalog.alterTableStats(identifier, jvm.scala.Some(kind.getConstructors()[0].newInstance(arguments.toArray())))
    session.catalog.refreshTable(name)


def _microseconds(value: object) -> object:
    """A point in time as Spark stores it in statistics, with six digits behind the second."""
    whole, _, fraction = str(value).partition(".")
    return None if value is None else f"{whole}.{fraction:0<6}"


def _number(jvm: JavaObject, value: int) -> JavaObject:
    """Some(BigInt) on the other side."""
    return _stored(jvm, "t", "c", ColumnStatistics(distinct_count=value)).distinctCount()


def _stored(jvm: JavaObject, table: str, column: str, stats: ColumnStatistics) -> JavaObject:
    """A column's statistics, as Spark reads them back from text."""
    values = {"distinctCount": stats.distinct_count, "min": stats.min, "max": stats.max, "nullCount": stats.null_count,
              "avgLen": stats.avg_len, "maxLen": stats.max_len}  # fmt: skip
    texts = jvm.java.util.HashMap()
    texts.put(f"{column}.version", "2")
    for key, value in values.items():
        if value is not None:
            texts.put(f"{column}.{key}", str(value))
    made = module(jvm.org.apache.spark.sql.catalyst.catalog, "CatalogColumnStat").fromMap(
        table, column, jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(texts)
    )
    return made.get()
