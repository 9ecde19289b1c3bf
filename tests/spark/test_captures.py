"""Captures: what a real Spark gave of a query, as a file, opened again."""

from __future__ import annotations

import gzip
import json
from types import SimpleNamespace

import pytest

import planviz
from benchmarks.captures.measure import measure
from benchmarks.captures.queries import sample_queries
from benchmarks.captures.session import Captures
from planviz.cli.compared import comparison_text
from planviz.cli.main import run
from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.document.comparison.spark import compare, settings_of
from planviz.errors import InputError, NotAPlan
from planviz.spark.capture_file import capture_text, write_capture
from planviz.spark.capturing import capture_frame, failure
from planviz.spark.connect import executed_tree
from tests.acceptance.engines import real_spark, skip_without_java

EXTENDED = """== Parsed Logical Plan ==
'Filter ('a > (1 + 1))
+- 'UnresolvedRelation [t], [], false

== Analyzed Logical Plan ==
a: int
Filter (a#1 > (1 + 1))
+- Relation [a#1] parquet

== Optimized Logical Plan ==
Filter (a#1 > 2)
+- Relation [a#1] parquet

== Physical Plan ==
*(1) Filter (a#1 > 2)
+- *(1) ColumnarToRow
   +- FileScan parquet [a#1]
"""
SCAN = {"nodeName": "Scan parquet ", "simpleString": "FileScan parquet [a#1]", "children": [], "estimate": [100, 900],
        "metrics": [{"name": "number of output rows", "metricType": "sum", "value": 90},
                    {"name": "scan time", "metricType": "timing", "value": 1500},
                    {"name": "time in user code", "metricType": "nsTiming", "value": 2_500_000}]}  # fmt: skip
CAPTURE = {
    "format": "planviz-capture/1",
    "sql": "SELECT * FROM t WHERE a > 1 + 1",
    "spark": {"version": "4.3.0", "master": "local[2]", "kind": "classic"},
    "conf": {},
    "milliseconds": {"planned": 12.0},
    "explain": {"extended": EXTENDED},
    "estimates": [[40, 360], [100, 900]],
    "notes": ["A note."],
    "trace": {
        "texts": ["Filter (a#1 > (1 + 1))\n+- Relation [a#1] parquet", "Filter (a#1 > 2)\n+- Relation [a#1] parquet"],
        "runs": ["Optimizer"],
        "steps": [{"run": 0, "batch": "Operators", "iteration": 1, "rule": "x.ConstantFolding", "ms": 0.5,
                   "before": 0, "after": 1}],
        "batches": [
            {"run": 0, "name": "First", "effective": False, "steps": 0, "iterations": 1, "rules": ["x.Other"]},
            {"run": 0, "name": "Operators", "effective": True, "steps": 1, "iterations": 2,
             "rules": ["x.ConstantFolding", "x.Silent"], "before": 0, "after": 1},
        ],
        "differs": [],
        "rules": [["x.ConstantFolding", 2, 1, 0.4], ["x.Silent", 2, 0, 0.1], ["x.Other", 1, 0, 0.2]],
    },
    "executed": {"milliseconds": 1234.5, "rows": 40, "plan": {
        "nodeName": "WholeStageCodegen (1)", "simpleString": "WholeStageCodegen (1)", "metrics": [], "children": [SCAN],
    }},
}  # fmt: skip


def test_a_capture_opens_with_plans_estimates_and_measured_rows():
    document = open_text(capture_text(CAPTURE))
    assert document.recognised == "Spark capture"
    assert [plan.stage for plan in document.plans] == ["parsed", "analyzed", "optimized", "physical", "physical"]
    assert [node.estimate.rows for node in document.plans[2]] == [40, 100]
    (scan,) = document.plans[-1]
    assert scan.metrics == {"number of output rows": 90, "scan time": "1,500 ms", "time in user code": "2.5 ms"}
    assert (scan.estimate.rows, scan.codegen_stage) == (100, 1)
    assert document.plans[-1].notes == ["Spark ran the query in 1,234 ms and it gave 40 rows."]
    assert document.notes[0] == "A note."


def test_its_trace_has_steps_batches_and_the_rules_that_were_silent():
    trace = open_text(capture_text(CAPTURE)).trace
    (step,) = trace.steps
    assert (step.short_rule, step.batch, step.iteration, step.milliseconds) == ("ConstantFolding", "Operators", 1, 0.5)
    assert [len(graph) for graph in step.graphs()] == [2, 2]
    assert [rule.rule for rule in trace.silent] == ["x.Other", "x.Silent"]
    assert [(batch.name, batch.effective) for batch in trace.batches] == [("First", False), ("Operators", True)]
    assert trace.only("Optimizer").steps == trace.steps


def test_a_difference_from_spark_s_own_plan_is_told():
    differs = {**CAPTURE, "trace": {**CAPTURE["trace"], "differs": ["Optimizer"]}}
    assert "differs from Spark's own at the end of: Optimizer" in open_text(capture_text(differs)).notes[-1]


@pytest.mark.parametrize(
    "text",
    [
        capture_text(CAPTURE)[:-300],
        capture_text({**CAPTURE, "trace": {"texts": []}}),
        capture_text({**CAPTURE, "explain": None}),
        capture_text({**CAPTURE, "executed": {"plan": []}}),
    ],
)
def test_a_damaged_capture_is_told_in_a_sentence(text):
    with pytest.raises(NotAPlan, match="Capture the query again"):
        open_text(text)


def test_the_command_line_opens_the_compressed_file(tmp_path, capsys):
    path = tmp_path / "q.planviz.json.gz"
    write_capture(CAPTURE, path)
    assert json.loads(gzip.decompress(path.read_bytes())) == CAPTURE
    assert run(["parse", "--format", "log", str(path)]) == 0
    assert "=== Applying Rule x.ConstantFolding ===" in capsys.readouterr().out
    assert run(["render", str(path), "-o", str(tmp_path / "q.svg")]) == 0
    path.write_bytes(path.read_bytes()[:-9])
    assert run(["parse", str(path)]) == 2
    assert "gzip file that ends too early" in capsys.readouterr().err


# -- on a real Spark


QUERY = """SELECT c.region, count(*) AS n, sum(o.amount) AS total
FROM orders o JOIN customer c ON o.customer_id = c.id
WHERE o.amount > 5 + 5 AND c.id IN (SELECT max(customer_id) FROM orders)
GROUP BY c.region ORDER BY n DESC LIMIT 3"""


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    session = real_spark().spark.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "true")
    session.range(200).selectExpr(
        "id", "id % 20 AS customer_id", "cast(id AS double) AS amount"
    ).createOrReplaceTempView("orders")
    session.range(20).selectExpr("id", "concat('r', id % 3) AS region").createOrReplaceTempView("customer")
    return session


def measured(node):
    """Operators with the rows that Spark counted in them."""
    rows = {m["name"]: m["value"] for m in node["metrics"]}.get("number of output rows")
    return [(node["nodeName"].strip(), rows), *(entry for child in node["children"] for entry in measured(child))]


@pytest.mark.spark
def test_a_query_is_captured_with_its_rules_and_what_was_measured(spark):
    at = []
    captured = capture_frame(spark.sql(QUERY), sql=QUERY, run=True, progress=at.append)
    document = open_text(capture_text(captured))

    told = [f"following the rules: {executor}" for executor in ("Analyzer", "Optimizer", "Preparations")]
    assert at == ["planning", *told, "running", "collecting what was measured"]
    assert set(captured["explain"]) == {"simple", "extended", "codegen", "cost", "formatted"}
    assert captured["trace"]["differs"] == []
    assert {"ConstantFolding", "RewritePredicateSubquery", "CollapseCodegenStages", "ResolveReferences"} <= {
        step.short_rule for step in document.trace.steps
    }
    assert [run.executor for run in document.trace.runs] == ["Analyzer", "Optimizer", "Preparations"]
    assert all(node.estimate is not None for node in document.plans[2])
    assert document.plans[-1].title == "Executed Plan · final"
    assert captured["executed"]["rows"] == 1
    rows = measured(captured["executed"]["plan"])
    assert ("TakeOrderedAndProject", None) in rows
    assert {n for name, n in rows if name == "Range"} == {200, 20}
    assert [n for name, n in rows if name.endswith("Join")] == [10, 10, 1]


@pytest.mark.spark
def test_estimates_are_those_before_adaptive_execution(spark):
    captured = capture_frame(spark.sql("SELECT a.id FROM range(1000) a JOIN range(500) b ON a.id = b.id"), run=True)
    nodes = list(open_text(capture_text(captured)).plans[-1])
    found = {n.op: (n.estimate.rows, n.metrics["number of output rows"]) for n in nodes if n.estimate and n.metrics}
    assert found["Range"] in {(1000, 1000), (500, 500)}
    assert nodes[0].text == "AdaptiveSparkPlan isFinalPlan=true"


@pytest.mark.spark
def test_a_data_frame_of_the_user_is_captured_in_place(spark, tmp_path):
    frame = spark.table("orders").groupBy("customer_id").count().filter("count > 3")
    path = tmp_path / "mine.planviz.json.gz"
    document = planviz.capture(frame, path)
    assert [plan.stage for plan in document.plans] == ["parsed", "analyzed", "optimized", "physical"]
    assert document.trace.steps
    assert open_text(gzip.decompress(path.read_bytes()).decode()).text == document.text


@pytest.mark.spark
def test_a_query_that_fails_while_it_runs_keeps_its_plan_and_says_why(spark, tmp_path):
    frame = spark.sql("SELECT id, raise_error(concat('row ', id)) AS x FROM orders WHERE id = 150 AND amount > 3")
    captured = capture_frame(frame, run=True)
    assert captured["executed"]["rows"] is None
    assert "row 150" in captured["executed"]["failed"]
    document = open_text(capture_text(captured))
    assert "The query failed after" in document.plans[-1].notes[0]
    assert any(node.op == "Range" for node in document.plans[-1])
    assert document.trace.steps


@pytest.mark.spark
def test_a_python_function_a_hint_a_cache_and_no_rows_are_captured(spark):
    spark.udf.register("is_odd", lambda number: number % 2 == 1, "boolean")
    spark.sql("CACHE TABLE few AS SELECT id FROM customer WHERE id < 4")
    sql = "SELECT /*+ MERGE(c) */ o.id FROM orders o JOIN few c ON o.id = c.id WHERE is_odd(o.id)"
    try:
        captured = capture_frame(spark.sql(sql), sql=sql, run=True)
    finally:
        spark.sql("UNCACHE TABLE few")
    rows = dict(measured(captured["executed"]["plan"]))
    assert (captured["executed"]["rows"], rows["SortMergeJoin"], rows["Scan In-memory table few"]) == (2, 2, 4)
    assert {"BatchEvalPython", "ArrowEvalPython"} & rows.keys()
    assert captured["trace"]["differs"] == []

    empty = capture_frame(
        spark.sql("SELECT o.id FROM orders o JOIN customer c ON o.id = c.id WHERE c.id < -1"), run=True
    )
    assert empty["executed"]["rows"] == 0
    names = [name for name, _ in measured(empty["executed"]["plan"])]
    assert "Filter" in names
    assert "Join" in names  # what was given up, down to the stages that ran


@pytest.mark.spark
def test_both_sides_of_a_comparison_read_the_same_clock(spark):
    sql = "SELECT now() AS t, now() - INTERVAL 1 DAY AS y, current_date AS d FROM range(3)"
    captured = capture_frame(spark.sql(sql), sql=sql)
    assert captured["trace"]["differs"] == []

    config = OptimizerConfig().with_settings(settings_of(captured))
    ours = open_sql(sql, None, config, stage="physical")
    found = compare(ours, open_text(capture_text(captured)))
    assert [stage.equal for stage in found.stages] == [True] * 4, comparison_text("now", found)
    assert found.steps[1].equal


@pytest.mark.spark
def test_the_preparations_are_spark_s_own_without_adaptive_execution(spark):
    other = spark.newSession()
    other.conf.set("spark.sql.adaptive.enabled", "false")
    captured = capture_frame(other.sql("SELECT id % 3 AS k, count(*) FROM range(9) GROUP BY 1 ORDER BY 2"))
    assert (captured["trace"]["differs"], captured["trace"]["adaptive"]) == ([], False)
    executors = [run.executor for run in open_text(capture_text(captured)).trace.runs]
    assert executors == ["Analyzer", "Optimizer", "Preparations"]
    adaptive = open_text(capture_text(capture_frame(spark.sql("SELECT count(*) FROM orders"))))
    assert any("without adaptive execution" in note for note in adaptive.notes)


@pytest.mark.spark
def test_a_stream_is_refused(spark):
    with pytest.raises(InputError, match="Capture the batch inside foreachBatch"):
        planviz.capture(spark.readStream.format("rate").load())


@pytest.mark.spark
def test_sample_queries_run_with_all_metrics_and_replay_exactly(spark):
    with Captures(1_000, session=spark) as captures:
        for query in sample_queries(["documents/group-by", "documents/outer-join-full-outer-to-inner", "rules/merge"]):
            captured, expected = captures.capture(query)
            figures = measure(query.name, captured, expected, 0.0)
            assert figures.expected
            assert not figures.wrong, figures


def test_why_a_query_failed_is_one_line():
    class Py4JJavaError(Exception):
        pass

    text = """An error occurred while calling o1.count.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 2.0 failed
Caused by: java.lang.RuntimeException: wrapped
Caused by: org.apache.spark.SparkArithmeticException: [DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"""
    assert (
        failure(Py4JJavaError(text)) == "SparkArithmeticException: [DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012"
    )
    assert failure(Py4JJavaError("java.io.IOException: gone")) == "IOException: gone"
    full = "org.apache.spark.SparkException: Job aborted.\nCaused by: java.lang.OutOfMemoryError: Java heap space"
    assert failure(Py4JJavaError(full)).startswith("Spark's memory was full (OutOfMemoryError: Java heap space); give")
    lost = "most recent failure: Lost task 0.0 in stage 0.0 (TID 0) (localhost executor driver): "
    text = f": org.apache.spark.SparkException: Job aborted: {lost}x.SparkOutOfMemoryError: [SPILL] Error while calling"
    assert failure(Py4JJavaError(text)) == "SparkOutOfMemoryError: [SPILL] Error while calling"


def test_connect_tells_operators_by_name_and_parent():
    def operator(id, parent, name, rows=None):
        metrics = [] if rows is None else [SimpleNamespace(name="numOutputRows", value=rows, metric_type="sum")]
        return SimpleNamespace(plan_id=id, parent_plan_id=parent, name=name, metrics=metrics)

    plans = [operator(7, 0, "HashAggregate", 3), operator(9, 7, "Filter", 50), operator(8, 9, "Range", 90)]
    tree = executed_tree(SimpleNamespace(_metrics=plans))
    assert measured(tree) == [("HashAggregate", 3), ("Filter", 50), ("Range", 90)]
    assert executed_tree(None) is None
    itself = executed_tree(SimpleNamespace(_metrics=[operator(7, 7, "HashAggregate"), *plans[1:]]))
    assert [name for name, _ in measured(itself)] == ["HashAggregate", "Filter", "Range"]
