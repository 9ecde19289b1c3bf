"""The aggregates of documents: of SQL with their operators, of pasted plans as far as the text tells."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.catalog.tables import PythonFunction
from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.document.alternatives.flips import flips_of
from planviz.document.decisions.aggregates import aggregates, exchange_words, stage_words
from planviz.document.decisions.queries import decided
from planviz.document.rows.aggregates import played, sample_of
from planviz.document.rows.stage_cards import flow, names
from planviz.execution import Session
from tests.plans import small_catalog

OBJECT_HASH = "spark.sql.execution.useObjectHashAggregateExec"
MERGED = "SELECT /*+ MERGE(y) */ x.a, count(*) FROM t1 x JOIN t2 y ON x.a = y.a GROUP BY x.a"


def opened(sql: str, **settings: Any) -> Any:
    config = OptimizerConfig().with_settings({"spark.sql.shuffle.partitions": 4, **settings})
    return open_sql(sql, small_catalog(), config)


def pasted(sql: str) -> Any:
    """The same query's plan as a text."""
    text = opened(sql, **{"spark.sql.adaptive.enabled": False}).statements[0].execution.text("physical")
    return open_text(f"== Physical Plan ==\n{text}\n")


def only(document: Any) -> Any:
    (report,) = aggregates(document)
    return report


def test_keys_and_filters_are_told_as_written() -> None:
    sql = "SELECT a % 3, sum(b) FILTER (WHERE b > 1), sum(b), count(DISTINCT b) FROM t1 GROUP BY a % 3"
    for report in (only(opened(sql)), only(pasted(sql))):
        assert report.keys == ("(a % 3)",)
        assert report.functions == ("sum(b) FILTER (WHERE (b > 1))", "sum(b)", "count(distinct b)")


def test_a_key_that_python_computes_is_told_by_its_function() -> None:
    text = "\n".join(
        (
            "== Physical Plan ==",
            "HashAggregate(keys=[_groupingexpression#5], functions=[count(1)])",
            "+- Exchange hashpartitioning(_groupingexpression#5, 200), ENSURE_REQUIREMENTS, [plan_id=1]",
            "   +- HashAggregate(keys=[_groupingexpression#5], functions=[partial_count(1)])",
            "      +- Project [pythonUDF0#4 AS _groupingexpression#5]",
            "         +- BatchEvalPython [band(price#1)#3], [pythonUDF0#4]",
            "            +- FileScan parquet [price#1]",
        )
    )
    assert only(open_text(text)).keys == ("band(price)",)


@pytest.mark.parametrize("adaptive", [True, False])
def test_stages_of_a_query(adaptive):
    report = only(
        opened("SELECT a, count(DISTINCT b), sum(b) FROM t1 GROUP BY a", **{"spark.sql.adaptive.enabled": adaptive})
    )

    assert report.keys == ("a",)
    assert report.functions == ("sum(b)", "count(distinct b)")
    assert [s.planned.modes for s in report.stages] == [
        ("Partial",), ("PartialMerge",), ("Partial", "PartialMerge"), ("Final",)
    ]  # fmt: skip
    assert [s.exchange and exchange_words(s.exchange) for s in report.stages] == [
        None, "Exchange hashpartitioning(a, b, 4)", None, "Exchange hashpartitioning(a, 4)"
    ]  # fmt: skip
    assert [a.name for a in report.below.output] == ["a", "b"]


def test_several_distinct_sets_are_one_aggregate_over_an_expand():
    report = only(opened("SELECT count(DISTINCT a), count(DISTINCT b) FROM t1"))

    assert len(report.stages) == 4
    assert len(report.decisions) == 2
    assert report.expand is not None
    assert report.below is report.expand.child
    assert any(note.startswith("RewriteDistinctAggregates") for note in report.notes)


def test_an_expand_of_grouping_sets_is_not_told_as_one_of_distinct_sets():
    report = only(opened("SELECT a, b, sum(b) AS s FROM t1 GROUP BY ROLLUP (a, b)"))

    assert [n.partition(":")[0] for n in report.notes] == ["ResolveGroupingAnalytics"]
    assert names(report) == ["sum(b)"]
    (expand,) = [card for card in flow(report, None, None).cards if card.kind == "expand"]
    assert [part.quiet for part in expand.parts if part.title == "Copies"] == [
        "every row 3 times: once per set, numbered by spark_grouping_id"
    ]


def test_distinct_sets_over_grouping_sets_are_told_as_both():
    report = only(opened("SELECT a, count(DISTINCT b), count(DISTINCT a + b) FROM t1 GROUP BY CUBE (a)"))

    assert [n.partition(":")[0] for n in report.notes] == ["RewriteDistinctAggregates", "ResolveGroupingAnalytics"]


def test_merged_and_replaced_stages_are_told():
    report = only(opened(MERGED))

    (stage,) = report.stages
    assert (stage.text.operator, stage.text.mode) == ("SortAggregate", "complete")
    assert [n.partition(":")[0] for n in report.notes] == ["CombineAdjacentAggregation", "ReplaceHashWithSortAgg"]
    assert [(c.node, c.passed) for c in stage.checks] == [("mutable", True), ("sorted", True)]


def test_without_the_setting_the_stage_hashes():
    stage = only(opened(MERGED, **{"spark.sql.execution.replaceHashWithSortAgg": False})).stages[0]

    assert stage.text.operator == "HashAggregate"
    assert dict(stage.checks[-1].values) == {"value": False}


def test_spark_3_0_runs_adjacent_stages_one_after_the_other():
    config = OptimizerConfig.of("spark-3.0", **{"spark.sql.shuffle.partitions": 4})
    report = only(open_sql(MERGED, small_catalog(), config))

    assert [(s.text.operator, s.text.mode) for s in report.stages] == [
        ("HashAggregate", "partial"),
        ("HashAggregate", "final"),
    ]
    assert report.chain.shuffles == ()
    assert report.notes == ()


def test_a_query_in_a_subquery_has_its_aggregates():
    reports = aggregates(opened("SELECT * FROM t1 WHERE b > (SELECT max(b) FROM t2 GROUP BY a LIMIT 1)"))

    assert [r.functions for r in reports] == [("max(b)",)]


@pytest.mark.parametrize(
    ("sql", "checks", "unknown"),
    [
        ("SELECT a, sum(b) FROM t1 GROUP BY a", [("mutable", True), ("sorted", False)], 0),
        ("SELECT a, max(c) FROM t1 GROUP BY a", [("mutable", False), ("objects", False)], 0),
        ("SELECT a, collect_list(b) FROM t1 GROUP BY a", [("mutable", False), ("objects", True), ("allowed", True)], 0),
        (MERGED, [("mutable", None)], 1),
    ],
)
def test_the_path_of_a_pasted_stage(sql, checks, unknown):
    report = only(pasted(sql))

    assert [(c.node, c.passed) for c in report.stages[0].checks] == checks
    assert sum(c.passed is None for c in report.stages[0].checks) == unknown
    assert report.stages[0].planned is None


@pytest.mark.parametrize("sql", ["SELECT a, count(DISTINCT b), sum(b) FROM t1 GROUP BY a", MERGED])
def test_a_pasted_plan_has_the_stages_of_its_query(sql):
    mine = list(stage_words(only(opened(sql, **{"spark.sql.adaptive.enabled": False}))))

    assert [line.partition("; buffers")[0] for line in mine] == list(stage_words(only(pasted(sql))))


def test_decisions_on_pasted_plans_have_their_aggregates():
    (found,) = decided(pasted("SELECT a, sum(b) FROM t1 GROUP BY a"))
    (decision,) = found.of("Aggregation")

    assert decision.outcome == "HashAggregate"
    assert len(decision.value("stages")) == 3


@pytest.mark.parametrize(("now", "promised"), [(True, "SortAggregate"), (False, "ObjectHashAggregate")])
def test_the_setting_for_objects_flips_and_was_tried(now, promised):
    sql = "SELECT a, collect_list(b) FROM t1 GROUP BY a"
    document = opened(sql, **{OBJECT_HASH: now})
    (report,) = aggregates(document)
    (flip,) = flips_of(report.decisions[0], report.execution)

    assert flip.outcome == promised
    changed = opened(sql, **{c.key: c.value for c in flip.changes})
    assert only(changed).stages[-1].text.operator == promised


def test_no_flip_is_offered_where_nothing_changes():
    (report,) = aggregates(opened("SELECT a, max(c) FROM t1 GROUP BY a"))

    assert flips_of(report.decisions[0], report.execution) == ()


def test_the_initial_plan_of_an_adaptive_query_is_not_told_twice():
    final = opened("SELECT a, sum(b) FROM t1 GROUP BY a", **{"spark.sql.adaptive.enabled": False})
    lines = final.statements[0].execution.text("physical").rstrip().split("\n")
    tree = "\n".join(f"      {line}" if at else f"   +- {line}" for at, line in enumerate(lines))
    text = f"AdaptiveSparkPlan isFinalPlan=true\n+- == Final Plan ==\n{tree}\n+- == Initial Plan ==\n{tree}\n"
    document = open_text(f"== Physical Plan ==\n{text}")

    assert [p.stage for p in document.plans] == ["physical", "initial"]
    assert len(aggregates(document)) == 1


def python_aggregate() -> Any:
    catalog = small_catalog().with_function(PythonFunction.of("m", "double", "SQL_GROUPED_AGG_PANDAS_UDF"))
    return open_sql("SELECT a, m(b) FROM t1 GROUP BY a", catalog, OptimizerConfig())


def test_a_python_aggregate_is_one_stage_and_says_why():
    report = only(python_aggregate())
    text = report.execution.text("physical")

    for found in (report, only(open_text(f"== Physical Plan ==\n{text}\n"))):
        assert [(s.text.operator, s.text.mode, s.sorts) for s in found.stages] == [
            ("ArrowAggregatePython", "complete", True)
        ]
        assert [(c.node, c.passed, dict(c.values)["functions"]) for c in found.stages[0].checks] == [
            ("python", True, ("m",))
        ]
        assert "nothing is aggregated before the shuffle" in found.notes[0]
        assert found.stages[0].exchange.startswith("Exchange hashpartitioning(a")
        assert found.shuffles == 1
        (top,) = [n for n in found.graph if n.op == "ArrowAggregatePython"]
        assert found.graph.shown_badges(top) == ()


def test_the_decision_asks_for_python_before_stages_and_buffers():
    (decision,) = only(python_aggregate()).decisions

    assert [(c.node, c.passed) for c in decision.checks] == [
        ("streaming", False), ("python", True), ("python alone", True),
    ]  # fmt: skip
    assert [r.operator for r in decision.rejected] == ["HashAggregate", "ObjectHashAggregate", "SortAggregate"]
    (other,) = only(opened("SELECT a, sum(b) FROM t1 GROUP BY a")).decisions
    assert [(c.node, c.passed) for c in other.checks[:2]] == [("streaming", False), ("python", False)]


def test_rows_do_not_go_through_python():
    report = only(python_aggregate())

    assert played(report, sample_of(report)) == "What these rows become cannot be computed here: m is not modelled."


def test_the_formatted_mode_tells_how_rows_are_spread():
    sql = "CREATE TABLE t (a INT, b INT) USING parquet; SELECT a, count(b) FROM t GROUP BY a"
    made = list(Session().run(sql, "physical"))[-1].execution
    (report,) = aggregates(open_text(made.explain_string("formatted")))

    assert [s.exchange for s in report.stages] == [None, "Exchange hashpartitioning(a, 200)"]
