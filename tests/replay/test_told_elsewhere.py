"""What texts tell in words of their own: older functions, buckets, numbers of partitions, rows, caches of tables."""

from __future__ import annotations

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.replay.result import Replay
from tests.replay.test_parts import HEAD, replayed, scan, setting

PARTITIONS = "spark.sql.shuffle.partitions"
TABLE = "CREATE TABLE t (k INT, s STRING, amount DECIMAL(10,2), day DATE) USING parquet;\n"


def explained(sql: str, profile: str = "spark-4.3", mode: str = "extended", **settings: object) -> str:
    """What explain prints of a query in a version of Spark."""
    named = {k.replace("_", "."): v for k, v in settings.items()}
    config = OptimizerConfig(profile=profile).with_settings(named)
    return QueryExecution(sql, read_catalog(TABLE), config, ids=Ids(100)).explain_string(mode)


def verdicts(made: Replay) -> set[str]:
    return set(made.verdicts.values())


@pytest.mark.parametrize("profile", ["spark-3.0", "spark-3.2", "spark-3.3", "spark-3.4", "spark-4.3"])
def test_older_sparks_show_less_of_a_date_that_is_parsed(profile: str) -> None:
    sql = "SELECT to_date(s, 'yyyy/MM') a, to_timestamp(s, 'HH') b, to_date(s) c, to_timestamp(s) d FROM t"
    made = replayed(explained(f"{sql} WHERE to_date(s, 'yyyy') > date'2020-01-01'", profile))
    assert verdicts(made) == {"equal"}


def test_a_format_is_no_time_zone() -> None:
    made = replayed(explained("SELECT to_date(s, 'yyyy') a FROM t", "spark-3.2"))
    assert "gettimestamp(s#102, yyyy, TimestampType, Some(Etc/UTC), false)" in made.texts["optimized"]


def test_one_pivot_is_computed_once_for_all_its_columns() -> None:
    sql = "SELECT * FROM t PIVOT (sum(amount) x, max(k) y FOR s IN ('a', 'b'))"
    made = replayed(explained(sql, "spark-3.2"))
    assert verdicts(made) == {"equal"}
    assert made.texts["physical"].count("partial_pivotfirst(") == 2


def test_functions_stand_in_the_order_of_the_last_stage_whatever_rows_they_see() -> None:
    sql = "SELECT count(*) FILTER (WHERE k > 3) a, max(k) b, count(*) FILTER (WHERE k < 0) c, min(k) d FROM t"
    made = replayed(explained(sql, mode="simple"))
    assert made.verdicts["physical"] == "equal"


@pytest.mark.parametrize(
    ("hint", "number"),
    [
        ("REBALANCE(k)", 20),
        ("REPARTITION(k)", 20),
        ("REBALANCE", 20),
        ("REBALANCE(3, k)", None),
        ("REBALANCE(3)", None),
    ],
)
def test_rows_that_are_spread_without_a_number_tell_it(hint: str, number: int | None) -> None:
    made = replayed(explained(f"SELECT /*+ {hint} */ * FROM t", spark_sql_shuffle_partitions=20))
    assert setting(made, PARTITIONS) == number
    assert verdicts(made) == {"equal"}


def test_a_number_of_its_own_stays_beside_the_planners_exchanges() -> None:
    made = replayed(explained("SELECT /*+ REBALANCE(3, k) */ k, count(*) FROM t GROUP BY k", mode="simple"))
    assert setting(made, PARTITIONS) == 200
    assert made.verdicts["physical"] == "equal"


def test_rows_that_nobody_tells_are_neither_one_nor_none() -> None:
    values = "SELECT a, b FROM VALUES (1, 'x'), (7, 'y') v(a, b)"
    kept = replayed(explained(f"{values} WHERE a > 5"))
    assert verdicts(kept) == {"equal"}
    assert "<empty>" not in kept.texts["optimized"]
    assert verdicts(replayed(explained(f"SELECT DISTINCT a FROM ({values})"))) == {"equal"}
    assert verdicts(replayed(explained(f"{values} WHERE a > 9"))) == {"equal"}


BUCKETS = "Batched: true, Bucketed: false (disabled by query planner), "


def test_buckets_that_serve_nothing_are_no_difference() -> None:
    plain = scan("sales", "k#1", "k:int")
    unused = plain.replace("Batched: true, ", BUCKETS)
    read = plain.replace("Batched: true, ", "Batched: true, Bucketed: true, ") + ", SelectedBucketsCount: 4 out of 8"
    unread = plain.replace("Batched: true, ", "Batched: true, Bucketed: false (bucket column(s) not read), ")
    for text in (plain, unused, read, unread):
        made = replayed(f"{HEAD}*(1) ColumnarToRow\n+- {text}\n")
        assert made.verdicts["physical"] == "equal"


COUNT_OF_A_CACHE = (
    "* HashAggregate (4)\n+- * HashAggregate (3)\n   +- Scan In-memory table cc (1)\n         +- InMemoryRelation (2)\n"
    "               +- * Scan OneRowRelation (5)\n\n\n"
    "(1) Scan In-memory table cc\nOutput: []\n\n"
    "(2) InMemoryRelation\nArguments: [k#1], StorageLevel(disk, memory, deserialized, 1 replicas)\n\n"
    "(3) HashAggregate [codegen id : 1]\nInput: []\nKeys: []\nFunctions [1]: [partial_count(1)]\n"
    "Aggregate Attributes [1]: [count#6L]\nResults [1]: [count#7L]\n\n"
    "(4) HashAggregate [codegen id : 1]\nInput [1]: [count#7L]\nKeys: []\nFunctions [1]: [count(1)]\n"
    "Aggregate Attributes [1]: [count(1)#8L]\nResults [1]: [count(1)#8L AS count#9L]\n\n"
    "(5) Scan OneRowRelation [codegen id : 1]\nOutput: []\nArguments: Scan OneRowRelation, UnknownPartitioning(0)\n"
)


def test_a_count_over_a_cached_table_reads_the_cache() -> None:
    made = replayed(HEAD + COUNT_OF_A_CACHE)
    assert "InMemoryRelation" in made.texts["physical"]


def test_details_of_several_lines_are_one_operator() -> None:
    made = replayed(
        f"{HEAD}Execute InsertIntoHadoopFsRelationCommand (2)\n+- Scan parquet  (1)\n\n\n"
        "(1) Scan parquet \nOutput [1]: [k#1]\nBatched: true\nLocation: InMemoryFileIndex [file:/t]\n"
        "ReadSchema: struct<k:int>\n\n"
        "(2) Execute InsertIntoHadoopFsRelationCommand\nInput [1]: [k#1]\n"
        "Arguments: file:/o, false, Parquet, [path=file:/o], Overwrite, CatalogTable(\nDatabase: default\nTable: o\n"
        "Schema: root\n-- k: integer (nullable = true)\n), org.apache.spark.sql.Index@6a5a57, [k]\n"
    )
    assert made.verdicts["physical"] == "shape"
