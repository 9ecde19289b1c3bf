"""Which operators are fused into generated stages, as Spark 4.3 marks them."""

from __future__ import annotations

import re

import pytest

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.types import INT, STRING, ArrayType, StructField

COLUMNS = (StructField("a", INT), StructField("b", STRING), StructField("f", ArrayType(INT, True)))
CATALOG = Catalog().with_table(Table("t", COLUMNS)).with_table(Table("j", COLUMNS, provider="json"))


def marked(sql: str) -> list[str]:
    """The operators of the plan, each with its stage's number or `-`."""
    config = OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": False})
    lines = explain(sql, CATALOG, config).text("physical").splitlines()
    found = [re.match(r"[ :+-]*(?:\*\((\d+)\) )?(\w+)", line) for line in lines]
    return [f"{m[1] or '-'} {m[2]}" for m in found if m is not None]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a + 1 FROM t", ["1 Project", "1 ColumnarToRow", "- FileScan"]),
        ("SELECT a + 1 FROM j", ["1 Project", "- FileScan"]),
        ("SELECT array_sort(f, (x, y) -> x - y) FROM t", ["- Project", "1 ColumnarToRow", "- FileScan"]),
        ("SELECT transform(f, x -> x + 1) FROM t", ["1 Project", "1 ColumnarToRow", "- FileScan"]),
        (
            "SELECT a, max(b) FROM t GROUP BY a",
            ["- SortAggregate", "2 Sort", "- Exchange", "- SortAggregate", "1 Sort", "1 ColumnarToRow", "- FileScan"],
        ),
        (
            "SELECT approx_count_distinct(a) FROM t",
            ["- HashAggregate", "- Exchange", "- HashAggregate", "1 ColumnarToRow", "- FileScan"],
        ),
        (
            "SELECT bitmap_construct_agg(a) FROM t",
            ["- SortAggregate", "- Exchange", "- SortAggregate", "1 ColumnarToRow", "- FileScan"],
        ),
    ],
)
def test_what_has_no_generated_code_ends_a_stage(sql, expected):
    assert marked(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t UNION ALL SELECT a FROM t", ["1 ColumnarToRow", "- Union", "- FileScan", "- FileScan"]),
        (
            "SELECT a FROM t UNION ALL SELECT 1",
            ["1 Union", "1 ColumnarToRow", "- FileScan", "1 Project", "1 Scan"],
        ),
    ],
)
def test_a_union_is_fused_where_every_child_reads_one_input(sql, expected):
    assert marked(sql) == expected


def test_a_union_over_a_join_of_two_inputs_is_not_fused():
    join = "SELECT /*+ MERGE(y) */ x.a FROM t x JOIN t y ON x.a = y.a"

    assert marked(f"SELECT a + 1 AS a FROM t UNION ALL ({join})")[0] == "- Union"


@pytest.mark.parametrize(
    ("value", "coded"),
    [
        ("cast(rand(3) * 10 AS INT)", False),
        ("cast(uniform(1, 5, 3) AS INT)", False),
        ("length(uuid())", False),
        ("spark_partition_id()", False),
        ("shuffle(array(a, 2), 3)[0]", False),
        ("length(input_file_name())", True),
        ("a + 1", True),
    ],
)
def test_a_union_of_what_starts_with_its_partition_is_no_stage(value, coded):
    (first, *_) = marked(f"SELECT a + 1 FROM t UNION ALL SELECT {value} FROM t")
    assert first == ("1 Union" if coded else "- Union")


def test_it_counts_beneath_an_exchange_but_not_above_the_union():
    inner = "SELECT a, cast(rand(3) AS INT) AS r FROM t"
    below = f"SELECT a + 1 FROM t UNION ALL SELECT max(r) FROM ({inner}) GROUP BY a"
    assert marked(below)[0] == "- Union"
    above = "SELECT x, rand(3) FROM (SELECT a + 1 AS x FROM t UNION ALL SELECT a + 2 FROM t)"
    assert marked(above)[:2] == ["1 Project", "1 Union"]
