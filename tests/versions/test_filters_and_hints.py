"""Filters, hints and grouping sets as older versions take them; the texts are those of their real Sparks."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import Session

_SETUP = (
    "CREATE TABLE t (a INT, b INT, c STRING, ts TIMESTAMP, y INT, m INT) USING parquet PARTITIONED BY (y, m);"
    "CREATE TABLE u (a INT, b INT) USING parquet;"
    "CREATE VIEW v AS SELECT a FROM t WHERE ts > TIMESTAMP'2024-01-01 00:00:00' UNION ALL SELECT a FROM u;"
)


def text(version: str, stage: str, sql: str, **settings: object) -> str:
    """A stage of a query as a version plans it. Raises what planning raises."""
    config = OptimizerConfig.of(f"spark-{version}", **{"spark.sql.adaptive.enabled": False, **settings})
    *_, outcome = Session(config=config).run(f"{_SETUP} {sql}", "physical")
    if outcome.error is not None:
        raise outcome.error
    assert outcome.execution is not None
    return outcome.execution.text(stage)


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_a_filter_of_partitions_and_other_columns_is_taken_apart_since_3_1(version):
    shown = text(version, "physical", "SELECT a FROM t WHERE (y = 1 AND m = 2) OR (y = 3 AND m = 4 AND b > 5)")

    assert ("PartitionFilters: []" in shown) == (version == "3.0")


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_a_filter_goes_below_an_expand_since_3_1(version):
    window = "window(ts, '4 minutes', '2 minutes')"
    sql = f"SELECT {window} AS w, count(*) FROM t GROUP BY {window}"
    above, below = text(version, "optimized", sql).split("Expand")

    assert ("isnotnull(ts" in above) == (version == "3.0")
    assert ("isnotnull(ts" in below) == (version != "3.0")


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_grouping_id_is_an_int_in_having_of_3_0(version):
    shown = text(version, "analyzed", "SELECT a, b FROM u GROUP BY CUBE (a, b) HAVING grouping_id() < 2")

    assert ("cast(2 as bigint)" in shown) == (version == "3.1")


@pytest.mark.parametrize(
    ("source", "word"), [("u", "List"), ("u JOIN t USING (a)", "ArrayBuffer"), ("(SELECT * FROM u)", "ArrayBuffer")]
)
def test_grouping_sets_show_the_list_that_their_input_gives_before_3_2(source, word):
    shown = text("3.1", "analyzed", f"SELECT a, count(*) FROM {source} GROUP BY ROLLUP (a)")

    assert f"Expand [{word}(" in shown


@pytest.mark.parametrize("version", ["3.1", "3.2"])
def test_rebalance_is_a_hint_since_3_2(version):
    shown = text(version, "analyzed", "SELECT /*+ REBALANCE(a) */ a FROM u", **{"spark.sql.adaptive.enabled": True})

    assert ("RebalancePartitions" in shown) == (version == "3.2")


def test_a_hint_that_repartitions_finds_what_the_list_lacks_since_3_2():
    sql = "SELECT /*+ REPARTITION(3, b) */ a FROM u"

    assert "RepartitionByExpression [b#" in text("3.2", "analyzed", sql)
    with pytest.raises(AnalysisError):
        text("3.1", "analyzed", sql)


@pytest.mark.parametrize("version", ["3.0", "3.1"])
def test_a_view_is_parsed_as_its_version_does(version):
    shown = text(version, "analyzed", "SELECT * FROM v")

    assert "1704067200000000" in shown
    assert ("Union false, false" in shown) == (version == "3.1")


@pytest.mark.parametrize("version", ["3.1", "3.2"])
def test_aliases_in_the_first_input_of_a_union_go_before_3_2(version):
    assert (" AS a#" in text(version, "optimized", "SELECT a FROM v")) == (version == "3.2")


@pytest.mark.parametrize(("version", "rows"), [("3.1", False), ("3.2", True)])
def test_a_repartitioning_keeps_the_number_of_rows_since_3_2(version, rows):
    config = OptimizerConfig.of(f"spark-{version}", **{"spark.sql.cbo.enabled": True})
    (outcome,) = Session(config=config).run("SELECT /*+ COALESCE(2) */ id FROM range(10) GROUP BY id", "physical")

    assert outcome.execution is not None
    top = outcome.execution.explain_string("cost").splitlines()[1]
    assert ("rowCount" in top) == rows


@pytest.mark.parametrize("version", ["3.4", "3.5"])
def test_buckets_are_read_together_under_adaptive_execution_since_3_5(version):
    setup = "".join(f"CREATE TABLE b{n} (k INT) USING parquet CLUSTERED BY (k) INTO {n} BUCKETS; " for n in (4, 8))
    settings = {
        "spark.sql.bucketing.coalesceBucketsInJoin.enabled": True,
        "spark.sql.autoBroadcastJoinThreshold": -1,
        "spark.sql.adaptive.enabled": True,
    }
    shown = text(version, "physical", f"{setup} SELECT b4.k FROM b4 JOIN b8 ON b4.k = b8.k", **settings)

    assert ("(Coalesced to 4)" in shown) == (version == "3.5")


@pytest.mark.parametrize("function", ["first(c)", "last(c)", "collect_list(b)", "collect_set(b)", "max(b)"])
@pytest.mark.parametrize("version", ["3.2", "3.3"])
def test_a_filter_goes_below_what_depends_on_the_order_of_rows_since_3_3(version, function):
    shown = text(version, "optimized", f"SELECT a, {function} AS f FROM t GROUP BY a HAVING a > 3")

    assert (shown.index("Filter") > shown.index("Aggregate")) == (version == "3.3" or function == "max(b)")


def test_the_alias_of_a_table_with_columns_means_none_of_them_before_3_2():
    sql = "SELECT x FROM (SELECT a, b FROM u) AS d (x, y)"

    assert "SubqueryAlias d\n      +- Project" in text("3.1", "analyzed", sql)
    assert "SubqueryAlias d\n   +- Project" in text("3.2", "analyzed", sql)
    assert text("3.2", "analyzed", sql.replace("x FROM", "d.x FROM"))
    with pytest.raises(AnalysisError):
        text("3.1", "analyzed", sql.replace("x FROM", "d.x FROM"))


def test_a_definition_has_its_columns_below_its_name_in_every_version():
    assert text("3.1", "analyzed", "WITH d (x, y) AS (SELECT a, b FROM u) SELECT d.x FROM d")


@pytest.mark.parametrize("version", ["3.1", "3.2"])
def test_what_an_outer_join_lacks_is_null_without_a_cast_since_3_2(version):
    sql = "SELECT u.a, t.c FROM u LEFT JOIN (SELECT a, c FROM t WHERE false) t ON u.a = t.a"
    shown = text(version, "optimized", sql)

    assert ("cast(null as string) AS c" in shown) == (version == "3.1")


@pytest.mark.parametrize("version", ["3.0", "3.5", "4.2", "4.3"])
def test_columns_that_order_by_adds_stand_as_it_names_them_before_4_3(version):
    shown = text(version, "analyzed", "SELECT a FROM t ORDER BY c, b")

    added = "abc" if version == "4.3" else "acb"
    assert f"+- Project [{', '.join(f'{name}#' for name in added)}]" in re.sub(r"#\d+", "#", shown)


@pytest.mark.parametrize(("version", "twice"), [("3.3", True), ("3.5", True), ("4.0", False), ("4.3", False)])
def test_what_exists_gives_under_a_new_id_is_named_with_the_old_one(version, twice):
    sql = "CREATE VIEW n AS SELECT a, c FROM t; SELECT a FROM n WHERE EXISTS (SELECT 1 FROM n m WHERE m.c = n.c)"
    shown = text(version, "optimized", sql)

    (given,) = re.findall(r"LeftSemi, \((c#(?:\d+#)?)\d+ = c#\d+\)", shown)
    assert (given.count("#") == 2) == twice
