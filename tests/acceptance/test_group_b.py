"""Acceptance of joins, item by item, in planviz and on a real Spark (see table.py and group_b.txt)."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import join_tree
from planviz.document import open_text
from planviz.document.decisions.queries import decided
from planviz.errors import PlanvizError
from planviz.execution import explain
from planviz.mechanics import choice
from planviz.physical import joins as j
from planviz.physical.broadcast_limits import broadcast_limits, broadcast_of
from planviz.physical.exchanges import BroadcastExchangeExec
from tests.acceptance.engines import BASE, real_spark, short, skip_without_java
from tests.acceptance.table import Answer, cases, check
from tests.physical.grid import Spark, catalog, rows

CASES = cases("group_b.txt")
IDS = [f"{c.item}-{i}" for i, c in enumerate(CASES)]
RANGES = [(1, 3), (10, 11), (20, 30), (40, 49), (60, 74), (80, 82), (90, 92)]
ITEMS = {f"B-{n:03}" for first, last in RANGES for n in range(first, last + 1)}
#: Items that tests of their own cover, below.
ELSEWHERE = {"B-049", "B-061", "B-062", "B-063", "B-064", "B-067", "B-080", "B-091", "B-092"}
_HINT = re.compile(r"[Hh]int")


def executed(sql, **settings):
    config = OptimizerConfig().with_settings({**BASE, **{f"spark.sql.{k}": v for k, v in settings.items()}})
    return explain(sql, catalog(), config)


def ours(case):
    """planviz's answer to a case, its warnings, and the path of the topmost join."""
    execution = explain(case.code, catalog(), OptimizerConfig().with_settings({**BASE, **case.settings}))
    stages = {s: execution.text(s) for s in ("parsed", "analyzed", "optimized", "physical")}
    fired = frozenset(short(a.rule) for a in execution.trace)
    joins = [d for d in execution.planned.decisions if d.strategy == "JoinSelection"]
    path = " ".join(f"{c.node}{'+' if c.passed else '-'}" for c in joins[0].checks) if joins else ""
    return Answer(stages, fired), execution.warnings, path


def warned(case, warnings):
    """Assert what the case says of warnings about hints."""
    assert set(case.expect.get("warn", [])) <= set(warnings)
    assert "quiet" not in case.expect or not [w for w in warnings if _HINT.search(w)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_planviz(case):
    try:
        answer, warnings, path = ours(case)
    except PlanvizError as e:
        check(case, Answer({}, frozenset(), str(e)))
        return
    check(case, answer)
    warned(case, warnings)
    assert case.expect.get("path", [path]) == [path]


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    return Spark(real_spark())


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spark(case, spark):
    spark.forget()
    check(case, real_spark().run(case))
    warned(case, spark.warnings)


def test_every_item_is_accepted():
    assert {c.item for c in CASES} | ELSEWHERE == ITEMS


def test_every_case_says_what_it_expects():
    assert not [c for c in CASES if c.expect.keys().isdisjoint(("join", "tree", "warn", "error"))]


def test_b_001_the_cases_go_by_every_question_that_sql_can_reach():
    reached = {step[:-1] for c in CASES for path in c.expect.get("path", []) for step in path.split()}

    # N7 is asked of keys without order, which SQL refuses (B-048).
    assert reached == {q.name for q in join_tree().questions} - {"N7"}


# ------------------------------------------------------------------------------------------- limits while it runs


BROADCASTS = [
    ("big.k = small.k", 512_000_000),
    ("big.s = small.s", 357_913_941),
    ("big.k = small.k AND big.v = small.v", 512_000_000),
    ("big.k > small.k", 512_000_000),
]


@pytest.mark.parametrize(("condition", "rows"), BROADCASTS)
def test_b_062_rows_of_a_broadcast(condition, rows):
    execution = executed(f"SELECT * FROM big JOIN small ON {condition}")
    (join,) = [n for n in execution.physical.walk() if isinstance(n, j.JoinExec)]

    assert broadcast_limits(broadcast_of(join), execution.config)[0].value == rows


@pytest.mark.spark
@pytest.mark.parametrize(("condition", "rows"), BROADCASTS)
def test_b_062_rows_of_sparks_broadcast(condition, rows, spark):
    plan = spark.spark.sql(f"SELECT * FROM big JOIN small ON {condition}")._jdf.queryExecution().executedPlan()
    listed = spark.jvm.scala.jdk.javaapi.CollectionConverters.asJava

    def walk(node):
        yield node
        for child in listed(node.children()):
            yield from walk(child)

    (exchange,) = [n for n in walk(plan) if n.getClass().getSimpleName() == "BroadcastExchangeExec"]
    assert exchange.maxBroadcastRows() == rows


def test_b_063_bytes_and_time_of_a_broadcast():
    execution = executed("SELECT * FROM big JOIN small ON big.k = small.k")
    (exchange,) = [n for n in execution.physical.walk() if isinstance(n, BroadcastExchangeExec)]
    limits = {limit.name: limit for limit in broadcast_limits(exchange, execution.config)}

    assert (limits["size"].value, limits["size"].setting) == (8_589_934_592, "spark.sql.maxBroadcastTableSize")
    assert (limits["time"].value, limits["time"].unit) == (300, "seconds")


@pytest.mark.spark
def test_b_063_sparks_own_limits(spark):
    conf = spark.spark._jsparkSession.sessionState().conf()

    assert conf.maxBroadcastTableSizeInBytes() == 8_589_934_592
    assert conf.broadcastTimeout() == 300


def test_b_049_what_chooses_a_broadcast_does_not_limit_it():
    execution = executed("SELECT /*+ BROADCAST(big2) */ * FROM big JOIN big2 ON big.k = big2.k")
    (decision,) = execution.planned.decisions
    (exchange,) = [n for n in execution.physical.walk() if isinstance(n, BroadcastExchangeExec)]

    size = decision.value("sizes")[1]
    assert size > broadcast_limits(exchange, execution.config)[1].value
    assert "spark.sql.autoBroadcastJoinThreshold" not in {
        x.setting for x in broadcast_limits(exchange, execution.config)
    }


# ------------------------------------------------------------------------------------------- phases and mappings


def test_b_080_exchanges_and_sorts_come_with_the_preparations():
    planned = executed("SELECT * FROM big JOIN big2 ON big.k = big2.k").planned
    before, after = ([n.node_name for n in plan.walk()] for plan in (planned.spark, planned.executed))

    assert "SortMergeJoin" in before
    assert not {"ShuffleExchange", "Sort"} & set(before)
    assert (after.count("ShuffleExchange"), after.count("Sort")) == (2, 2)


@pytest.mark.spark
def test_b_080_so_in_spark(spark):
    execution = spark.spark.sql("SELECT * FROM big JOIN big2 ON big.k = big2.k")._jdf.queryExecution()

    assert "Exchange" not in execution.sparkPlan().toString()
    assert execution.executedPlan().toString().count("Exchange hashpartitioning") == 2


def test_b_091_what_a_join_can_become():
    became = {}
    for row in rows():
        keys = row.condition in ("eq", "safe", "both")
        became.setdefault((keys, row.kind), set()).update(code[0] for _, code in row.codes)

    for kind in ("inner", "left", "right", "left semi", "left anti"):
        assert {"B", "S", "M"} <= became[True, kind]
        assert became[False, kind] <= {"C", "N"}
    assert became[True, "full"] == {"S", "M"}
    assert became[True, "inner"] == {"B", "S", "M", "C"}


ADAPTIVE = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   ResultQueryStage 2
   +- *(2) BroadcastHashJoin [k#1], [k#2], Inner, BuildRight, false, false
      :- AQEShuffleRead local
      :  +- ShuffleQueryStage 0
      :     +- Exchange hashpartitioning(k#1, 4), ENSURE_REQUIREMENTS, [plan_id=1]
      :        +- FileScan parquet a[k#1]
      +- BroadcastQueryStage 1
         +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),false), [plan_id=2]
            +- FileScan parquet b[k#2]
+- == Initial Plan ==
   SortMergeJoin [k#1], [k#2], Inner
   :- Sort [k#1 ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(k#1, 4), ENSURE_REQUIREMENTS, [plan_id=3]
   :     +- FileScan parquet a[k#1]
   +- Sort [k#2 ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(k#2, 4), ENSURE_REQUIREMENTS, [plan_id=4]
         +- FileScan parquet b[k#2]
"""


def test_b_092_plans_that_changed_while_they_ran_are_read():
    found = [d for query in decided(open_text(ADAPTIVE)) for d in query.of("JoinSelection")]

    assert [d.outcome for d in found] == ["BroadcastHashJoin"]
    assert found[0].value("because") == "chosen anew while the query ran; Sort Merge Join was planned"
    assert "AQEShuffleRead" in [n.op for n in open_text(ADAPTIVE).plans[0]]


# ------------------------------------------------------------------------------------------- mechanics


def played(kind):
    """The steps of a join of two small relations as sentences, and its rows."""
    sql = f"""SELECT {HINTED[kind]} * FROM (VALUES (1, 10), (2, 20), (2, 21)) a(k, x)
              JOIN (VALUES (2, 5), (1, 11), (2, 6), (3, 33)) b(k, y) ON a.k = b.k"""
    (join,) = [n for n in executed(sql).physical.walk() if isinstance(n, kind)]
    play = choice.of(join)
    return [step["text"] for step in play.to_json()["steps"]], sorted(play.rows)


HINTED = {j.BroadcastHashJoinExec: "", j.SortMergeJoinExec: "/*+ MERGE(a) */"}
ROWS = sorted([(1, 10, 1, 11), *[(2, x, 2, y) for x in (20, 21) for y in (5, 6)]])


def test_b_061_and_064_a_broadcast_hash_join_is_played():
    said, found = played(j.BroadcastHashJoinExec)
    gathered = next(i for i, text in enumerate(said) if "driver fetches" in text)
    sent = next(i for i, text in enumerate(said) if "sent to every executor" in text)

    assert gathered < sent < len(said) - 1
    assert found == ROWS


def test_b_067_a_sort_merge_join_is_played():
    _, found = played(j.SortMergeJoinExec)

    assert found == ROWS
