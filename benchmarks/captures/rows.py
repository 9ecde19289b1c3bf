"""Rows for any catalogue, made of arithmetic on row numbers: they respect its types, ranges and distinct values.

The largest table gets `rows`, the others as much less as the catalogue says. Keys of a table meet those that refer to
it, for both count from the same number on. A column whose name is in `words` holds these words in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from zlib import crc32

from planviz.catalog import Catalog
from planviz.catalog.tables import Table
from planviz.types import ArrayType, DataType, DecimalType, MapType, StructType, quote

#: So many rows or distinct values are kept whatever the scale.
_KEPT = 1000
#: A partition is a folder: no more of them than this.
_PARTITIONS = 24
_NESTED = (ArrayType, MapType, StructType)
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_TIMES = ("timestamp", "timestamp_ntz", "date")


class Rows:
    """The rows of one catalogue's tables, as queries."""

    def __init__(self, catalog: Catalog, rows: int, words: Mapping[str, Sequence[str]] | None = None) -> None:
        self._words = words or {}
        self.tables = [*catalog.tables.values()]
        self._scale = rows / max([table.row_count or 0 for table in self.tables] + [rows])

    def query(self, table: Table) -> str:
        """The SELECT that makes a table's rows."""
        columns = [f"{self._column(table, c.name, c.data_type)} AS {quote(c.name)}" for c in table.columns]
        return f"SELECT {', '.join(columns)} FROM range({self._scaled(table.row_count or _KEPT)})"

    def write(self, spark: Any, database: str, table: Table) -> None:
        """Make a table in a database, with its rows and statistics."""
        frame = spark.sql(self.query(table)).coalesce(2)
        parts = table.partition_columns
        writer = frame.repartition(1).write.partitionBy(*parts) if parts else frame.write
        name = f"{database}.{quote(table.name)}"
        writer.mode("overwrite").format("parquet").saveAsTable(name)
        simple = [quote(c.name) for c in table.columns if not isinstance(c.data_type, _NESTED)]
        spark.sql(f"ANALYZE TABLE {name} COMPUTE STATISTICS FOR COLUMNS {', '.join(simple)}")

    def _scaled(self, count: int) -> int:
        return count if count <= _KEPT else max(_KEPT, round(count * self._scale))

    def _column(self, table: Table, name: str, kind: DataType) -> str:
        stats = table.statistics_of(name)
        rows = max(table.row_count or _KEPT, 1)
        known = stats.distinct_count if stats is not None else None
        distinct = rows if known is None else max(1, min(known, rows))
        many = self._scaled(distinct)
        if name in table.partition_columns:
            many = min(many, _PARTITIONS)
        number = "id" if distinct == rows else f"pmod(xxhash64(id, {crc32(name.encode())}), {many})"
        low, high = (stats.min, stats.max) if stats is not None else (None, None)
        value = self._value(name, kind, number, many, low, high)
        nulls = (stats.null_count or 0) / rows if stats is not None else 0.0
        return value if not nulls else f"IF(pmod(xxhash64(id, 1), 1000) < {1000 * nulls:.0f}, NULL, {value})"

    def _value(self, name: str, kind: DataType, number: str, many: int, low: Any, high: Any) -> str:
        sql = kind.sql.lower()
        if isinstance(kind, ArrayType):
            inner = self._value(name, kind.element, number, many, None, None)
            return f"array({inner}, {self._value(name, kind.element, f'{number} + 1', many, None, None)})"
        if isinstance(kind, MapType):
            key, value = (self._value(name, k, number, many, None, None) for k in (kind.key, kind.value))
            return f"map({key}, {value})"
        if isinstance(kind, StructType):
            fields = (f"'{f.name}', {self._value(f.name, f.data_type, number, many, None, None)}" for f in kind.fields)
            return f"named_struct({', '.join(fields)})"
        if sql in _WHOLE:
            return f"CAST({int(low or 0)} + {number} AS {sql})"
        if sql == "boolean":
            return f"{number} % 2 = 0"
        if sql in _TIMES:
            first, last = (_days(v, d) for v, d in ((low, "1992-01-01"), (high, "1998-12-31")))
            days = f"date_add(DATE'{first}', CAST({number} * {max((last - first).days, 1)} / {many} AS INT))"
            return days if sql == "date" else f"CAST({days} AS {sql})"
        if isinstance(kind, DecimalType) or sql in ("double", "float"):
            start = float(low or 0)
            return f"CAST({start} + {number} * {max(float(high or many) - start, 1.0) / many} AS {sql})"
        if given := self._words.get(name):
            texts = ", ".join(f"'{word}'" for word in given)
            return f"element_at(array({texts}), CAST(pmod({number}, {len(given)}) AS INT) + 1)"
        return f"CAST(concat('{name} ', {number}) AS {sql})"


def _days(value: Any, otherwise: str) -> date:
    return date.fromisoformat(str(value or otherwise)[:10])
