"""Sample rows: the same every time, of the columns' types, as the statistics say."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Table
from planviz.expressions.core import AttributeReference
from planviz.mechanics.sample import sample_rows
from planviz.types import DATE, DOUBLE, INT, STRING, DecimalType, StructField

TYPES = [INT, STRING, DOUBLE, DecimalType(7, 2), DATE]
COLUMNS = [AttributeReference(f"c{n}", t, True, n) for n, t in enumerate(TYPES)]


def table(rows: int | None = None, **stats: ColumnStatistics) -> Table:
    return Table(
        "t", tuple(StructField(a.name, a.type) for a in COLUMNS), row_count=rows, column_stats=tuple(stats.items())
    )


def test_rows_have_their_types_and_are_always_the_same() -> None:
    rows = sample_rows(COLUMNS)
    assert rows == sample_rows(COLUMNS)
    assert [type(v) for v in rows[0]] == [int, str, float, Decimal, date]
    assert rows[0][3].as_tuple().exponent == -2
    assert len(rows) == 8
    assert len({row[0] for row in rows}) < len(rows)


def test_keys_of_two_tables_meet() -> None:
    one, other = ({row[0] for row in sample_rows(COLUMNS[:1], rows=n)} for n in (6, 5))
    assert one & other


def test_statistics_count() -> None:
    keys = ColumnStatistics(distinct_count=1000, min=500, max=1500, null_count=0)
    flags = ColumnStatistics(distinct_count=2, null_count=500)
    rows = sample_rows(COLUMNS, table(1000, c0=keys, c1=flags))
    assert [row[0] for row in rows] == list(range(500, 508))
    assert len({row[1] for row in rows if row[1] is not None}) == 2
    assert [row[1] for row in rows].count(None) == 4
    assert len(sample_rows(COLUMNS, table(2))) == 2
    assert sample_rows([], rows=3) == [(), (), ()]
