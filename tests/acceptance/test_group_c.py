"""Acceptance of aggregates, item by item, in planviz and on a real Spark (see table.py and group_c.txt)."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.dataframe import functions, session
from planviz.document import open_text
from planviz.errors import AnalysisError
from planviz.execution import explain
from planviz.graph.aggregation import aggregate_chains
from planviz.logical.operators import Aggregate
from planviz.mechanics.rows import rows_of
from planviz.mechanics.stages import rows_through, split
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.exchanges import Exchange
from planviz.physical.stages import PlannedStage
from tests.acceptance.engines import BASE, ROWS, Ours, real_spark, skip_without_java
from tests.acceptance.table import cases, check
from tests.plans import small_catalog

CASES = cases("group_c.txt")
IDS = [f"{c.item}-{i}" for i, c in enumerate(CASES)]
RANGES = [(1, 3), (10, 14), (20, 26), (30, 37), (40, 45), (50, 52), (60, 62), (70, 71)]
ITEMS = {f"C-{n:03}" for first, last in RANGES for n in range(first, last + 1)}
#: Items that tests of their own cover, below.
ELSEWHERE = {"C-002", "C-070", "C-071"}
PLAYED = [c for c in CASES if "FROM t1" in c.code and "JOIN" not in c.code and "REPARTITION" not in c.code]
#: Settings under which Spark's hash aggregates give up hashing and sort, for the rows of these items.
FALLBACK = "spark.sql.TungstenAggregate.testFallbackStartsAt"
SPILLING = {"C-042": {FALLBACK: "1,2"}, "C-043": {FALLBACK: "1,1"}, "C-044": {FALLBACK: "2,3"}}
#: A Python aggregate as Spark prints it.
PYTHON = """== Physical Plan ==
!ArrowAggregatePython [customer_id#1], [pm(amount#2)#3], [customer_id#1, pm(amount#2)#3 AS pm(amount)#4], 202
+- Sort [customer_id#1 ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(customer_id#1, 4), ENSURE_REQUIREMENTS, [plan_id=1]
      +- FileScan parquet orders[customer_id#1,amount#2]
"""


@pytest.fixture(scope="module")
def real():
    skip_without_java()
    return real_spark()


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_planviz(case):
    check(case, Ours().run(case))


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spark(case, real):
    check(case, real.run(case))


def test_every_item_is_accepted():
    assert {c.item for c in CASES} | ELSEWHERE == ITEMS


def test_every_case_says_what_it_expects():
    assert not [c for c in CASES if not {"tree", "stage"} <= c.expect.keys()]


# ----------------------------------------------------------------------------- rows through the stages (C-011, C.3-C.5)


def played(case):
    """The rows that the last stage gives over the rows of t1, in two partitions."""
    execution = explain(case.code, small_catalog(), Ours.config(case))
    nodes = list(execution.physical.walk())[::-1]
    order = [n for n in nodes if isinstance(n, BaseAggregateExec | Exchange)]
    stages = [PlannedStage.of(at, n) for at, n in enumerate((n for n in order if isinstance(n, BaseAggregateExec)), 1)]
    shuffled = [isinstance(order[order.index(n) - 1], Exchange) for n in order if isinstance(n, BaseAggregateExec)]
    below = [n for n in execution.optimized.walk() if isinstance(n, Aggregate)][-1].child
    tables = {"t1": [tuple(row) for row in eval(f"[{ROWS['t1']}]", {"null": None})]}
    rows = rows_of(below, tables)
    found = rows_through(stages, below.output, split(rows or [], 2), [False, *shuffled[1:]])
    return sorted(str(row) for part in found[-1].partitions for row in part)


@pytest.mark.spark
@pytest.mark.parametrize("case", PLAYED, ids=[c.code for c in PLAYED])
def test_rows_through_the_stages_are_sparks(case, real):
    with real.settings(case.settings | SPILLING.get(case.item, {})):
        theirs = real.spark.sql(case.code).collect()

    assert played(case) == sorted(str(tuple(tuple(v) if isinstance(v, list) else v for v in r)) for r in theirs)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("item", "function", "settings", "falls_back"),
    [
        ("C-042", "sum(v)", {}, False),
        ("C-042", "sum(v)", {FALLBACK: "10,20"}, True),
        ("C-061", "collect_list(v)", {}, False),
        ("C-061", "collect_list(v)", {"spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "10"}, True),
        ("C-061", "collect_list(v)", {"spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "50"}, True),
        ("C-061", "collect_list(v)", {"spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "51"}, False),
    ],
)
def test_when_spark_falls_back_to_sorting(item, function, settings, falls_back, real):
    with real.settings(settings):
        df = real.spark.sql(
            f"SELECT g, {function} FROM (SELECT id % 50 AS g, id AS v FROM range(0, 1000, 1, 1)) GROUP BY g"
        )
        assert len(df.collect()) == 50
        plan = df._jdf.queryExecution().executedPlan()
        while not plan.getClass().getSimpleName().endswith("AggregateExec"):
            plan = plan.children().head()
        metrics = plan.metrics()

    assert (metrics.apply("numTasksFallBacked").value() > 0) is falls_back
    if function == "sum(v)":
        assert (metrics.apply("spillSize").value() > 0) is falls_back


# ---------------------------------------------------------------------------------- stages of pasted plans (C-002, C.6)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_c_070_the_stages_of_a_pasted_plan_are_those_of_its_operators(case):
    answer = Ours().run(case)
    graph = open_text(f"== Physical Plan ==\n{answer.stages['physical']}\n").plans[0]
    stages = {s.node: s for chain in aggregate_chains(graph) for s in chain.stages}

    found = [stages[node.id] for node in graph.walk() if node.id in stages]
    words = {"Partial": "partial", "PartialMerge": "merge", "Final": "final", "Complete": "complete"}
    wanted = [
        (
            line.split(" ")[0],
            int(line.split(" ")[1]),
            [words[m] for m in re.findall(r" (\w+)(?:,|$)", line) if m in words],
        )
        for line in answer.aggregates
    ]
    assert [(s.operator, len(s.keys), [f["mode"] for f in s.functions]) for s in found] == wanted


def test_c_002_a_python_aggregate_has_one_stage_over_sorted_rows_of_a_group():
    spark = session(small_catalog(), OptimizerConfig().with_settings(BASE))
    mean = functions.pandas_udf("double", functionType="SQL_GROUPED_AGG_PANDAS_UDF")(lambda v: v.mean())
    spark.udf.register("pm", mean)
    frames = [
        spark.table("orders").groupBy("customer_id").agg(mean("amount")),
        spark.sql("SELECT customer_id, pm(amount) FROM orders GROUP BY customer_id"),
    ]
    for execution in [df.execution for df in frames]:
        operators = [line.strip("+- *(0123456789)").split(" ")[0] for line in execution.text("physical").splitlines()]
        assert operators == ["!ArrowAggregatePython", "Sort", "Exchange", "ColumnarToRow", "FileScan"]
        (decision,) = execution.planned.decisions
        assert decision.outcome == "ArrowAggregatePython"
        assert [(s.operator, s.modes, s.required_order) for s in decision.value("stages")] == [
            ("ArrowAggregatePython", ("Complete",), True)
        ]


def test_c_002_python_aggregates_stand_beside_no_others():
    spark = session(small_catalog(), OptimizerConfig().with_settings(BASE))
    spark.register_python_function("pm", "double", 202)

    with pytest.raises(AnalysisError, match="`pm` cannot be invoked together"):
        _ = spark.sql("SELECT pm(amount), sum(amount) FROM orders").execution.physical


@pytest.mark.parametrize(("item", "stages", "shuffles"), [("C-010", 2, 1), ("C-020", 4, 2), ("C-024", 4, 2)])
def test_c_070_chains(item, stages, shuffles):
    case = next(c for c in CASES if c.item == item)
    (chain,) = aggregate_chains(open_text(f"== Physical Plan ==\n{Ours().run(case).stages['physical']}\n").plans[0])

    assert (len(chain.stages), len(chain.shuffles)) == (stages, shuffles)


@pytest.mark.spark
def test_c_071_formatted_explains_fill_the_stages(real):
    case = next(c for c in CASES if c.item == "C-020")
    (text,) = real.spark.sql(f"EXPLAIN FORMATTED {case.code}").first()
    (chain,) = aggregate_chains(open_text(text).plans[0])

    assert [len(s.functions) for s in chain.stages] == [1, 1, 2, 2]
    assert all(s.aggregate_attributes and s.results for s in chain.stages)


def test_c_002_a_python_aggregate_is_one_stage():
    (chain,) = aggregate_chains(open_text(PYTHON).plans[0])

    assert [s.operator for s in chain.stages] == ["ArrowAggregatePython"]
    assert chain.stages[0].mode == "complete"
    assert chain.shuffles == ()
    assert chain.input_shuffle is not None


@pytest.mark.spark
def test_c_002_sparks_python_aggregate(real):
    pandas = pytest.importorskip("pandas")
    from pyspark.sql import functions as F  # noqa: N812

    def mean(v: pandas.Series) -> float:
        return v.mean()

    # Annotations of this module are texts, which Spark would not resolve.
    mean.__annotations__ = {"v": pandas.Series, "return": float}
    orders, udf = real.spark.table("orders").groupBy("customer_id"), F.pandas_udf(mean, "double")
    text = orders.agg(udf("amount"))._jdf.queryExecution().executedPlan().toString()
    (chain,) = aggregate_chains(open_text(f"== Physical Plan ==\n{text}").plans[0])
    assert [s.operator for s in chain.stages] == ["ArrowAggregatePython"]
    assert chain.input_shuffle is not None

    with pytest.raises(Exception, match="INVALID_PANDAS_UDF_PLACEMENT"):
        orders.agg(udf("amount"), F.count("*"))._jdf.queryExecution().executedPlan()


def test_the_stages_do_not_depend_on_adaptive_execution():
    case = next(c for c in CASES if c.item == "C-020")
    stages = []
    for adaptive in ("false", "true"):
        config = Ours.config(case).with_settings({**BASE, "spark.sql.adaptive.enabled": adaptive})
        made = explain(case.code, small_catalog(), config).planned
        stages.append(
            [s.operator for d in made.decisions if d.strategy == "Aggregation" for s in dict(d.values)["stages"]]
        )

    assert stages[0] == stages[1]
