"""The one door: what is recognised, what is refused and how it is said."""

from __future__ import annotations

import json
import re

import pytest

from planviz.document import document_json, open_text
from planviz.document.opening.replays import replayed
from planviz.errors import InputTooLarge, NotAPlan, ParseError
from planviz.samples import load
from tests.plantext.test_lines import PLAN

EXTENDED = """\
== Parsed Logical Plan ==
'Project ['a]
+- 'UnresolvedRelation [t], [], false

== Analyzed Logical Plan ==
a: int
Project [a#1]
+- SubqueryAlias t
   +- Relation default.t[a#1] parquet

== Optimized Logical Plan ==
Relation default.t[a#1] parquet

== Physical Plan ==
*(1) ColumnarToRow
+- FileScan parquet default.t[a#1] Batched: true, DataFilters: [], Format: Parquet
"""


def test_the_stages_of_one_query_are_one_group() -> None:
    document = open_text(EXTENDED)
    assert [plan.stage for plan in document.plans] == ["parsed", "analyzed", "optimized", "physical"]
    assert document.groups == ((0, 1, 2, 3),)
    assert document.recognised == "explain extended"


def test_several_plans_in_one_paste_are_several_groups() -> None:
    document = open_text(EXTENDED + "\nand the second:\n" + PLAN + "\n" + EXTENDED)
    assert document.groups == ((0, 1, 2, 3), (4,), (5, 6, 7, 8))
    assert document.unparsed == ((18, "and the second:"),)


def test_initial_plans_stay_with_their_query() -> None:
    document = open_text(load("adaptive-skew-join"))
    assert {plan.stage for plan in document.plans} == {"physical", "initial"}
    assert len(document.groups) == 1


def test_an_exception_that_carries_a_plan() -> None:
    document = open_text(
        "pyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `nosuch` "
        "cannot be resolved. Did you mean one of the following? [`a`].; line 1 pos 7;\n"
        "'Project ['nosuch]\n+- SubqueryAlias t\n   +- Relation default.t[a#1] parquet\n"
    )
    (plan,) = document.plans
    assert (plan.stage, [node.op for node in plan]) == ("parsed", ["Project", "SubqueryAlias", "Relation"])
    assert document.unparsed[0][0] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no text yet"),
        ("hello there", "line 1 is “hello there”"),
        ("\n\n  what is this?", "line 3 is “what is this?”"),
        ('{"nodeName": "Project", "children": [', "ends too early, at line 1"),
        ("{}", "line 1 is “{}”"),
        (
            " Sort  (cost=717.34..717.59 rows=101)\n   Sort Key: t1.five\n   ->  Hash Join  (cost=2.0..3.0)\n",
            "of PostgreSQL",
        ),
        ("Fragment 0 [SINGLE]\n    Output layout: [n]\n    - Output[n] => [n:bigint]\n", "Trino"),
        ("root\n |-- id: integer (nullable = true)\n", "a schema (printSchema)"),
        (
            "(8) MapPartitionsRDD[11] at toRdd at <console>:26 []\n |  ParallelCollectionRDD[9] at x\n",
            "lineage of an RDD",
        ),
        ("!Exec <ProjectExec> cannot run on GPU because not all expressions can be replaced\n", "RAPIDS"),
        ("(5) Exchange\nInput [1]: [a#4]\nArguments: hashpartitioning(a#4, 8)\n", "without the tree of operators"),
        ("12 === Applying Rule org.apache.spark.sql.X ===\n", "without the plans"),
        ("Why is this slow?\n\nSELECT a FROM t\n", "Line 3 looks like SQL"),
    ],
)
def test_what_is_no_plan_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(NotAPlan, match=re.escape(message)):
        open_text(text)


def test_half_sql_half_plan() -> None:
    document = open_text("SELECT a\nFROM t;\n\nProject [a#1]\n+- Filter (a#1 > 2)\n   +- LocalTableScan [a#1]\n")
    assert [len(plan) for plan in document.plans] == [3]
    assert [text for _, text in document.unparsed] == ["SELECT a", "FROM t;"]
    assert "Paste the SQL alone" in document.notes[-1]


def test_the_limit_is_the_callers() -> None:
    with pytest.raises(InputTooLarge, match="Paste the plan alone"):
        open_text(PLAN, limit=100)
    assert open_text(PLAN, limit=len(PLAN)).plans


def test_spark_without_a_plan_is_explained() -> None:
    document = open_text("Found 0 WholeStageCodegen subtrees.\n")
    assert document.plans == ()
    assert "spark.sql.adaptive.enabled=false" in document.notes[0]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: text,
        lambda text: "My plan:\n" + text,
        lambda text: "```json\n" + text + "\n```",
        lambda text: '{"a": {"b": ' + text + "}}",
        lambda text: json.dumps({"plan": text}),
        lambda text: "[" + text + "]",
    ],
)
@pytest.mark.parametrize("name", ["plan-json", "rest-execution"])
def test_json_plans_wherever_they_stand(name: str, wrap) -> None:  # type: ignore[no-untyped-def]
    alone = open_text(load(name))
    document = open_text(wrap(load(name)))
    assert [[node.op for node in plan] for plan in document.plans] == [[n.op for n in plan] for plan in alone.plans]


def test_event_logs_give_the_last_plan_of_each_execution() -> None:
    document = open_text(load("event-log"))
    assert document.recognised == "event log"
    assert [[document.plans[at].stage for at in group] for group in document.groups] == [["physical", "initial"]] * 2
    assert "and the initial one beside it" in document.notes[0]
    opened = replayed(document)
    assert opened is not None
    assert any("joins" in statement.agrees for statement in opened.statements)
    assert all(len(plan) for plan in document.plans)


def test_json_of_a_document() -> None:
    read = json.loads(json.dumps(document_json(open_text(EXTENDED + "\nrest\n"))))
    assert [plan["stage"] for plan in read["plans"]] == ["parsed", "analyzed", "optimized", "physical"]
    assert read["unparsed"] == [[18, "rest"]]
    assert read["trace"] == []


@pytest.mark.parametrize(
    ("text", "near", "line", "column"),
    [
        ("SELEC a FROM t", "SELECT", 1, 1),
        ("-- a comment\n  slect * from t", "SELECT", 2, 3),
        ("WIHT x AS (SELECT 1) SELECT * FROM x", "WITH", 1, 1),
        ("INSRT INTO t VALUES (1)", "INSERT", 1, 1),
    ],
)
def test_a_misspelt_first_word_is_an_error_of_the_sql(text: str, near: str, line: int, column: int) -> None:
    with pytest.raises(ParseError, match=f"Did you mean {near}") as raised:
        open_text(text)
    assert (raised.value.line, raised.value.column) == (line, column)


def test_prose_is_no_misspelt_sql() -> None:
    for text in ("hello world", "selection of fruit", "form of the table as set"):
        with pytest.raises(NotAPlan) as raised:
            open_text(text)
        assert "Did you mean" not in str(raised.value)


@pytest.mark.parametrize("mark", ["-- MAGIC ", "# MAGIC ", "// MAGIC "])
def test_a_plan_in_the_source_of_a_notebook(mark: str) -> None:
    plan = "== Physical Plan ==\n*(1) Project [a#1]\n+- *(1) Scan ExistingRDD[a#1]"
    document = open_text("".join(f"{mark}{line}\n" for line in plan.split("\n")))
    assert [node.op for node in document.plans[0]] == ["Project", "Scan"]


def test_booleans_of_other_engines_joins_are_no_skew() -> None:
    join = "PhotonBroadcastHashJoin [a#1], [b#2], Inner, BuildRight, (c#3 > 1), true, true"
    document = open_text(f"== Physical Plan ==\n{join}\n:- Scan ExistingRDD[a#1]\n+- Scan ExistingRDD[b#2]\n")
    arguments = document.plans[0][0].arguments
    assert "skew" not in arguments
    assert "null_aware" not in arguments
    split = document.text.replace("PhotonBroadcastHashJoin [a#1]", "SortMergeJoin(skew=true) [a#1]")
    assert open_text(split).plans[0][0].arguments["skew"] is True


@pytest.mark.parametrize(
    "text", ["OPTIMIZE events ZORDER BY (user_id)", "VACUUM t RETAIN 7 HOURS", "COPY INTO t FROM '/x'"]
)
def test_a_command_of_a_table_format_is_named(text: str) -> None:
    with pytest.raises(NotAPlan, match="a command of Delta Lake, Iceberg or Databricks"):
        open_text(text)
