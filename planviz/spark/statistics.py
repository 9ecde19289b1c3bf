"""Statistics of real tables as planviz-catalog/1 entries: the numbers of Spark's ANALYZE in one aggregate per table.

ANALYZE would write to the table's own catalogue and needs a table there; this only reads, and takes views and folders
of Parquet, too. The functions and their accuracy are those of ANALYZE, so the numbers are the same. Histograms are not
made: they would take a second pass and three times the CPU.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from planviz.errors import InputError
from planviz.spark.jvm import class_name, estimate
from planviz.types import quote

#: Types that ANALYZE takes, by the first word of their name; of the second group it keeps no smallest and largest.
_ORDERED = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean", "date", "timestamp",
            "timestamp_ntz")  # fmt: skip
_TEXTS = ("string", "binary")
#: Spark's `spark.sql.statistics.ndv.maxError`.
_ERROR = 0.05


def table_names(session: Any, patterns: list[str]) -> list[str]:
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


def analyze_table(session: Any, name: str) -> dict[str, Any]:
    """One table's entry: columns with types, provider, partition columns, rows, bytes, and its columns' statistics."""
    quoted = ".".join(map(quote, name.split(".")))
    frame = session.table(quoted)
    fields = [(f.name, f.dataType.simpleString(), f.nullable) for f in frame.schema.fields]
    kinds = {name: kind.split("(")[0] for name, kind, _ in fields}
    known = [n for n, kind in kinds.items() if kind in _ORDERED + _TEXTS]
    asked = ["count(1)", *(part for n in known for part in _parts(quote(n), kinds[n]))]
    values = iter(frame.selectExpr(*(f"{part} AS c{at}" for at, part in enumerate(asked))).collect()[0])
    rows = next(values)
    columns = {n: _entry(kinds[n], rows, [next(values) for _ in range(6)], frame.schema[n]) for n in known}
    return {
        "provider": _provider(session, quoted),
        "columns": [{"name": n, "type": kind, "nullable": nullable} for n, kind, nullable in fields],
        "partition_columns": _partition_columns(session, frame, quoted),
        "stats": {"rowCount": rows, "sizeInBytes": _size(frame), "columns": columns},
    }


def _partition_columns(session: Any, frame: Any, quoted: str) -> list[str]:
    """What a table's files lie in folders by; a view of files knows it, too, though Spark's catalogue does not."""
    listed = [column.name for column in session.catalog.listColumns(quoted) if column.isPartition]
    plan = frame._jdf.queryExecution().optimizedPlan()
    if not listed and class_name(session._jvm, plan) == "LogicalRelation":
        relation = plan.relation()
        if class_name(session._jvm, relation) == "HadoopFsRelation":
            return list(relation.partitionSchema().fieldNames())
    return listed


def _parts(column: str, kind: str) -> list[str]:
    """The six aggregates of a column: distinct values, those that are not null, smallest, largest, lengths."""
    ends = (
        (f"cast(min({column}) AS string)", f"cast(max({column}) AS string)") if kind in _ORDERED else ("null", "null")
    )
    lengths = (f"avg(length({column}))", f"max(length({column}))") if kind in _TEXTS else ("null", "null")
    return [f"approx_count_distinct({column}, {_ERROR})", f"count({column})", *ends, *lengths]


def _entry(kind: str, rows: int, values: list[Any], field: Any) -> dict[str, Any]:
    distinct, there, low, high, average, longest = values
    if kind in _TEXTS:
        lengths = (-int(-average // 1), longest) if average is not None else (0, 0)
    else:
        lengths = (_width(field.dataType),) * 2
    found = {"distinctCount": min(distinct, there), "nullCount": rows - there}
    if low is not None:
        found |= {"min": low, "max": high}
    return found | {"avgLen": lengths[0], "maxLen": lengths[1]}


def _width(kind: Any) -> int:
    from planviz.types import parse_type

    return parse_type(kind.simpleString()).default_size


def _size(frame: Any) -> int:
    """Bytes of the files, as the planner counts them."""
    size = estimate(frame._jdf.queryExecution().optimizedPlan())[1]
    assert size is not None
    return size


def _provider(session: Any, quoted: str) -> str:
    rows = session.sql(f"DESCRIBE EXTENDED {quoted}").where("col_name = 'Provider'").collect()
    return str(rows[0]["data_type"]).lower() if rows else "parquet"
