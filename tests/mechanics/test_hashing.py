"""Spark's hash and partition ids, by the numbers that Spark 4.3 printed."""

from __future__ import annotations

from functools import cmp_to_key

import pytest

from planviz.evaluation import DEFAULT_EVALUATOR, UnknownValueError, compare
from planviz.execution import QueryExecution
from planviz.expressions.core import Alias
from planviz.logical.operators import Project
from planviz.mechanics.hashing import murmur3, partition_of, range_bounds, range_of
from planviz.types import INT, LONG, STRING, VARIANT
from tests.acceptance.engines import real_spark, skip_without_java
from tests.mechanics.plays import plays_of

#: `SELECT hash(...)` of Spark 4.3, in UTC.
PRINTED = {
    "1Y": -559580957, "-3S": -1573329414, "42": 29417773, "-1": -1604776387, "9000000000L": 248267334,
    "1.5D": 1290763749, "-0.0D": -1670924195, "double('NaN')": -1281358385, "1.5F": -221251528,
    "float('-0.0')": 933211791, "''": 142593372, "'a'": 1485273170, "'abc'": 1322437556, "'abcd'": -396302900,
    "'hello'": -1008564952, "'héé'": 1851501343, "true": -559580957, "false": 933211791, "1.23BD": -46242105,
    "-1.23BD": 1993430267, "12345678901234567890.12BD": -2030013727,
    "-12345678901234567890123456789.1BD": -498916399, "0BD": -1670924195, "DATE'2024-02-29'": 653915859,
    "DATE'1969-12-31'": -1604776387, "TIMESTAMP'2024-02-29 12:34:56.789012'": -1367554535,
    "TIMESTAMP_NTZ'1960-01-01 00:00:00'": -1530488822, "X'00FF10'": -339173231, "NULL": 42,
    "named_struct('a',1,'b','x')": -1305545736, "named_struct('a',null,'b','x')": -80340190,
    "array(1,2,null)": -222940379, "array()": 42, "INTERVAL 3 DAYS": 2038746747,
    "INTERVAL '1-2' YEAR TO MONTH": 335551368, "cast(null as string)": 42,
    "struct(1.5D,DATE'2020-01-01')": 1376587668,
}  # fmt: skip


@pytest.mark.parametrize("expression", PRINTED)
def test_hash(expression: str) -> None:
    plan = QueryExecution(f"SELECT {expression} AS x").analyzed
    assert isinstance(plan, Project)
    value = plan.projects[0]
    assert isinstance(value, Alias)
    assert murmur3([DEFAULT_EVALUATOR.row_value(value.child, {})], [value.data_type]) == PRINTED[expression]


def test_several_values_are_chained_and_nulls_leave_the_seed() -> None:
    assert murmur3([1, 2], [INT, INT]) == -222940379
    assert murmur3([None, 1], [INT, INT]) == -559580957 == murmur3([1], [INT])
    assert murmur3([], []) == 42
    with pytest.raises(UnknownValueError):
        murmur3([object()], [VARIANT])


def test_partition_ids_are_never_negative() -> None:
    keys = {-5: 1, 2: 2, None: 2, 1: 3, 7: 3, 2147483647: 3}
    assert {k: partition_of([k], [INT], 4) for k in keys} == keys
    assert partition_of(["a"], [STRING], 200) == 1485273170 % 200
    assert 0 <= partition_of([-1], [LONG], 7) < 7


@pytest.mark.parametrize(
    ("keys", "number", "ranges"),
    [
        ([None, -5, 1, 2, 7, 2147483647], 3, [0, 0, 1, 1, 2, 2]),
        ([1, 1, 1, 1, 2, 3, 9, 9], 3, [0, 0, 0, 0, 1, 1, 2, 2]),
        ([0, 1, 2, 3, 4, 5, 10], 4, [0, 0, 1, 1, 2, 2, 3]),
        ([4], 3, [0]),
        ([], 3, []),
    ],
)
def test_ranges(keys: list[int | None], number: int, ranges: list[int]) -> None:
    bounds = range_bounds(keys, number, compare)
    assert bounds == sorted(bounds, key=cmp_to_key(compare))
    assert [range_of(k, bounds, compare) for k in keys] == ranges


VALUES = "(VALUES (1, 'x'), (2, 'y'), (null, 'n'), (7, 'a'), (-5, null), (2147483647, 'x'), (12, 'b')) AS t(k, v)"
SPREADS = [
    f"SELECT /*+ REPARTITION(4, k) */ * FROM {VALUES}",
    f"SELECT /*+ REPARTITION(5, v, k) */ * FROM {VALUES}",
    f"SELECT /*+ REPARTITION_BY_RANGE(3, k) */ * FROM {VALUES}",
    f"SELECT /*+ REPARTITION_BY_RANGE(4, v, k) */ * FROM {VALUES}",
    f"SELECT /*+ REPARTITION(1) */ * FROM {VALUES}",
]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("sql", SPREADS)
def test_rows_land_where_spark_puts_them(sql: str) -> None:
    skip_without_java()
    df = real_spark().spark.sql(sql).selectExpr("spark_partition_id()", "*")
    [play] = plays_of(sql)
    ours = [(at, *row) for at, part in enumerate(play.output) for row in part]
    assert sorted(map(str, ours)) == sorted(str(tuple(row)) for row in df.collect())


@pytest.mark.spark
@pytest.mark.parametrize("expression", PRINTED)
def test_spark_still_prints_them(expression: str) -> None:
    skip_without_java()
    assert real_spark().spark.sql(f"SELECT hash({expression})").collect()[0][0] == PRINTED[expression]
