"""What the profile spark-3.0 plans and prints otherwise than 4.3."""

from __future__ import annotations

import re

import pytest

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.types import parse_fields

CATALOG = Catalog()
for name in ("t", "u"):
    CATALOG = CATALOG.with_table(table_of((name,), parse_fields("a int, b int, d decimal(17,2)")))


def planned(sql: str, profile: str = "spark-3.0", **settings) -> str:
    config = OptimizerConfig.of(profile, **settings)
    text = explain(sql, CATALOG, config).text("physical")
    return re.sub(r"#\d+", "#", text)


def test_an_exchange_has_a_flag_and_a_number():
    text = planned("SELECT a FROM t GROUP BY a")
    assert "Exchange hashpartitioning(a#, 200), true, [id=#]" in text
    assert "Exchange hashpartitioning(a#, 200), false, [id=#]" in planned("SELECT a FROM t DISTRIBUTE BY a")
    assert "Exchange RoundRobinPartitioning(3), false, [id=#]" in planned("SELECT /*+ REPARTITION(3) */ a FROM t")


def test_a_broadcast_says_nothing_of_nulls():
    text = planned("SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a = u.a")

    assert "BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, true] as bigint))), [id=#]" in text
    assert "BroadcastHashJoin [a#], [a#], Inner, BuildRight\n" in text


def test_adaptive_execution_is_off_unless_it_is_asked_for():
    sql = "SELECT a, count(*) FROM t GROUP BY a"

    assert "AdaptiveSparkPlan" not in planned(sql)
    assert planned(sql, **{"spark.sql.adaptive.enabled": True}).startswith("AdaptiveSparkPlan isFinalPlan=false")


def test_a_scan_names_database_and_table():
    assert "FileScan parquet default.t[a#] Batched: true" in planned("SELECT a FROM t")
    assert "InMemoryFileIndex[" in planned("SELECT a FROM t")


def test_a_subquery_is_no_filter_of_a_scan():
    sql = "SELECT a FROM t WHERE b > (SELECT max(b) FROM u)"

    assert re.search(r"DataFilters: \[isnotnull\(b#\)\]", planned(sql))
    assert "DataFilters: [isnotnull(b#), (b# > " in planned(sql, "spark-4.3")


@pytest.mark.parametrize(
    ("sql", "operator", "fused"),
    [
        ("SELECT * FROM t JOIN u ON t.a = u.a", "SortMergeJoin", True),
        ("SELECT * FROM t LEFT JOIN u ON t.a = u.a", "SortMergeJoin", False),
        ("SELECT /*+ SHUFFLE_HASH(u) */ * FROM t JOIN u ON t.a = u.a", "ShuffledHashJoin", False),
        ("SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a > u.a", "BroadcastNestedLoopJoin", False),
        ("SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a = u.a", "BroadcastHashJoin", True),
        ("SELECT a, max(string(b)) FROM t GROUP BY a", "SortAggregate", False),
    ],
)
def test_which_operators_are_fused(sql, operator, fused):
    settings = {"spark.sql.autoBroadcastJoinThreshold": -1}
    old, new = (re.search(rf"(\*\(\d+\) )?{operator}", planned(sql, p, **settings)) for p in ("spark-3.0", "spark-4.3"))

    assert old is not None
    assert bool(old[1]) is fused
    assert new is not None


def test_the_filter_that_makes_a_column_never_null_keeps_its_projection():
    sql = "SELECT * FROM t JOIN (SELECT a FROM u) u ON t.a = u.a"

    assert re.search(r"Project \[a#\]\n.*Filter isnotnull\(a#\)", planned(sql))
    assert not re.search(r"Project \[a#\]\n.*Filter isnotnull\(a#\)", planned(sql, "spark-4.3"))


def test_the_sides_of_a_join_are_shuffled_again_under_another_name():
    aggregated = "SELECT x, count(*) FROM (SELECT a AS x, max(b) FROM t GROUP BY a) GROUP BY x"
    joined = "SELECT x, count(*) FROM (SELECT t.a AS x FROM t JOIN u ON t.a = u.a) GROUP BY x"
    settings = {"spark.sql.autoBroadcastJoinThreshold": -1}

    assert planned(aggregated).count("Exchange hashpartitioning") == 1
    assert planned(joined, **settings).count("Exchange hashpartitioning") == 3
    assert planned(joined, "spark-4.3", **settings).count("Exchange hashpartitioning") == 2


def test_a_sum_of_decimals_does_not_note_whether_it_saw_a_row():
    assert "output=[sum#]" in planned("SELECT sum(d) FROM u")
    assert "output=[sum#, isEmpty#]" in planned("SELECT sum(d) FROM u", "spark-4.3")


def test_with_is_written_out_where_it_is_read():
    sql = "WITH w AS (SELECT a, max(b) m FROM t GROUP BY a) SELECT * FROM w x JOIN w y ON x.a = y.m"
    execution = explain(sql, CATALOG, OptimizerConfig.of("spark-3.0"))

    assert "CTE" not in execution.text("analyzed")
    assert execution.text("analyzed").count("SubqueryAlias w") == 2
    assert len({a.expr_id for a in execution.analyzed.output}) == 4


def test_a_subquery_over_the_same_table_is_told_apart_by_a_projection():
    sql = "SELECT a FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE x.a = y.a AND x.b <> y.b)"
    pattern = r"LeftSemi.*\n(.*\n)*.*Project \[.*a# AS a#"

    assert re.search(pattern, planned(sql))
    assert not re.search(pattern, planned(sql, "spark-4.3"))


def test_a_semi_join_goes_below_an_aggregate_whatever_is_broadcast():
    sql = "SELECT a, m FROM (SELECT a, max(b) m FROM t GROUP BY a) x LEFT SEMI JOIN u ON x.a = u.a"
    settings = {"spark.sql.autoBroadcastJoinThreshold": -1}
    old, new = (planned(sql, p, **settings) for p in ("spark-3.0", "spark-4.3"))

    assert old.index("HashAggregate") < old.index("SortMergeJoin")
    assert new.index("SortMergeJoin") < new.index("HashAggregate")


def test_grouping_sets_are_numbered_by_ints():
    sql = "SELECT a, grouping_id(), count(*) FROM t GROUP BY ROLLUP(a)"
    old, new = (explain(sql, CATALOG, OptimizerConfig.of(p)) for p in ("spark-3.0", "spark-4.3"))

    assert [a.type.simple_string for a in old.analyzed.output] == ["int", "int", "bigint"]
    assert [a.type.simple_string for a in new.analyzed.output] == ["int", "bigint", "bigint"]


def test_an_exchange_is_used_again_within_one_plan_and_under_the_same_names():
    off = {"spark.sql.autoBroadcastJoinThreshold": -1, "spark.sql.adaptive.enabled": False}
    joined = "SELECT * FROM t x JOIN t y ON x.a = y.a"
    renamed = "SELECT * FROM (SELECT a + 1 AS p FROM t) x JOIN (SELECT a + 1 AS q FROM t) y ON x.p = y.q"
    inside = (
        "SELECT a, sum(b) FROM t GROUP BY a HAVING sum(b) > (SELECT max(s) FROM (SELECT sum(b) s FROM t GROUP BY a))"
    )

    assert [planned(sql, **off).count("ReusedExchange") for sql in (joined, renamed, inside)] == [1, 0, 0]
    assert [planned(sql, "spark-4.3", **off).count("ReusedExchange") for sql in (joined, renamed, inside)] == [1, 1, 1]


def test_a_subquery_is_used_again_from_the_root_down():
    sql = "SELECT (SELECT max(b) FROM u) + 1 FROM t WHERE a > (SELECT max(b) FROM u)"
    old, new = planned(sql), planned(sql, "spark-4.3", **{"spark.sql.adaptive.enabled": False})

    assert old.index("- Subquery ") < old.index("- ReusedSubquery ")
    assert new.index("- ReusedSubquery ") < new.index("- Subquery ")


def test_the_formatted_mode_tells_no_join_type_beneath_the_tree():
    pairs = "SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a > u.a"
    keys = "SELECT /*+ MERGE(u) */ * FROM t LEFT JOIN u ON t.a = u.a"
    old = OptimizerConfig.of("spark-3.0")
    old_pairs, old_keys = (explain(q, CATALOG, old).explain_string("formatted") for q in (pairs, keys))

    assert "BroadcastNestedLoopJoin (" in old_pairs
    assert "SortMergeJoin LeftOuter (" in old_keys
    assert "Join type" not in old_pairs + old_keys
    assert "Join condition: None" in old_keys
    assert "Join type: LeftOuter" in explain(keys, CATALOG, OptimizerConfig()).explain_string("formatted")


def test_the_formatted_mode_tells_the_sides_of_a_nested_loop_join_and_leaves_blanks_behind_a_cartesian_product():
    pairs = "SELECT /*+ BROADCAST(u) */ t.a, u.b FROM t JOIN u ON t.a > u.a"
    product = "SELECT /*+ SHUFFLE_REPLICATE_NL(u) */ t.a, u.b FROM t CROSS JOIN u"
    old = OptimizerConfig.of("spark-3.0")
    nested, every = (explain(q, CATALOG, old).explain_string("formatted").split("\n") for q in (pairs, product))

    at = next(i for i, line in enumerate(nested) if line.startswith("(") and "BroadcastNestedLoopJoin" in line)
    assert [line.split(":")[0] for line in nested[at + 1 : at + 3]] == ["Left output [1]", "Right output [2]"]
    assert nested[at + 3].startswith("Arguments: BuildRight, Inner, (a#")
    at = next(i for i, line in enumerate(every) if line.startswith("(") and "CartesianProduct" in line)
    assert every[at + 1 : at + 3] == ["Join condition: None", " " * 5]


@pytest.mark.parametrize(("profile", "told"), [("spark-3.1", False), ("spark-3.3", False), ("spark-3.4", True)])
def test_the_formatted_mode_tells_join_types_beneath_the_tree_since_3_4(profile, told):
    sql = "SELECT * FROM t LEFT JOIN u ON t.a = u.a"
    text = explain(sql, CATALOG, OptimizerConfig.of(profile)).explain_string("formatted")

    assert ("Join type: LeftOuter" in text, "Join condition: None" in text) == (told, True)


def test_a_cast_of_a_cast_stays():
    sql = "SELECT cast(cast(a AS bigint) AS decimal(20,0)) FROM t WHERE cast(b AS bigint) IS NOT NULL"

    assert "cast(cast(a# as bigint) as decimal(20,0))" in planned(sql)
    assert "isnotnull(cast(b# as bigint))" in planned(sql)
    assert "as bigint" not in re.sub(r"AS .*", "", planned(sql, "spark-4.3"))


def test_a_projection_of_a_table_s_named_columns_stays_above_its_scan():
    sql = "SELECT a FROM t UNION ALL SELECT b FROM u"

    assert planned(sql).count("Project [") == 2
    assert "Project [" not in planned(sql, "spark-3.1")


def test_no_code_is_generated_for_functions_that_make_rows():
    sql = "SELECT explode(array(a, b)) FROM t"

    assert re.search(r"^Generate explode", planned(sql))
    assert re.search(r"^\*\(1\) Generate explode", planned(sql, "spark-3.2", **{"spark.sql.adaptive.enabled": False}))
