"""Plans in tests: the small tables they read, and texts with their ids renumbered."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Table
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.types import parse_fields

TABLES = """
customer(id int, name string, region string)
orders(id int, customer_id int, item_id int, price decimal(7,2), amount double, s_date date, status string)
item(id int, name string, price double)
t1(a int, b int, c string)
t2(a int, b int, c string)
t3(a int, b int, c string)
u1(col1 int, col2 int, col3 int)
u2(col1 int, col2 int, col3 int)
arr(id int, xs array<int>, m map<string,int>, st struct<x:int,y:string>, ss array<struct<x:int,y:string>>)
fl(k double, v float, id int)
dim(p int, cat string)
visits(v_day int, v_person int, pages int)
people(person int, city int)
days(day int, weekday int)
"""
#: Tables with statistics: rows, and the distinct values of each column.
COUNTED = """
visits 1000000 1000 100000 50
people 100000 100000 200
days 1000 1000 7
"""
_ID = re.compile(r"#(\d+)(L?)(?!\w)")
_CTE = re.compile(r"\b(CTERelationDef|CTERelationRef|UnionLoop|UnionLoopRef) (\d+)")
_SEED = re.compile(r"\b(rand|randn|uuid|shuffle)\(((?:\w+#\w+, )?(?:Some\()?)-?\d{6,}")


@cache
def small_catalog() -> Catalog:
    """The documents' small tables, most without statistics, and `fact`, which is partitioned by p."""
    catalog = Catalog()
    for line in TABLES.strip().splitlines():
        name, columns = line.split("(", 1)
        catalog = catalog.with_table(table_of((name,), parse_fields(columns[:-1])))
    fact = parse_fields("id bigint, amt bigint, p int")
    catalog = catalog.with_table(table_of(("fact",), fact, partition_columns=("p",)))
    for line in COUNTED.strip().splitlines():
        name, rows, distinct = line.split(" ", 2)
        catalog = catalog.with_table(_counted(catalog.tables[f"default.{name}"], int(rows), distinct))
    return catalog


def _counted(table: Table, rows: int, distinct: str) -> Table:
    """The table with so many rows; every column holds the numbers from 1 to its count of distinct values."""
    counts = dict(zip((c.name for c in table.columns), map(int, distinct.split()), strict=True))
    stats = tuple((name, ColumnStatistics(n, 1, n, 0, 4, 4)) for name, n in counts.items())
    return replace(table, row_count=rows, size_in_bytes=100 * rows, column_stats=stats)


def canonical(text: str) -> str:
    """A plan's text with expression and CTE ids numbered by first appearance and seeds blanked out."""
    ids: dict[str, int] = {}
    ctes: dict[str, int] = {}
    text = _CTE.sub(lambda m: f"{m[1]} C{ctes.setdefault(m[2], len(ctes) + 1)}", text)
    text = _ID.sub(lambda m: f"#{ids.setdefault(m[1], len(ids) + 1)}{m[2]}", text)
    return _SEED.sub(r"\1(\2SEED", text).rstrip()


def plan_text(sql: str, stage: str = "analyzed") -> str:
    """The canonical text of one stage of a query over the small tables."""
    with fresh_ids():
        return canonical(QueryExecution(sql, small_catalog()).text(stage))
