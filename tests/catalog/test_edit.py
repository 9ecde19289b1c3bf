"""Other statistics in a catalogue."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planviz.catalog import Catalog, ColumnStatistics, Histogram, edited, read_bundled, read_catalog, write_catalog
from planviz.catalog.check import contradictions
from planviz.catalog.ddl import table_of
from planviz.errors import InputError
from planviz.types import parse_fields

STATS = (
    ("id", ColumnStatistics(1000, 1, 1000, 0, 4, 4)),
    ("kind", ColumnStatistics(7, 1, 7, 100, 4, 4, Histogram(180.0, ((1.0, 3.0, 3), (3.0, 7.0, 4))))),
)


@pytest.fixture
def catalog():
    table = table_of(("Shop",), parse_fields("id int, kind int, xs array<int>"))
    return Catalog().with_table(
        replace(table, row_count=1000, size_in_bytes=20_000, column_stats=STATS, analyzed_at="2026-01-31")
    )


def test_numbers_are_set_by_path_in_any_case(catalog):
    table = edited(catalog, ["shop.ROWCOUNT=5_000", "default.Shop.kind.distinctCount=9", "shop.kind.max="]).table(
        ("shop",)
    )

    assert table.row_count == 5000
    assert table.statistics_of("kind").distinct_count == 9
    assert table.statistics_of("kind").max is None
    assert table.statistics_of("id") == STATS[0][1]


def test_numbers_that_were_set_were_not_counted(catalog):
    assert edited(catalog, ["shop.rowCount=5"]).table(("shop",)).analyzed_at is None
    assert edited(catalog, ["shop.analyzedAt=2026-02-01"]).table(("shop",)).analyzed_at == "2026-02-01"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("shop.rowCount", "write it as table.rowCount=100"), ("rowCount=5", "write it as table.rowCount"),
        ("shopp.rowCount=5", "did you mean shop?"), ("shop.rowCuont=5", "did you mean rowCount?"),
        ("shop.knid.distinctCount=5", "did you mean kind?"), ("shop.rowCount=-5", "a whole number of at least 0"),
        ("shop.rowCount=many", "a whole number of at least 0"), ("shop.analyzedAt=soon", "must be a date or a moment"),
        ("shop.kind.distinct=5", "did you mean distinctCount?"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_told(catalog, setting, message):
    with pytest.raises(InputError, match=message.replace("?", "[?]")):
        edited(catalog, [setting])


def test_a_scaled_table_has_more_rows_and_longer_keys(catalog):
    table = catalog.scaled(10).table(("shop",))

    assert (table.row_count, table.size_in_bytes, table.analyzed_at) == (10_000, 200_000, None)
    assert table.statistics_of("id") == ColumnStatistics(10_000, 1, 9991, 0, 4, 4)
    kind = table.statistics_of("kind")
    assert (kind.distinct_count, kind.max, kind.null_count, kind.histogram.height) == (7, 7, 1000, 1800.0)


def test_a_scaled_table_never_gets_empty(catalog):
    assert catalog.scaled(Fraction(1, 1_000_000)).table(("shop",)).row_count == 1


def test_only_the_named_tables_are_scaled():
    catalog = read_bundled("tpcds")
    bigger = catalog.scaled(1000, ["store_sales"])

    assert bigger.table(("store_sales",)).row_count == 1000 * catalog.table(("store_sales",)).row_count
    assert bigger.table(("item",)) == catalog.table(("item",))


def test_a_factor_is_positive_and_tables_are_known(catalog):
    with pytest.raises(InputError, match="more than 0"):
        catalog.scaled(0)
    with pytest.raises(InputError, match="did you mean shop"):
        catalog.scaled(2, ["shopp"])


def test_statistics_are_replaced_by_column(catalog):
    table = catalog.with_statistics("shop", row_count=7, column_stats={"KIND": ColumnStatistics(3)}).table(("shop",))

    assert table.row_count == 7
    assert table.statistics_of("kind") == ColumnStatistics(3)
    assert table.statistics_of("id") == STATS[0][1]
    with pytest.raises(InputError):
        catalog.with_statistics("nowhere", row_count=7)


def test_the_moment_of_counting_is_written_and_read(catalog):
    assert read_catalog(write_catalog(catalog)).table(("shop",)).analyzed_at == "2026-01-31"


def test_e_004_e_006_statistics_that_spark_never_has_are_told(catalog):
    table = replace(
        table_of(("t",), parse_fields("s string, xs array<int>")),
        column_stats=(("s", ColumnStatistics(1, "a", "b")), ("xs", ColumnStatistics(1))),
    )

    problems = [str(p) for p in contradictions(Catalog().with_table(table))]

    assert any("no least and greatest value of string columns" in p for p in problems)
    assert any("ANALYZE_UNSUPPORTED_COLUMN_TYPE" in p for p in problems)


def test_partition_columns_stand_behind_the_others():
    columns = tuple(parse_fields("day date, id bigint, region string, amount double"))
    table = table_of(("t",), columns, "parquet", ("region", "day"))
    assert [c.name for c in table.columns] == ["id", "amount", "region", "day"]
    kept = table_of(("t",), columns, "delta", ("region",))
    assert [c.name for c in kept.columns] == ["day", "id", "region", "amount"]
